// `npm run bench -- NAME [--json]`: one benchmark, optimised; `all` compares with crates/bench/budgets.toml.
import { main, must, run, Stop } from "./run.mjs";
import { setUp } from "./setup.mjs";

await main(async (args) => {
  if (args.length === 0) throw new Stop("Which one? For example: npm run bench -- exit_to_note");
  await setUp({ packages: ["compile", "window", "tests"] });
  await must("npm", ["run", "build", "--workspace", "ui"]); // what the measured windows show
  return run("cargo", ["run", "--release", "-p", "gatehouse-bench", "--", ...args]);
});
