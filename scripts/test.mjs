// `npm test`: set-up, then every check and every test, the real window included. What CI runs, and nothing else.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { main, Stop } from "./run.mjs";
import { setUp } from "./setup.mjs";
import { runStages } from "./stage_run.mjs";
import { testStages } from "./stages.mjs";

// `npm test -- oxlint vitest` runs some stages by name; the last stage always runs.
await main(async (args) => {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "gatehouse-test-")));
  const stages = chosen(testStages(scratch), args);
  await setUp({ packages: ["compile", "window", "tests", "engine"], lints: true });
  const { code } = await runStages(stages);
  if (code === 0) rmSync(scratch, { recursive: true, force: true });
  else console.log(`What the tests left behind is kept in ${scratch}`);
  return code;
});

function chosen(stages, names) {
  const unknown = names.filter((name) => !stages.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Stop(`No such stage: ${unknown.join(", ")}. There are: ${stages.map(({ name }) => `"${name}"`).join(", ")}`);
  }
  return names.length === 0 ? stages : stages.filter((stage) => names.includes(stage.name) || stage === stages.at(-1));
}
