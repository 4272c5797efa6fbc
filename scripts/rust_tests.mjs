// The Rust tests: through nextest where it is installed, otherwise through cargo's own runner.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { childEnv, features, findProgram, top } from "./env.mjs";
import { parseLibtestLine, reportOfNextest } from "./report.mjs";
import { finished, run, Stop } from "./run.mjs";

/** A display and a session bus of their own: the tests see nobody's desktop, and nobody sees them. */
const display = ["xvfb-run", "-a", "-s", "-screen 0 1280x800x24", "dbus-run-session", "--"];
const displayEnv = { GDK_BACKEND: "x11", WAYLAND_DISPLAY: "" };

/** Either everything but the window tests, or those alone. Results are added to `seen`. */
export function runRustTests({ env, seen, window = false }) {
  const prefix = window ? display : [];
  const full = { ...env, ...(window ? displayEnv : {}) };
  return findProgram("cargo-nextest") ? throughNextest(prefix, full, seen, window) : throughCargo(prefix, full, seen, window);
}

async function throughNextest(prefix, env, seen, window) {
  // nextest keeps its reports beside the workspace, not in the compile cache.
  const report = join(top, "target", "nextest", "ci", "junit.xml");
  rmSync(report, { force: true });
  const only = window ? ["--ignore-default-filter", "-E", "binary(desktop)"] : [];
  const [program, ...args] = [...prefix, "cargo", "nextest", "run", "--workspace", ...features, "--profile", "ci", ...only];
  const code = await run(program, args, { env });
  const results = existsSync(report) ? reportOfNextest(report) : [];
  seen.push(...results);
  return code;
}

async function throughCargo(prefix, env, seen, window) {
  let failures = 0;
  for (const { executable, directory } of testPrograms()) {
    if (basename(executable).startsWith("desktop-") !== window) continue;
    console.log(`     ${basename(executable)}`);
    if ((await runOne(prefix, executable, directory, env, seen, window)) !== 0) failures += 1;
  }
  return failures === 0 ? 0 : 1;
}

/** Builds every test program and says where it lies and which directory it expects to start in. */
function testPrograms() {
  const args = ["test", "--workspace", ...features, "--no-run", "--message-format=json-render-diagnostics"];
  const build = spawnSync("cargo", args, {
    cwd: top, env: childEnv(), encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28,
  });
  if (build.status !== 0) throw new Stop("The tests do not compile.");
  return build.stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.profile.test && message.executable)
    .map(({ executable, manifest_path: manifest }) => ({ executable, directory: dirname(manifest) }));
}

function runOne(prefix, executable, directory, env, seen, window) {
  const options = ["-Zunstable-options", "--report-time", ...(window ? ["--test-threads=1"] : [])];
  const [program, ...args] = [...prefix, executable, ...options];
  // Times of single tests are behind an unstable switch of the test runner, which this variable opens.
  const own = { CARGO_MANIFEST_DIR: directory, RUSTC_BOOTSTRAP: "1" };
  const child = spawn(program, args, {
    cwd: directory, env: childEnv({ ...env, ...own }), stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface({ input: child.stdout }).on("line", (line) => {
    const result = parseLibtestLine(line);
    if (result) seen.push({ ...result, name: `${basename(executable).replace(/-[0-9a-f]{16}$/, "")}::${result.name}` });
    if (result?.passed !== true) console.log(line);
  });
  return finished(child, program);
}
