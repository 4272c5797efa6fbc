// `npm run bundle`: the installer for this machine's kind of system.
import { main, must, run } from "./run.mjs";
import { setUp } from "./setup.mjs";

await main(async (args) => {
  await setUp();
  // The installer carries the shim beside the app, so it must be there before the bundler looks for it.
  await must("cargo", ["build", "--release", "-p", "gatehouse-process", "--bin", "gatehouse-shim"]);
  return run("npx", ["--no-install", "tauri", "build", "--bundles", "deb", ...args]);
});
