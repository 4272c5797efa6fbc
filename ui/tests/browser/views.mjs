// Every view of the window, and how to get there. What holds for all of them is tried on each of these, and each has its
// reference pictures. `calm` says that nobody is needed there.
import { settled } from "./window.mjs";

const EVERYTHING = { scene: "everything", session: "orders" };

const SHORT_MS = 8000;

/** A question that is in sight and does not listen yet looks different from one that does. Where one never does, its
 *  picture tells. */
export function armed(page) {
  const listens = () =>
    [...document.querySelectorAll("[data-armed=false]")].every((card) => {
      const { top, bottom } = card.getBoundingClientRect();
      const around = card.closest(".scroll, .notices-list").getBoundingClientRect();
      return top < around.top || bottom > around.bottom;
    });
  return page.waitForFunction(listens, undefined, { polling: "raf", timeout: SHORT_MS }).catch(() => undefined);
}

const room = (name) => ({
  name: `settings-${name}`,
  // One page goes through all of them.
  group: "settings",
  scene: "rooms",
  calm: true,
  session: "docker",
  async prepare(page) {
    await page.keyboard.press("Control+,");
    await page.getByTestId(`settings-nav-${name}`).click();
  },
});

async function openAddForm(page) {
  await page.keyboard.press("Control+,");
  await page.getByTestId("provider-add").click();
  await page.getByTestId("provider-name").fill("cloud");
  await page.getByTestId("provider-save").click();
  await page.locator(".set-form .set-error").first().waitFor();
}

const terminal = (page) => page.locator(".output-frame[data-ready=true] .xterm-rows").waitFor();

async function pick(page, id) {
  await page.locator(`[data-process-id="${id}"] .process-row`).click();
  await page.locator(".detail").waitFor();
}

/** The process rail in each way in which it can stand, beside the transcript and over it. */
const RAIL = [
  { name: "rail-empty", scene: "rail-empty", calm: true, prepare: (page) => page.getByText("No processes yet").waitFor() },
  { name: "rail-chat", scene: "rail-chat", calm: true, prepare: (page) => page.getByText("No processes yet").waitFor() },
  { name: "rail-running", scene: "rail-running", calm: true, prepare: (page) => page.locator(".process-ports").waitFor() },
  {
    name: "rail-needs",
    scene: "rail-needs",
    async prepare(page) {
      await pick(page, "sudo");
      await terminal(page);
    },
  },
  {
    name: "rail-survivors",
    scene: "rail-survivors",
    async prepare(page) {
      await pick(page, "emulator");
      await page.locator(".detail .process-stop").click();
      await page.locator(".survivors").waitFor();
    },
  },
  { name: "rail-many", scene: "rail-many", calm: true, prepare: (page) => page.locator(".process-memory").nth(10).waitFor() },
  {
    name: "rail-terminal",
    scene: "rail-terminal",
    calm: true,
    async prepare(page) {
      await pick(page, "shell");
      await terminal(page);
    },
  },
].flatMap(({ prepare, ...view }) => [
  { ...view, session: "release", wide: true, prepare },
  {
    ...view,
    name: `${view.name}-over`,
    session: "release",
    narrow: true,
    async prepare(page) {
      await page.getByRole("button", { name: "Show processes" }).click();
      await prepare(page);
    },
  },
]);

async function openFileForm(page) {
  await page.keyboard.press("Control+,");
  await page.getByTestId("model-file-add").click();
  await page.getByTestId("model-file-path").fill("/home/ada/notes.txt");
  await page.getByTestId("model-file-save").click();
  await page.locator(".set-form .set-error").first().waitFor();
}

async function openProfiles(page) {
  await page.getByTestId("profile").click();
  await page.getByRole("menuitemradio", { name: /archive/ }).waitFor();
}

