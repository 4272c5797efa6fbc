// Everything by keys alone: each action of the palette, each row of the map of the keys, and where the focus goes.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

const EVERYTHING = { scene: "everything", session: "orders" };

const called = (command, part = {}) => (page) =>
  until(page, ([name, wanted]) => window.fake.calls.some((call) => call.command === name && Object.entries(wanted).every(([key, value]) => call.params[key] === value)), [command, part]);
const asked = (words) => (page) => until(page, (wanted) => window.fake.asked.includes(wanted), words);
const shown = (testid) => (page) => page.getByTestId(testid).waitFor();
const gone = (selector) => (page) => page.locator(selector).waitFor({ state: "detached" });
const focused = (selector) => (page) => until(page, (wanted) => document.activeElement?.matches(wanted) === true, selector);
const titled = (words) => (page) => page.getByRole("heading", { level: 1, name: words }).waitFor();
const setTo = (key, value) => called("set_setting", { key, value });

/** What happens after each action, by its id; an id that none of them fits has no test. The rest of the id is handed on. */
const ACTIONS = [
  ["stop-turn", () => called("stop_turn", { sessionId: "orders", turnId: "turn-12" })],
  ["new-session", () => called("create_session")],
  ["next-needed", () => titled("Renew the staging certificate")],
  ["mute-session", () => called("set_muted", { sessionId: "orders", muted: true })],
  ["find-here", () => focused(".find-field")],
  ["copy-session", () => called("export_session", { sessionId: "orders" })],
  ["session-anew", () => called("send_message", { sessionId: "orders", text: "/new" })],
  ["close-session", () => called("close_session", { sessionId: "orders" })],
  ["archive-session", () => called("update_session", { sessionId: "orders", earlier: true })],
  ["stop-processes", () => called("stop_process", { processId: "web" })],
  ["restart", () => called("restart_gateway")],
  ["restart-", (processId) => called("restart_process", { processId })],
  ["port-", (port) => (page) => until(page, (wanted) => window.fake.opened.includes(`http://127.0.0.1:${wanted}`), port.split("-").at(-1))],
  ["stop-", (processId) => called("stop_process", { processId })],
  ["sidebar", () => gone(".pane-sidebar")],
  ["rail", () => gone(".pane-rail")],
  ["processes", () => focused(".process-row")],
  ["density", () => called("set_setting", { key: "look.density" })],
  ["key-map", () => shown("key-map")],
  ["new-window", () => asked("open_window")],
  ["quit", () => shown("quit")],
  ["new-profile", () => shown("new-profile")],
  ["notices", () => shown("notices")],
  ["incidents", () => shown("incidents")],
  ["read-all", () => called("mark_notices_read")],
  ["quiet", () => called("set_quiet")],
  ["settings", () => shown("settings")],
  ["ask", () => setTo("agent.approvals", "ask")],
  ["risky", () => setTo("agent.approvals", "risky")],
  ["theme-", (theme) => setTo("look.theme", theme)],
  ["model-", (model) => setTo("agent.model", model)],
  ["session-", (sessionId) => (page) => until(page, (wanted) => sessionStorage.getItem("gatehouse.session") === wanted, sessionId)],
  ["process-", () => (page) => page.locator(".detail").waitFor()],
  ["settings-", (room) => (page) => page.locator(`[data-testid=settings-nav-${room}][aria-current=page]`).waitFor()],
  ["hit-", () => (page) => page.locator("[data-target=true], .item-row:focus, .item-target").first().waitFor()],
];

function checkOf(id) {
  const exact = ACTIONS.find(([name]) => name === id);
  if (exact !== undefined) return exact;
  const fits = ACTIONS.filter(([name]) => name.endsWith("-") && id.startsWith(name));
  return fits.toSorted((a, b) => b[0].length - a[0].length)[0];
}

/** Words that bring every kind of line. */
const QUERIES = ["", "settings", "npm", "certbot", "photo", "fixtures", "theme", "ask"];

async function openPalette(page) {
  await page.keyboard.press("Control+k");
  await page.locator("[data-action^=model-]").first().waitFor();
}

/** Every line of the palette: its words, what one types for them, and why it cannot be done. */
async function linesOf(page) {
  const lines = new Map();
  await openPalette(page);
  for (const query of QUERIES) {
    await page.locator(".palette-input").fill(query);
    if (query === "fixtures") await page.locator("[data-action^=hit-]").first().waitFor();
    const found = await page.locator("[data-action]").evaluateAll((rows) => rows.map((row) => [row.dataset.action, row.querySelector(".cut").textContent]));
    for (const [id, title] of found) if (!lines.has(id)) lines.set(id, { title, query: id.startsWith("hit-") ? query : title });
  }
  await page.keyboard.press("Escape");
  return lines;
}

