// Where things live: the checkout, the caches outside it, a person's data.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const top = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** Compile caches stay outside the checkout: a fresh clone is warm, and deleting a clone loses nothing. */
export const cacheDir = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "gatehouse");

export const targetDir = resolve(process.env.CARGO_TARGET_DIR || join(cacheDir, "target"));

/** The data directory that the application would choose by itself. */
export const dataDir =
  process.env.GATEHOUSE_HOME || join(process.env.XDG_DATA_HOME || join(homedir(), ".local", "share"), "gatehouse");

/**
 * One set of features for every cargo command that touches the desktop package. With it a plain cargo build loads the
 * window's pages from `ui/dist`; another set would compile Tauri a second time.
 */
export const features = ["--features", "gatehouse/custom-protocol"];

/** The environment of every program that the scripts start. */
export function childEnv(extra = {}) {
  return { ...process.env, PATH: searchPath(), CARGO_TARGET_DIR: targetDir, ...extra };
}

/** rustup puts cargo where only new login shells look. */
export function searchPath() {
  const cargoBin = join(process.env.CARGO_HOME || join(homedir(), ".cargo"), "bin");
  const path = process.env.PATH || "";
  if (!existsSync(cargoBin) || path.split(delimiter).includes(cargoBin)) return path;
  return [cargoBin, path].join(delimiter);
}

/** The full path of a program, or undefined. */
export function findProgram(name) {
  for (const dir of searchPath().split(delimiter)) {
    const candidate = join(dir, name);
    if (dir && existsSync(candidate)) return candidate;
  }
  return undefined;
}
