// Running stages one after the other and telling how it went.
import { Stop } from "./run.mjs";

/**
 * Runs them all, so that one run shows everything that is wrong; only where a `needed` stage fails there is nothing
 * to run the next ones on. Resolves to `{ code, seen }`, `seen` being the results of single tests.
 */
export async function runStages(stages) {
  const seen = [];
  const told = [];
  for (const [at, stage] of stages.entries()) {
    console.log(`\n[${at + 1}/${stages.length}] ${stage.name}`);
    const begin = Date.now();
    const code = await codeOf(stage, seen);
    told.push({ name: stage.name, code, seconds: (Date.now() - begin) / 1000 });
    console.log(`[${at + 1}/${stages.length}] ${stage.name}: ${code === 0 ? "ok" : "FAILED"}, ${clock(told.at(-1).seconds)}`);
    if (code !== 0 && stage.needed) break;
  }
  return { code: summarise(stages, told, seen), seen };
}

async function codeOf(stage, seen) {
  try {
    return await stage.run(seen);
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    console.error(error.message);
    return 1;
  }
}

/** Prints the stages with their times, the slowest tests, and the line that counts. */
function summarise(stages, told, seen) {
  console.log("\nStages");
  for (const { name, code, seconds } of told) console.log(`  ${code === 0 ? "ok    " : "FAILED"} ${clock(seconds).padStart(8)}  ${name}`);
  for (const { name } of stages.slice(told.length)) console.log(`  not run           ${name}`);
  if (seen.length > 0) console.log("\nSlowest tests");
  for (const { name, seconds } of slowest(seen, 5)) console.log(`  ${seconds.toFixed(2).padStart(8)} s  ${name}`);
  const failedTests = seen.filter(({ passed }) => !passed);
  if (failedTests.length > 0) console.log("\nFailed tests");
  for (const { name } of failedTests) console.log(`  ${name}`);
  const { passed, failed } = count(stages, told, seen);
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

export const slowest = (seen, n) => [...seen].sort((a, b) => b.seconds - a.seconds).slice(0, n);

/** Tests and stages are both counted; a stage that was not reached has not passed. */
export function count(stages, told, seen) {
  const good = (list) => list.filter(Boolean).length;
  const passed = good(seen.map((test) => test.passed)) + good(told.map(({ code }) => code === 0));
  return { passed, failed: seen.length + stages.length - passed };
}

function clock(seconds) {
  const minutes = Math.floor(seconds / 60);
  return minutes > 0 ? `${minutes} m ${Math.round(seconds % 60)} s` : `${seconds.toFixed(1)} s`;
}
