// `npm run check`: formatting, types and lints, no tests.
import { main } from "./run.mjs";
import { runStages } from "./stage_run.mjs";
import { lintStages } from "./stages.mjs";
import { setUp } from "./setup.mjs";

await main(async () => {
  await setUp({ lints: true });
  return (await runStages(lintStages)).code;
});