/** Keeps the scene, so that each action finds it as it was. */
function keep() {
  const { gateway, settings } = window.fake;
  const held = { sessions: [...gateway.sessions.values()], processes: [...gateway.processes.values()], items: [...gateway.items.values()].flat(), settings: settings.settings };
  window.reset = ({ rests = false, ...more }) => {
    gateway.setRestarting(null);
    for (const id of gateway.sessions.keys()) if (!held.sessions.some((row) => row.sessionId === id)) gateway.sessions.delete(id);
    for (const session of held.sessions) gateway.putSession(rests ? { ...session, runningTurnId: undefined } : session);
    for (const process of held.processes) gateway.putProcess(process);
    for (const item of held.items) gateway.putItem(item);
    gateway.quietUntilMs = null;
    settings.settings = { ...held.settings, ...more, look: { ...held.settings.look, ...more.look } };
    gateway.touchSettings();
    window.fake.intend({ kind: "show", sessionId: "orders" });
    window.fake.calls.length = 0;
    window.fake.asked.length = 0;
  };
}

/** Other settings than the usual, and no turn at work: what is so already cannot be done, and some things wait. */
const OTHERWISE = { rests: true, approvals: "off", model: "nobody/none", look: { theme: "none" } };

async function choose(page, id, query) {
  await page.locator(".palette-input").fill(query);
  await page.locator(`[data-action="${id}"]`).waitFor();
  const many = await page.locator("[data-action]").count();
  const row = page.locator(`[data-action="${id}"]`);
  for (let at = 0; at < many && (await row.getAttribute("aria-selected")) !== "true"; at += 1) await page.keyboard.press("ArrowDown");
  return (await row.getAttribute("aria-disabled")) === "true";
}

async function runLine(page, id, query) {
  await page.evaluate((more) => window.reset(more), {});
  await titled("Orders on the new database")(page);
  await openPalette(page);
  if (await choose(page, id, query)) {
    assert.notEqual(await page.locator(`[data-action="${id}"] .palette-why`).textContent(), "", `${id} does not say why`);
    await page.keyboard.press("Enter");
    assert.ok(await page.getByTestId("palette").isVisible(), `${id} cannot be done, and closed the palette`);
    await page.keyboard.press("Escape");
    await page.evaluate((more) => window.reset(more), OTHERWISE);
    await openPalette(page);
    await until(page, (name) => document.querySelector(`[data-action="${name}"]`)?.getAttribute("aria-disabled") !== "true", id);
    assert.equal(await choose(page, id, query), false, `${id} can never be done`);
  }
  await page.keyboard.press("Enter");
  const [name, check] = checkOf(id);
  await check(id.slice(name.length))(page);
  await gone("[data-testid=palette]")(page);
  // Whatever was opened is closed again by what opened it, or by Escape.
  if (id === "sidebar" || id === "rail") await page.keyboard.press(id === "sidebar" ? "Control+b" : "Control+j");
  else if ((await page.locator("dialog[open], [data-testid=notices], [data-testid=incidents], [data-testid=find], [data-testid=settings]").count()) > 0) await page.keyboard.press("Escape");
  if (id !== "archive-session") await until(page, () => document.querySelector("dialog[open]") === null);
}

