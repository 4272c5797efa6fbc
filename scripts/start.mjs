// `npm start`: set-up, build, then the desktop app; without a display, or with `--headless`, the server shell.
//
// The dev profile is what runs: its first build takes a fraction of an optimised one, `npm test` leaves most of it warm,
// and a change is seconds away. `npm start -- --release` runs the optimised build; `npm run bundle` makes installers.
//
// The embedded engine takes minutes more, so it is built behind the running app; `--no-engine` leaves it out.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { beginEngine } from "./engine_behind.mjs";
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
  const wishes = take(args, "--no-engine") ? [] : ["engine"];
  const missing = await setUp({ packages: headless ? ["compile"] : ["compile", "window"], wishes });
  await must("npm", ["run", "build", "--workspace", "ui"]);
  await must("cargo", ["build", ...(headless ? serverBuild : windowBuild), ...(release ? ["--release"] : [])]);
  const built = join(targetDir, release ? "release" : "debug");
  const app = headless ? serve(built, args) : run(join(built, "gatehouse"), args);
  const engine = wishes.length > 0 ? engineBehind(missing, built, headless ? homeIn(args) : dataDir) : undefined;
  return app.finally(() => engine?.end());
});

/** Begins with the engine, unless it cannot be compiled here. */
function engineBehind(missing, programs, home) {
  if (missing.length === 0) return beginEngine({ programs, home });
  const names = missing.map(({ debian }) => debian).join(", ");
  console.log(`The embedded engine is left out: ${names} could not be installed. To try again: npm run engine`);
  return undefined;
}

/** The data directory that the server is told, or the usual one. */
function homeIn(args) {
  const at = args.indexOf("--home");
  return at < 0 ? dataDir : resolve(top, args[at + 1] ?? "");
}

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
