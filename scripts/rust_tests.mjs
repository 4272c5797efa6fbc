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

/** Programs in `tests/` with a stage of their own: they open windows. */
const alone = ["desktop", "engine"];

/** The workspace's tests: those of one program out of `alone`, or all others. Results are added to `seen`. */
export function runRustTests({ env, seen, only }) {
  const prefix = only ? display : [];
  const full = { ...env, ...(only ? displayEnv : {}) };
  if (findProgram("cargo-nextest")) return throughNextest(prefix, full, seen, only);
  const mine = ({ executable }) => alone.find((name) => basename(executable).startsWith(`${name}-`)) === only;
  const programs = testPrograms(["--workspace", ...features]).filter(mine);
  return throughCargo(programs, { prefix, env: full, seen, options: only ? ["--test-threads=1"] : [] });
}

/** The tests of a package outside the workspace, through cargo's own runner: nextest writes its reports into the package. */
export function runTestsOutside({ manifest, env, seen, options }) {
  const programs = testPrograms(["--locked", "--manifest-path", manifest], env);
  return throughCargo(programs, { prefix: [], env, seen, options });
}

async function throughNextest(prefix, env, seen, only) {
  // nextest keeps its reports beside the workspace, not in the compile cache.
  const report = join(top, "target", "nextest", "ci", "junit.xml");
  rmSync(report, { force: true });
  const filter = only ? ["--ignore-default-filter", "-E", `binary(${only})`] : [];
  const [program, ...args] = [...prefix, "cargo", "nextest", "run", "--workspace", ...features, "--profile", "ci", ...filter];
  const code = await run(program, args, { env });
  const results = existsSync(report) ? reportOfNextest(report) : [];
  seen.push(...results);
  return code;
}

async function throughCargo(programs, how) {
  if (programs.length === 0) throw new Stop("There are no such tests.");
  let failures = 0;
  for (const { executable, directory } of programs) {
    console.log(`     ${basename(executable)}`);
    if ((await runOne(executable, directory, how)) !== 0) failures += 1;
  }
  return failures === 0 ? 0 : 1;
}

/** Builds every test program of some packages and says where it lies and which directory it expects to start in. */
function testPrograms(packages, env) {
  const args = ["test", ...packages, "--no-run", "--message-format=json-render-diagnostics"];
  const build = spawnSync("cargo", args, {
    cwd: top, env: childEnv(env), encoding: "utf8", stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28,
  });
  if (build.status !== 0) throw new Stop("The tests do not compile.");
  return build.stdout
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line))
    .filter((message) => message.reason === "compiler-artifact" && message.profile.test && message.executable)
    .map(({ executable, manifest_path: manifest }) => ({ executable, directory: dirname(manifest) }));
}

function runOne(executable, directory, { prefix, env, seen, options }) {
  const [program, ...args] = [...prefix, executable, "-Zunstable-options", "--report-time", ...options];
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
