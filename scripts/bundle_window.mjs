// The installed application's window in the fresh system, as an ordinary person has it.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Page, until } from "./bundle_journey.mjs";
import { startInside } from "./bundle_root.mjs";
import { targetDir } from "./env.mjs";
import { finished, Stop } from "./run.mjs";
import { programsOf } from "./sweep.mjs";

export const person = "person";

/** Opens it, goes on a journey, keeps a picture and closes it. Nothing of it runs afterwards. */
export async function inWindow(root, picture, journey) {
  const port = await freePort();
  const driver = startDriver(root, port);
  const ended = finished(driver, "unshare");
  const early = ended.then(() => {
    throw new Stop("The driver ended before its time.");
  });
  try {
    await Promise.race([openAndClose(root, port, picture, journey), early]);
  } finally {
    driver.kill("SIGKILL");
    await ended;
  }
}

async function openAndClose(root, port, picture, journey) {
  const page = await Page.open(`http://127.0.0.1:${port}`, "/usr/bin/gatehouse");
  await journey(page);
  keepPicture(picture, await page.picture());
  await page.close();
  const ours = ["gatehouse", "gatehouse-engine"];
  await until("Gatehouse has quit", () => !programsOf(root).some(({ name }) => ours.includes(name)));
}

/** The network may be this machine's, and so are the abstract sockets: the display gets a number that nobody else has. */
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

function keepPicture(name, png) {
  const file = join(targetDir, "screens", `${name}.png`);
  mkdirSync(join(targetDir, "screens"), { recursive: true });
  writeFileSync(file, png);
  console.log(`  picture: ${file}`);
}