/** What each row of the map does, by its words. */
const ROWS = {
  "Find an action, a session, or words": shown("palette"),
  "Find in this session": focused(".find-field"),
  "Find in every session": shown("palette"),
  "New session": called("create_session"),
  "Next that needs you, then next unread": titled("Renew the staging certificate"),
  "Sessions shown or folded": gone(".pane-sidebar"),
  "Processes shown or folded": gone(".pane-rail"),
  "Go to the processes": focused(".process-row"),
  "How much of a turn is open": called("set_setting", { key: "look.density" }),
  Settings: shown("settings"),
  "These keys": shown("key-map"),
  "Next pane": focused(".pane-sidebar *"),
  "Close what is open, else stop the turn": called("stop_turn", { sessionId: "orders", turnId: "turn-12" }),
  "Session by its place": titled("Orders on the new database"),
  "Send, or queue while a turn runs": called("send_message", { text: "one", mode: "queue" }),
  "New line": (page) => until(page, () => document.querySelector(".composer-text").value === "one\n" && !window.fake.calls.some((call) => call.command === "send_message")),
  "Steer the running turn now": called("send_message", { text: "one", mode: "steer" }),
  "Allow once": called("answer_approval", { choice: "once" }),
  "Allow this session": called("answer_approval", { choice: "session" }),
  Deny: called("answer_approval", { choice: "deny" }),
  "Next process": (page) => until(page, () => document.activeElement?.closest("[data-process-id]")?.dataset.processId === "photo-index"),
  "Process before": focused("[data-process-id=certbot] .process-row"),
  "Go into its output": focused(".output"),
  "Close its view": gone(".detail"),
  Stop: called("stop_process", { processId: "web", force: false }),
  "Kill at once": called("stop_process", { processId: "web", force: true }),
  "Restart, or run again": called("restart_process", { processId: "web", force: false }),
  "Restart without waiting": called("restart_process", { processId: "web", force: true }),
  "Type a line": focused(".type-line input"),
  "Follow the end, or pause": (page) => page.locator(".output-follow").waitFor(),
  "Find a process": focused(".process-find input"),
  "Open its port": (page) => until(page, () => window.fake.opened.includes("http://127.0.0.1:5173")),
  "Copy its command": (page) => until(page, () => window.copied === "npm run dev -- --port 5173"),
  "Mute, or unmute": called("set_muted", { sessionId: "orders", muted: true }),
  "Fill the window": (page) => page.locator(".detail-whole[open]").waitFor(),
};

const LIST = "In the list of processes";

/** The row that a letter of the list is to act on has the focus. */
async function enterList(page, words) {
  const row = page.locator(".process-list [data-process-id=web] .process-row");
  if (words === "Close its view") await row.click();
  await row.focus();
}

async function leaveList(page) {
  if ((await page.locator(".detail-whole, .process-find").count()) > 0) await page.keyboard.press("Escape");
  await page.locator(".detail-whole, .process-find").waitFor({ state: "detached" });
  if ((await page.locator(".detail").count()) === 0) return;
  await page.locator(".process-list .process-row").first().focus();
  await page.keyboard.press("Escape");
  await page.locator(".detail").waitFor({ state: "detached" });
}

const pressOf = (words) => /^[A-Z]$/.test(words) ? words.toLowerCase() : (words === "Ctrl 1 - 9" ? "Control+2" : words.replace("Ctrl", "Control").replace("Esc", "Escape").replaceAll(" ", "+"));

async function rowsOfMap(page) {
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("?");
  await page.getByTestId("key-map").waitFor();
  return page.locator("[data-testid=key-map] .set").evaluateAll((rows) => rows.map((row) => [row.querySelector("dt").textContent, row.querySelector("kbd").textContent, row.closest("section").getAttribute("aria-label")]));
}

/** The question counts presses once it has been seen whole for a while, wherever rows that come have scrolled it. */
async function questionHeard(page) {
  await until(page, () => {
    const question = document.querySelector(".approval");
    question?.scrollIntoView({ block: "nearest" });
    return question?.dataset.armed === "true";
  });
}

