// `npm run engine`: builds the embedded engine beside the application's programs and puts its starter model into the data
// directory. The engine compiles a C++ library for minutes, the first time in each target directory.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataDir, targetDir, top } from "./env.mjs";
import { ensureStarter, place } from "./model.mjs";
import { main, must } from "./run.mjs";
import { setUp } from "./setup.mjs";

export const engineName = "gatehouse-engine";
export const engineManifest = join(top, "crates", "engine", "Cargo.toml");
/** A directory of its own: the C++ library is compiled once in it, whatever else is built meanwhile. */
export const engineEnv = {
  CARGO_TARGET_DIR: join(targetDir, "engine"),
  CMAKE_PROJECT_INCLUDE_BEFORE: join(top, "scripts", "engine.cmake"),
};

/**
 * Builds the engine; the path of the program. The dev profile serves every build but the one that people install, since
 * what computes is optimised in it too.
 */
export async function buildEngine({ release = false } = {}) {
  const options = ["--locked", "--manifest-path", engineManifest, ...(release ? ["--release"] : [])];
  await must("cargo", ["build", ...options], { env: engineEnv });
  return join(engineEnv.CARGO_TARGET_DIR, release ? "release" : "debug", engineName);
}

/**
 * Copies a program into the directory of the application's, and says whether it was another one before. A running one is
 * replaced, never written to.
 */
export function besideTheApp(program, directory) {
  const goal = join(directory, engineName);
  if (existsSync(goal) && readFileSync(goal).equals(readFileSync(program))) return false;
  const draft = `${goal}.${process.pid}`;
  mkdirSync(directory, { recursive: true });
  copyFileSync(program, draft);
  renameSync(draft, goal);
  return true;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await setUp({ packages: ["compile", "engine"] });
    const starter = await ensureStarter();
    const program = await buildEngine();
    for (const profile of ["debug", "release"]) besideTheApp(program, join(targetDir, profile));
    console.log(`\nThe engine is built. Its starter model: ${place(starter, join(dataDir, "models"))}`);
  });
}
