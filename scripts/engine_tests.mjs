// The embedded engine's checks: its own package, then the application with a real engine and its starter model.
import { buildEngine, engineManifest, engineEnv } from "./engine.mjs";
import { ensureStarter } from "./model.mjs";
import { must } from "./run.mjs";
import { runRustTests, runTestsOutside } from "./rust_tests.mjs";

/** One thread is enough for the starter, and leaves the others to what is measured beside it. */
const threads = "1";

/** Results are added to `seen`. */
export async function engineTests({ env, seen }) {
  const starter = { ...env, GATEHOUSE_STARTER: await ensureStarter() };
  await must("cargo", ["fmt", "--check", "--manifest-path", engineManifest]);
  const clippy = ["clippy", "--locked", "--manifest-path", engineManifest, "--all-targets", "--", "-D", "warnings"];
  await must("cargo", clippy, { env: engineEnv });
  const program = await buildEngine();
  const options = ["--include-ignored", "--test-threads=1"];
  const own = await runTestsOutside({ manifest: engineManifest, env: { ...starter, ...engineEnv }, seen, options });
  const real = { ...starter, GATEHOUSE_ENGINE: program, GATEHOUSE_ENGINE_THREADS: threads };
  const whole = await runRustTests({ env: real, seen, only: "engine" });
  return own === 0 && whole === 0 ? 0 : 1;
}
