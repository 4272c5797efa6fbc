// `npm start`: set-up, build, then the desktop app; without a display, or with `--headless`, the server shell.
//
// The dev profile is what runs: its first build takes a fraction of an optimised one, `npm test` leaves most of it warm,
// and a change is seconds away. `npm start -- --release` runs the optimised build; `npm run bundle` makes installers.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { childEnv, dataDir, features, targetDir, top } from "./env.mjs";
import { finished, main, must, run } from "./run.mjs";
import { setUp } from "./setup.mjs";

// The shim is always built too: both shells look for it beside their own executable.
const windowBuild = ["-p", "gatehouse", "-p", "gatehouse-process", "--bins", ...features];
const serverBuild = ["-p", "gatehouse-server", "-p", "gatehouse-process", "--bins"];

await main(async (args) => {
  const release = take(args, "--release");
  const asked = take(args, "--headless");
  const headless = asked || !(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
  if (headless && !asked) console.log("There is no display here: this starts the headless shell.");
  await setUp({ packages: headless ? ["compile"] : ["compile", "window"] });
  await must("npm", ["run", "build", "--workspace", "ui"]);
  await must("cargo", ["build", ...(headless ? serverBuild : windowBuild), ...(release ? ["--release"] : [])]);
  const built = join(targetDir, release ? "release" : "debug");
  return headless ? serve(built, args) : run(join(built, "gatehouse"), args);
});

/** Runs the server and turns its ready line into a link that a browser opens as it is. */
function serve(built, args) {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const program = join(built, "gatehouse-server");
  const options = args.includes("--home") ? args : ["--home", dataDir, ...args];
  const child = spawn(program, options, { cwd: top, env: childEnv(), stdio: ["ignore", "pipe", "inherit"] });
  createInterface({ input: child.stdout }).on("line", (line) => console.log(link(line) ?? line));
  return finished(child, program);
}

/** The token travels in the fragment, which a browser never sends anywhere. */
function link(line) {
  try {
    const { ready, url, token } = JSON.parse(line);
    return ready ? `\nGatehouse is ready. Open this in a browser on this machine:\n\n  ${url}/#token=${token}\n` : undefined;
  } catch {
    return undefined;
  }
}

function take(args, flag) {
  const at = args.indexOf(flag);
  if (at < 0) return false;
  args.splice(at, 1);
  return true;
}
