// `npm run soak`: what CI samples, for longer: orders in which reports are told and words leave, requests to models, kills
// of the server, named moments.
import { main, must } from "./run.mjs";
import { setUp } from "./setup.mjs";

const LONGER = { GATEHOUSE_PROMISE_CASES: "10000", GATEHOUSE_CRASH_POINTS: "200" };

await main(async (args) => {
  await setUp({ packages: ["compile", "tests"] });
  await must("cargo", ["build", "-p", "gatehouse-server", "-p", "gatehouse-process", "--bins"]);
  await must("cargo", ["test", "-p", "gatehouse-gateway", "--lib", "each_report_ends_once"], { env: LONGER });
  await must("cargo", ["test", "-p", "gatehouse-delivery"], { env: LONGER });
  await must("cargo", ["test", "-p", "gatehouse-agent", "--lib", "every_transcript"], { env: LONGER });
  await must("cargo", ["test", "-p", "gatehouse-provider", "--lib", "whatever_is_said"], { env: LONGER });
  await must("cargo", ["test", "-p", "gatehouse-tests", "--test", "suite", "what_was_promised"], { env: LONGER });
  await must("cargo", ["test", "-p", "gatehouse-tests", "--test", "suite", "whatever_happens_in_one_profile"], { env: LONGER });
  await must("cargo", ["run", "--release", "-p", "gatehouse-bench", "--", "crash", ...args]);
});
