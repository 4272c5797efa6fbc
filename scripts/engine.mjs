// `npm run engine`: builds the embedded engine beside the application's programs and puts its starter model into the data
// directory. The engine compiles a C++ library for many minutes, the first time in each target directory.
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataDir, targetDir, top } from "./env.mjs";
import { ensureStarter, place } from "./model.mjs";
import { main, must, run } from "./run.mjs";
import { setUp } from "./setup.mjs";

// A directory of its own: the C++ library is compiled once in it, whatever else is built meanwhile. The dev profile
// serves every build, since what computes is optimised in it too.
const cargo = (command, ...options) => {
  const manifest = join(top, "crates", "engine", "Cargo.toml");
  return ["cargo", [command, "--locked", "--manifest-path", manifest, ...options]];
};
const env = { CARGO_TARGET_DIR: join(targetDir, "engine") };

/** Builds the engine; the path of the program. */
export async function buildEngine() {
  await must(...cargo("build"), { env });
  return join(env.CARGO_TARGET_DIR, "debug", "gatehouse-engine");
}

/** The engine's own checks and tests, with the starter model and one thread. */
export async function engineTests(extra) {
  const starterEnv = { ...env, ...extra, GATEHOUSE_STARTER: await ensureStarter() };
  await must("cargo", ["fmt", "--check", "--manifest-path", join(top, "crates", "engine", "Cargo.toml")]);
  await must(...cargo("clippy", "--all-targets", "--", "-D", "warnings"), { env });
  return run(...cargo("test", "--", "--include-ignored", "--test-threads=1"), { env: starterEnv });
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
