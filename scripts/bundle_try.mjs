// `node scripts/bundle_try.mjs FILE.deb`: installs the package in a fresh system, uses it there as an ordinary person
// does, removes it, and looks at what is left. Takes root and the network; no part of `npm test`.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { backgroundJob, Page, until } from "./bundle_journey.mjs";
import { freshRoot, mustInside, removeRoot, startInside } from "./bundle_root.mjs";
import { targetDir } from "./env.mjs";
import { ask, finished, main, Stop } from "./run.mjs";
import { programsOf } from "./sweep.mjs";

// Only what drives a window that nobody sees. It comes after the package, so that it cannot hide a missing dependency.
const tools = ["xvfb", "xauth", "dbus-x11", "webkit2gtk-driver"];
const person = "person";

export async function tryDeb(deb) {
  const begin = Date.now();
  const root = await step("a fresh system", freshRoot);
  try {
    await step("install", () => install(root, deb));
    await step("the tools of the test", () => apt(root, "install", ...tools));
    await step("a background job", () => useIt(root));
    await step("remove and purge", () => remove(root));
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

const inside = "/var/tmp/gatehouse.deb";

async function install(root, deb) {
  await apt(root, "update");
  copyFileSync(deb, join(root, inside));
  await apt(root, "install", inside);
  await mustInside(root, ["sh", "-c", "! ldd /usr/bin/gatehouse /usr/bin/gatehouse-shim | grep 'not found'"]);
}

const ownData = (root) => existsSync(join(root, "home", person, ".local/share/gatehouse/profiles/default/gatehouse.db"));

async function useIt(root) {
  await mustInside(root, ["useradd", "--create-home", "--shell", "/bin/bash", person]);
  const port = await freePort();
  const driver = startDriver(root, port);
  const ended = finished(driver, "unshare");
  const early = ended.then(() => {
    throw new Stop("The driver ended before its time.");
  });
  try {
    await Promise.race([journey(root, port), early]);
  } finally {
    driver.kill("SIGKILL");
    await ended;
  }
  if (!ownData(root)) throw new Stop("The person has no data after that.");
}

async function journey(root, port) {
  const page = await Page.open(`http://127.0.0.1:${port}`, "/usr/bin/gatehouse");
  const note = await backgroundJob(page);
  console.log(note.replace(/^/gm, "  | "));
  keepPicture(await page.picture());
  await page.close();
  await until("Gatehouse has quit", () => !programsOf(root).some(({ name }) => name === "gatehouse"));
}

/** The network is this machine's, and so are the abstract sockets: the display gets a number that nobody else has. */
function startDriver(root, port) {
  const home = `/home/${person}`;
  const display = ["xvfb-run", `--server-num=${1000 + (port % 50_000)}`, "--server-args=-screen 0 1280x800x24"];
  const command = [...display, "dbus-run-session", "--", "WebKitWebDriver", `--port=${port}`];
  const env = { HOME: home, USER: person, SHELL: "/bin/bash", TAURI_WEBVIEW_AUTOMATION: "true" };
  return startInside(root, ["env", "--chdir", home, ...command], { user: person, env });
}

function freePort() {
  return new Promise((done, fail) => {
    const server = createServer().once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

function keepPicture(png) {
  const file = join(targetDir, "screens", "installed.png");
  mkdirSync(join(targetDir, "screens"), { recursive: true });
  writeFileSync(file, png);
  console.log(`  picture: ${file}`);
}

async function remove(root) {
  await takeAway(root, "remove");
  // A package without settings of its own is gone after that; apt can only purge one that is there.
  await apt(root, "install", inside);
  await takeAway(root, "purge");
}

async function takeAway(root, how) {
  await apt(root, how, "gatehouse");
  if (!ownData(root)) throw new Stop(`apt ${how} took the person's data along.`);
  const left = ask("find", [join(root, "usr"), join(root, "etc"), "-iname", "*gatehouse*"]);
  if (left !== "") throw new Stop(`apt ${how} left this behind:\n${left}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(([deb]) => {
    if (!deb) throw new Stop("Which package? node scripts/bundle_try.mjs FILE.deb");
    return tryDeb(resolve(deb));
  });
}