export const VIEWS = [
  { name: "conversation", ...EVERYTHING, ink: 1 },
  {
    name: "conversation-start",
    ...EVERYTHING,
    async prepare(page) {
      await page.locator(".scroll").first().evaluate((list) => list.scrollTo({ top: 0 }));
    },
  },
  {
    name: "process",
    ...EVERYTHING,
    ink: 1,
    async prepare(page) {
      await page.locator("[data-process-id=web] .process-row").click();
      await page.locator(".detail").waitFor();
    },
  },
  ...RAIL,
  {
    name: "terminal-whole",
    scene: "rail-terminal",
    session: "release",
    calm: true,
    wide: true,
    async prepare(page) {
      await pick(page, "shell");
      await terminal(page);
      await page.getByRole("button", { name: "Fill the window" }).click();
      await page.locator("dialog .output-frame[data-ready=true] .xterm-rows").waitFor();
    },
  },
  { name: "calm", scene: "calm", session: "release", calm: true },
  { name: "notes", scene: "watches", session: "release", calm: true, prepare: (page) => page.getByText("watching goes on").waitFor() },
  { name: "lines", scene: "lines", session: "release", calm: true, prepare: (page) => page.getByText("besides words").waitFor() },
  { name: "session-empty", scene: "calm", session: "guide", calm: true },
  { name: "session-none", scene: "empty", calm: true, ink: 1 },
  {
    name: "palette",
    ...EVERYTHING,
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await page.locator("[data-action='model-lab/qwen3-4b']").waitFor();
    },
  },
  {
    name: "palette-search",
    ...EVERYTHING,
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("fixtures");
      await page.locator("[data-action^=hit-]").first().waitFor();
    },
  },
  {
    name: "find",
    ...EVERYTHING,
    async prepare(page) {
      // A place far from the end: near it, the transcript may stand in two ways.
      await page.locator(".approval[data-armed=true]").waitFor();
      await page.keyboard.press("Control+f");
      await page.keyboard.type("schema 42");
      await page.locator("[data-target=true]").waitFor();
      // The tint on what was found fades.
      await page.locator("[data-target=true]").waitFor({ state: "detached" });
    },
  },
  {
    name: "notices",
    ...EVERYTHING,
    async prepare(page) {
      await page.getByTestId("bell").click();
      await page.getByTestId("notices").waitFor();
    },
  },
  {
    name: "notices-none",
    scene: "calm",
    session: "release",
    calm: true,
    async prepare(page) {
      await page.getByTestId("bell").click();
      await page.getByText("Nobody needs you.").waitFor();
    },
  },
  {
    name: "incidents",
    scene: "incidents",
    session: "release",
    async prepare(page) {
      await page.getByTestId("incidents-open").click();
      await page.locator("[data-incident=held]").waitFor();
    },
  },
  {
    name: "incidents-elsewhere",
    scene: "incidents",
    session: "release",
    async prepare(page) {
      await page.getByTestId("incidents-open").click();
      await page.locator("[data-incident=gone]").getByRole("button", { name: "Deliver elsewhere" }).click();
      await page.locator(".incident-place").first().waitFor();
      // The focus that goes into the list may have scrolled it.
      await page.locator("[data-incident=gone]").evaluate((row) => row.scrollIntoView({ block: "start" }));
    },
  },
  {
    name: "incidents-none",
    scene: "calm",
    session: "release",
    calm: true,
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("show incidents");
      await page.keyboard.press("Enter");
      await page.getByTestId("incidents").waitFor();
    },
  },
  { name: "session-ended", scene: "ended", session: "release", calm: true, prepare: (page) => page.getByTestId("ended").waitFor() },
  { name: "session-closed", scene: "closed", session: "release", calm: true, prepare: (page) => page.getByTestId("closed").waitFor() },
  { name: "delegation", scene: "delegated", session: "release", calm: true, prepare: (page) => page.locator(".delegation").waitFor() },
  { name: "sub-agent", scene: "subAgent", session: "worker-2", calm: true, prepare: (page) => page.getByTestId("sub-agent").waitFor() },
  ...["models", "processes", "approvals", "notices", "appearance", "keyboard", "data", "about"].map(room),
  {
    name: "restore-ask",
    scene: "rooms",
    session: "docker",
    calm: true,
    async prepare(page) {
      await page.keyboard.press("Control+,");
      await page.getByTestId("settings-nav-data").click();
      await page.getByRole("button", { name: /^Restore the backup/ }).first().click();
    },
  },
  { name: "provider-form", scene: "rooms", session: "docker", calm: true, ink: 1, prepare: openAddForm },
  {
    name: "first-found",
    scene: "first",
    calm: true,
    ink: 1,
    prepare: (page) => page.getByTestId("first-run-server-ollama").waitFor(),
  },
  {
    name: "first-nothing",
    scene: "bare",
    calm: true,
    ink: 1,
    async prepare(page) {
      await page.getByTestId("first-run-look-again").waitFor();
      await page.getByTestId("first-run-skip").click();
    },
  },
  { name: "first-key", scene: "bare", calm: true, ink: 1, prepare: (page) => page.getByTestId("first-run-key").click() },
  { name: "first-starter", scene: "builtIn", calm: true, ink: 1, prepare: (page) => page.getByTestId("first-run-starter").waitFor() },
  { name: "model-loading", scene: "loading", session: "hello", calm: true, prepare: (page) => page.getByText("Loading the model, 42").waitFor() },
  { name: "session-empty-starter", scene: "loading", session: "new", calm: true },
  { name: "model-file", scene: "loading", session: "new", calm: true, ink: 1, prepare: openFileForm },
  {
    name: "keys",
    ...EVERYTHING,
    async prepare(page) {
      await page.evaluate(() => document.activeElement?.blur());
      await page.keyboard.press("?");
      await page.getByTestId("key-map").waitFor();
    },
  },
  {
    name: "quit",
    ...EVERYTHING,
    ink: 1,
    async prepare(page) {
      await page.evaluate(() => window.fake.intend({ kind: "ask_quit", processes: 3 }));
      await page.getByTestId("quit").waitFor();
    },
  },
  {
    name: "gateway-away",
    scene: "calm",
    session: "release",
    calm: true,
    async prepare(page) {
      await page.evaluate(() => {
        window.fake.away = true;
        window.fake.gateway.patchSession("docker", { unread: 1 });
      });
      await page.getByText(/^Gateway not answering, retrying in/).waitFor();
      // The seconds between two tries grow, so the picture waits until their words stand.
      await settled(page);
    },
  },
  { name: "gateway-never", scene: "away", ready: ".status-cell.fail", calm: true, prepare: (page) => page.getByText(/^Gateway not answering, retrying in/).waitFor() },
  { name: "data-refused", scene: "refused", ready: ".status-cell.fail", calm: true, prepare: (page) => page.getByRole("button", { name: "Show the backups" }).waitFor() },
  {
    name: "profiles",
    scene: "profiles",
    session: "release",
    calm: true,
    wide: true,
    prepare: openProfiles,
  },
  {
    name: "overlay-profiles",
    scene: "profiles",
    session: "release",
    calm: true,
    narrow: true,
    async prepare(page) {
      await page.getByRole("button", { name: /^Show sessions/ }).click();
      await openProfiles(page);
    },
  },
  {
    name: "profile-new",
    scene: "profiles",
    session: "release",
    calm: true,
    ink: 1,
    async prepare(page) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("new profile");
      await page.keyboard.press("Enter");
      await page.getByTestId("profile-name").fill("personal");
      await page.keyboard.press("Enter");
      await page.getByText("There is a profile personal already").waitFor();
    },
  },
  {
    name: "profile-refused",
    scene: "profiles",
    profile: "archive",
    ready: ".status-cell.fail",
    calm: true,
    prepare: (page) => page.getByRole("button", { name: "Show the backups" }).waitFor(),
  },
  {
    name: "profile-first",
    scene: "profiles",
    profile: "lab",
    calm: true,
    ink: 1,
    prepare: (page) => page.getByTestId("first-run-server-ollama").waitFor(),
  },
  {
    name: "overlay-sidebar",
    ...EVERYTHING,
    narrow: true,
    prepare: (page) => page.getByRole("button", { name: /^Show sessions/ }).click(),
  },
  {
    name: "overlay-rail",
    ...EVERYTHING,
    narrow: true,
    prepare: (page) => page.getByRole("button", { name: "Show processes" }).click(),
  },
  {
    name: "overlay-rooms",
    scene: "rooms",
    session: "docker",
    calm: true,
    narrow: true,
    async prepare(page) {
      await page.keyboard.press("Control+,");
      await page.getByRole("button", { name: "Show sections" }).click();
    },
  },
];
