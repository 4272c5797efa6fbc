// `npm run dev`: the app with watch mode on both sides; Vite serves the pages, cargo rebuilds on a change.
import { main, must, run } from "./run.mjs";
import { setUp } from "./setup.mjs";

await main(async (args) => {
  await setUp();
  await must("cargo", ["build", "-p", "gatehouse-process", "--bin", "gatehouse-shim"]);
  return run("npx", ["--no-install", "tauri", "dev", ...args]);
});
