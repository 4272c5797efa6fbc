// `npm run bindings`: writes `ui/src/bridge/bindings.ts` from the types of the protocol crate.
import { features } from "./env.mjs";
import { main, must, run } from "./run.mjs";
import { setUp } from "./setup.mjs";

// The test that compares the committed file writes it where this is set.
const env = { GATEHOUSE_WRITE_BINDINGS: "1" };

await main(async () => {
  await setUp();
  await must("npm", ["run", "build", "--workspace", "ui"]);
  return run("cargo", ["test", "--workspace", ...features, "--lib", "bindings"], { env });
});
