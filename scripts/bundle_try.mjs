// `node scripts/bundle_try.mjs APP.deb [STARTER.deb]`: installs the packages in a fresh system, uses them there as an
// ordinary person does, without a network in the end, removes them, and looks at what is left. Takes root and the network;
// no part of `npm test`.
import { copyFileSync, existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { backgroundJob } from "./bundle_journey.mjs";
import { freshRoot, mustInside, removeRoot } from "./bundle_root.mjs";
import { inWindow, person } from "./bundle_window.mjs";
import { top } from "./env.mjs";
import { ask, main, must, Stop } from "./run.mjs";
import { starterPackage } from "./starter_deb.mjs";

// Only what drives a window that nobody sees. It comes after the package, so that it cannot hide a missing dependency.
const tools = ["xvfb", "xauth", "dbus-x11", "webkit2gtk-driver"];

export async function tryDeb(deb, starter) {
  const begin = Date.now();
  const root = await step("a fresh system", freshRoot);
  const packages = ["gatehouse", ...(starter ? [starterPackage] : [])];
  try {
    const files = [deb, ...(starter ? [starter] : [])].map((file, at) => bring(root, file, packages[at]));
    await step("install", () => install(root, files));
    await step("the tools of the test", () => apt(root, "install", ...tools));
    await step("a background job", () => useIt(root));
    if (starter) await step("a chat without a network", () => chatOffline(root));
    await step("remove and purge", () => remove(root, packages, files));
  } finally {
    removeRoot(root);
  }
  console.log(`\nInstalled, used and removed in a fresh system: ${seconds(begin)}`);
  return 0;
}

const seconds = (begin) => `${((Date.now() - begin) / 1000).toFixed(1)} s`;

async function step(name, body) {
  console.log(`\n[try] ${name}`);
  const begin = Date.now();
  const answer = await body();
  console.log(`[try] ${name}: ok, ${seconds(begin)}`);
  return answer;
}

function apt(root, ...args) {
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  const quiet = ["-qq", "-o", "Dpkg::Use-Pty=0"];
  return mustInside(root, ["apt-get", ...quiet, "-y", "--no-install-recommends", ...args], { env });
}

/** Copies a package in; the path that it has inside. */
function bring(root, file, name) {
  const inside = `/var/tmp/${name}.deb`;
  copyFileSync(file, join(root, inside));
  return inside;
}

async function install(root, files) {
  await apt(root, "update");
  await apt(root, "install", ...files);
  const programs = "/usr/bin/gatehouse /usr/bin/gatehouse-shim /usr/bin/gatehouse-engine";
  await mustInside(root, ["sh", "-c", `! ldd ${programs} | grep 'not found'`]);
}

const ownData = (root) => existsSync(join(root, "home", person, ".local/share/gatehouse/profiles/default/gatehouse.db"));

async function useIt(root) {
  await mustInside(root, ["useradd", "--create-home", "--shell", "/bin/bash", person]);
  await inWindow(root, "installed", async (page) => console.log((await backgroundJob(page)).replace(/^/gm, "  | ")));
  if (!ownData(root)) throw new Stop("The person has no data after that.");
}

function chatOffline(root) {
  return must("unshare", ["--net", process.execPath, join(top, "scripts", "bundle_offline.mjs"), root]);
}

async function remove(root, packages, files) {
  await takeAway(root, "remove", packages);
  // A package without settings of its own is gone after that; apt can only purge one that is there.
  await apt(root, "install", ...files);
  await takeAway(root, "purge", packages);
}

async function takeAway(root, how, packages) {
  await apt(root, how, ...packages);
  if (!ownData(root)) throw new Stop(`apt ${how} took the person's data along.`);
  const left = ask("find", [join(root, "usr"), join(root, "etc"), "-iname", "*gatehouse*"]);
  if (left !== "") throw new Stop(`apt ${how} left this behind:\n${left}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(([deb, starter]) => {
    if (!deb) throw new Stop("Which package? node scripts/bundle_try.mjs APP.deb [STARTER.deb]");
    return tryDeb(resolve(deb), starter && resolve(starter));
  });
}
