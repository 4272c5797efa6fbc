// Set-up: makes a fresh clone buildable. Says what it does, and does nothing the second time.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensurePackages, wishForPackages } from "./apt.mjs";
import { findProgram, targetDir, top } from "./env.mjs";
import { ask, main, must, run, Stop } from "./run.mjs";

/**
 * `packages` names groups of packages.mjs, and `wishes` those that can be done without; `lints` also wants rustfmt and
 * clippy. Resolves to the packages that stayed a wish.
 */
export async function setUp({ packages = ["compile", "window"], wishes = [], lints = false } = {}) {
  console.log("Set-up");
  await ensurePackages(packages);
  const missing = await wishForPackages(wishes);
  ensureRust();
  if (lints) await ensureLints();
  await ensureNodePackages();
  mkdirSync(targetDir, { recursive: true });
  await ensureOurOwnCache();
  console.log(`  compile cache: ${targetDir}`);
  return missing;
}

/**
 * Programs that were compiled in another checkout carry its path, and cargo takes them for ours. What was compiled of
 * the project itself goes then; its libraries stay.
 */
async function ensureOurOwnCache() {
  const stamp = join(targetDir, "checkout");
  const known = existsSync(stamp) ? readFileSync(stamp, "utf8") : "";
  if (known === top) return;
  if (existsSync(join(targetDir, "debug")) || existsSync(join(targetDir, "release"))) {
    console.log("  compile cache: it was filled from another checkout; our own programs are compiled anew");
    for (const profile of [[], ["--release"]]) await must("cargo", ["clean", "--locked", "--workspace", ...profile]);
  }
  writeFileSync(stamp, top);
}

function ensureRust() {
  const found = ask("rustc", ["--version"]);
  const wanted = /rust-version = "([\d.]+)"/.exec(readFileSync(join(top, "Cargo.toml"), "utf8"))[1];
  if (!found || !findProgram("cargo")) {
    throw new Stop(`Rust is missing. Install version ${wanted} or newer from https://rustup.rs, then run this again.`);
  }
  const have = /(\d+)\.(\d+)/.exec(found).slice(1).map(Number);
  const need = wanted.split(".").map(Number);
  if (have[0] < need[0] || (have[0] === need[0] && have[1] < need[1])) {
    throw new Stop(`Rust ${wanted} or newer is needed; ${found} is installed. "rustup update" brings a newer one.`);
  }
  console.log(`  Rust: ${found}`);
}

async function ensureLints() {
  const missing = ["fmt", "clippy"].filter((name) => ask("cargo", [name, "--version"]) === undefined);
  if (missing.length === 0) return;
  if (!findProgram("rustup")) throw new Stop(`Please install the Rust components rustfmt and clippy.`);
  console.log("  Rust: adding rustfmt and clippy");
  await must("rustup", ["component", "add", "rustfmt", "clippy"]);
}

/** Installs exactly what the lock file says, once for each lock file. */
async function ensureNodePackages() {
  const lock = createHash("sha256").update(readFileSync(join(top, "package-lock.json"))).digest("hex");
  // The stamp lies in the directory it vouches for, so that both go together.
  const stamp = join(top, "node_modules", ".gatehouse-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return console.log("  npm packages: unchanged");
  console.log("  npm packages: installing");
  const install = () => run("npm", ["ci", "--no-audit", "--no-fund"]);
  if ((await install()) !== 0 && (await install()) !== 0) throw new Stop("npm could not install its packages.");
  writeFileSync(stamp, lock);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(() => setUp({ packages: ["compile", "window", "tests"], lints: true }));
}