describe("by keys", { concurrency: 3 }, () => {
  it("does every action of the palette", async () => {
    await withWindow(EVERYTHING, async (page) => {
      await page.locator(".approval").waitFor();
      await page.evaluate(keep);
      const lines = await linesOf(page);
      assert.deepEqual([...lines.keys()].filter((id) => checkOf(id) === undefined), [], "these have no check");
      const idle = ACTIONS.filter((action) => ![...lines.keys()].some((id) => checkOf(id) === action)).map(([name]) => name);
      assert.deepEqual(idle, [], "these checks fit no line");
      for (const [id, { query }] of lines) {
        await runLine(page, id, query).catch((reason) => assert.fail(`${id}: ${reason.message}`));
      }
      console.log(`# ${lines.size} lines of the palette were run`);
    });
  });

  it("has a check for every row of the map, and every row does what it says", async () => {
    let rows = [];
    await withWindow(EVERYTHING, async (page) => {
      rows = await rowsOfMap(page);
    });
    assert.deepEqual(rows.map(([words]) => words).toSorted(), Object.keys(ROWS).toSorted());
    await withWindow(EVERYTHING, async (page) => {
      await page.evaluate(keep);
      await page.evaluate(() => {
        navigator.clipboard.writeText = (words) => Promise.resolve(void (window.copied = words));
      });
      for (const [words, press, group] of rows) {
        await page.evaluate((more) => window.reset(more), {});
        await titled("Orders on the new database")(page);
        if (group === LIST) {
          await enterList(page, words);
          await page.keyboard.press(pressOf(press));
          await ROWS[words](page);
          await leaveList(page);
          continue;
        }
        if (press.startsWith("Alt")) await questionHeard(page);
        const field = page.locator(".composer-text");
        if (press.endsWith("Enter")) await field.fill("one");
        else await page.evaluate(() => document.activeElement?.blur());
        await page.keyboard.press(pressOf(press));
        await ROWS[words](page);
        if (words.endsWith("folded")) await page.keyboard.press(pressOf(press));
        else if ((await page.locator("dialog[open], [data-testid=palette], [data-testid=settings], [data-testid=find]").count()) > 0) await page.keyboard.press("Escape");
        if (press.endsWith("Enter")) await field.fill("");
      }
      console.log(`# ${rows.length} rows of the map of the keys were pressed`);
    });
  });

  it("leaves a question mark that is written to the text", async () => {
    await withWindow(EVERYTHING, async (page) => {
      await page.locator(".composer-text").focus();
      await page.keyboard.type("Why?");
      assert.equal(await page.locator(".composer-text").inputValue(), "Why?");
      assert.equal(await page.getByTestId("key-map").count(), 0);
    });
  });

  it("does nothing behind the palette or a dialog", async () => {
    await withWindow(EVERYTHING, async (page) => {
      const quiet = () => page.evaluate(() => window.fake.calls.filter((call) => ["stop_turn", "create_session", "answer_approval", "set_setting"].includes(call.command)));
      await page.locator(".approval[data-armed=true]").waitFor();
      for (const open of [() => page.keyboard.press("Control+k"), () => page.evaluate(() => window.fake.intend({ kind: "ask_quit", processes: 2 }))]) {
        await open();
        await page.locator("[data-testid=palette], dialog[open]").waitFor();
        for (const press of ["Control+n", "Control+o", "Control+b", "Alt+y", "Alt+n"]) await page.keyboard.press(press);
        await page.keyboard.press("Escape");
        await page.locator("[data-testid=palette], dialog[open]").waitFor({ state: "detached" });
        await settled(page);
        assert.deepEqual(await quiet(), []);
        assert.equal(await page.locator(".pane-sidebar").count(), 1);
      }
    });
  });
});

/** What takes the focus: how it is opened, and every way in which it closes. */
const OVERLAYS = [
  ["the palette", (page) => page.keyboard.press("Control+k"), "[data-testid=palette]", ["Escape", "Tab", ".palette-scrim"]],
  ["the notices", (page) => page.getByTestId("bell").click(), "[data-testid=notices]", ["Escape", ".notices-away"]],
  ["the palette over the notices", (page) => page.getByTestId("bell").click().then(() => page.keyboard.press("Control+k")), "[data-testid=palette]", ["Escape"]],
  ["the keys", (page) => page.evaluate(() => document.querySelector(".find").focus()).then(() => page.keyboard.press("?")), "[data-testid=key-map]", ["Escape", "[data-testid=key-map] button"]],
  ["the question before a quit", (page) => page.evaluate(() => window.fake.intend({ kind: "ask_quit", processes: 2 })), "[data-testid=quit]", ["Escape", "[data-testid=quit-cancel]"]],
  ["the model menu", (page) => page.getByRole("button", { name: /^Model:/ }).click(), "[role=menu]", ["Escape"]],
  ["find", (page) => page.keyboard.press("Control+f"), "[data-testid=find]", ["Escape"]],
  ["the settings", (page) => page.keyboard.press("Control+,"), "[data-testid=settings]", ["Escape", "[data-testid=settings-back]"]],
];

