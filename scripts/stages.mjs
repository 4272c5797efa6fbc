// The checks, each as one stage: a name and what it runs. `npm run check` takes the first ones, `npm test` all.
import { join } from "node:path";
import { cacheDir, features } from "./env.mjs";
import { engineTests } from "./engine_tests.mjs";
import { run } from "./run.mjs";
import { runRustTests } from "./rust_tests.mjs";
import { reportOfVitest } from "./report.mjs";
import { sweep } from "./sweep.mjs";

// Every cargo command names the same packages and features, so that nothing is compiled twice.
const workspace = ["--workspace", "--all-targets", ...features];
const ui = (script, { options = [], env } = {}) => run("npm", ["run", script, "--workspace", "ui", "--", ...options], { env });

const format = { name: "rustfmt", run: () => run("cargo", ["fmt", "--all", "--check"]) };
const clippy = { name: "clippy", run: () => run("cargo", ["clippy", ...workspace, "--", "-D", "warnings"]) };
const types = { name: "tsc", run: () => ui("typecheck") };
const lint = { name: "oxlint", run: () => run("npx", ["--no-install", "oxlint", "--deny-warnings", "scripts", "ui"]) };
// The desktop package takes the pages in when it is compiled, so they come before any cargo command that names it.
const pages = { name: "vite build", run: () => ui("build"), needed: true };

export const lintStages = [format, types, lint, pages, clippy];

/** `scratch` holds every home directory and report of this run. */
export function testStages(scratch) {
  const inScratch = { TMPDIR: scratch };
  return [
    format,
    types,
    lint,
    { name: "script tests", run: () => run("node", ["--test", "scripts/scripts.test.mjs"]) },
    vitest(scratch),
    pages,
    { name: "cargo build", run: () => run("cargo", ["build", ...workspace]), needed: true },
    // Some of them look at the server.
    { name: "browser tests", run: () => ui("test:browser", { env: inScratch }) },
    clippy,
    { name: "loom", run: runLoom },
    { name: "rust tests", run: (seen) => runRustTests({ env: inScratch, seen }) },
    { name: "window tests", run: (seen) => runRustTests({ env: inScratch, seen, only: "desktop" }) },
    // Late and alone: compiling C++ beside tests would make them slow.
    { name: "engine tests", run: (seen) => engineTests({ env: inScratch, seen }) },
    { name: "nothing left behind", run: () => sweep(scratch) },
  ];
}

/** The model checker replaces the standard library's locks, so it compiles into a directory of its own. */
function runLoom() {
  const env = { RUSTFLAGS: "--cfg loom", CARGO_TARGET_DIR: join(cacheDir, "loom") };
  return run("cargo", ["test", "--package", "gatehouse-turn", "--release", "--test", "loom"], { env });
}

function vitest(scratch) {
  const file = join(scratch, "vitest.json");
  return {
    name: "vitest",
    run: async (seen) => {
      const options = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
      const code = await ui("test:unit", { options });
      seen.push(...reportOfVitest(file));
      return code;
    },
  };
}
