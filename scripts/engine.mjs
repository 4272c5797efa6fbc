// `npm run engine`: builds the embedded engine beside the application's programs and puts its starter model into the data
// directory. The engine compiles a C++ library for many minutes, the first time in each target directory.
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataDir, targetDir, top } from "./env.mjs";
import { ensureStarter, place } from "./model.mjs";
import { main, must } from "./run.mjs";
import { setUp } from "./setup.mjs";

/** Builds the engine; the path of the program. It is always optimised, so one build serves every profile. */
export async function buildEngine() {
  const manifest = join(top, "crates", "engine", "Cargo.toml");
  await must("cargo", ["build", "--locked", "--release", "--manifest-path", manifest], { env: { CARGO_TARGET_DIR: join(targetDir, "engine") } });
  return join(targetDir, "engine", "release", "gatehouse-engine");
}

/** Copies a program to where the application looks for it. A running one is replaced, never written to. */
export function besideTheApp(program, profile) {
  const directory = join(targetDir, profile);
  const draft = join(directory, `gatehouse-engine.${process.pid}`);
  mkdirSync(directory, { recursive: true });
  copyFileSync(program, draft);
  renameSync(draft, join(directory, "gatehouse-engine"));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await setUp({ packages: ["compile", "engine"] });
    const starter = await ensureStarter();
    const program = await buildEngine();
    for (const profile of ["debug", "release"]) besideTheApp(program, profile);
    console.log(`\nThe engine is built. Its starter model: ${place(starter, join(dataDir, "models"))}`);
  });
}