describe("Escape", { concurrency: 3 }, () => {
  it("closes what is open before it stops the turn, wherever the focus is", async () => {
    await withWindow(EVERYTHING, async (page) => {
      const stops = () => page.evaluate(() => window.fake.calls.filter((call) => call.command === "stop_turn").length);
      const nowhere = () => page.evaluate(() => document.activeElement?.blur());
      await page.locator(".main-head").getByRole("button", { name: /^Stop/ }).waitFor();
      for (const [open, selector] of [
        [() => page.getByTestId("bell").click(), "[data-testid=notices]"],
        [() => page.keyboard.press("Control+f"), "[data-testid=find]"],
        [() => page.getByRole("button", { name: /^Model:/ }).click(), "[role=menu]"],
      ]) {
        await open();
        await page.locator(selector).waitFor();
        await nowhere();
        await page.keyboard.press("Escape");
        await page.locator(selector).waitFor({ state: "detached" });
        assert.equal(await stops(), 0, `Escape stopped the turn behind ${selector}`);
      }
      await nowhere();
      await page.keyboard.press("Escape");
      await called("stop_turn", { sessionId: "orders" })(page);
    });
  });

  it("leaves the whole-window output for the button that filled it", async () => {
    await withWindow(EVERYTHING, async (page) => {
      await page.locator("[data-process-id=web] .process-row").click();
      for (const way of ["Escape", "[data-zoom]"]) {
        await page.locator(".detail [data-zoom]").click();
        await page.locator(".detail-whole[open]").waitFor();
        if (way === "Escape") await page.keyboard.press(way);
        else await page.locator(way).click();
        await page.locator(".detail-whole").waitFor({ state: "detached" });
        await focused("[data-zoom]")(page);
      }
      assert.deepEqual(await page.evaluate(() => window.fake.calls.filter((call) => call.command === "stop_turn")), []);
    });
  });
});

describe("the focus", { concurrency: 3 }, () => {
  it("goes into what opens, and back", async () => {
    await withWindow(EVERYTHING, async (page) => {
      for (const [name, open, selector, ways] of OVERLAYS) {
        for (const way of ways) {
          await page.locator(".composer-text").focus();
          await open(page);
          await page.locator(selector).waitFor();
          await until(page, (wanted) => document.activeElement?.closest(`${wanted}, .set-nav`) != null, selector);
          if (way.startsWith("[") || way.startsWith(".")) await page.locator(way).first().click({ position: { x: 5, y: 5 } });
          else await page.keyboard.press(way);
          await page.locator(selector).waitFor({ state: "detached" });
          await settled(page);
          assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY", `${way} out of ${name} left the focus nowhere`);
        }
      }
    });
  });

  it("goes into a pane that lies over the transcript, and back", async () => {
    await withWindow({ ...EVERYTHING, viewport: { width: 720, height: 900 } }, async (page) => {
      for (const [button, pane] of [
        [/^Show sessions/, ".pane-sidebar"],
        ["Show processes", ".pane-rail"],
      ]) {
        await page.getByRole("button", { name: button }).click();
        await until(page, (wanted) => document.activeElement?.closest(wanted) != null, pane);
        await page.keyboard.press("Escape");
        await gone(pane)(page);
        await settled(page);
        assert.notEqual(await page.evaluate(() => document.activeElement?.tagName), "BODY", `${pane} left the focus nowhere`);
      }
    });
  });

  it("has one stop in each list", async () => {
    await withWindow(EVERYTHING, async (page) => {
      const stops = (list, row) => page.evaluate(([inside, wanted]) => [...document.querySelectorAll(`${inside} ${wanted}`)].filter((node) => node.tabIndex >= 0).length, [list, row]);
      assert.equal(await stops(".session-list", ".session-row"), 1);
      assert.equal(await stops(".rail-tabs", "[role=tab]"), 1);
      assert.equal(await stops(".pane-rail", ".process-row"), 1);
      await page.getByTestId("bell").click();
      assert.equal(await stops(".notices", "[data-notice]"), 1);
      await page.keyboard.press("Escape");
      await page.keyboard.press("Control+,");
      assert.equal(await stops(".set-rooms", ".set-room"), 1);
    });
  });

  it("goes round the panes by F6, and the other way with Shift", async () => {
    await withWindow(EVERYTHING, async (page) => {
      const place = () => page.evaluate(() => [".pane-sidebar", ".scroll", ".dock", ".pane-rail"].find((pane) => document.activeElement?.closest(pane) != null) ?? "nowhere");
      const walk = async (press) => {
        const seen = [];
        for (let at = 0; at < 4; at += 1) {
          await page.keyboard.press(press);
          seen.push(await place());
        }
        return seen;
      };
      await page.locator(".session-row").first().focus();
      assert.deepEqual(await walk("F6"), [".scroll", ".dock", ".pane-rail", ".pane-sidebar"]);
      assert.deepEqual(await walk("Shift+F6"), [".pane-rail", ".dock", ".scroll", ".pane-sidebar"]);
    });
  });
});
