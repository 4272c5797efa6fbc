// What could not be told, and conversations that end: the walks through them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { amber } from "./looks.mjs";
import { until, withWindow } from "./window.mjs";

const INCIDENTS = { scene: "incidents", session: "release" };
const cell = (page) => page.getByTestId("incidents-open");
const row = (page, id) => page.locator(`[data-incident=${id}]`);
const calls = (page, command) => page.evaluate((name) => window.fake.calls.filter((call) => call.command === name).map((call) => call.params), command);

test("a report is delivered from the status bar on, its row goes, and it stands in the conversation", async () => {
  await withWindow(INCIDENTS, async (page) => {
    await cell(page).click();
    assert.deepEqual(await page.locator("[data-incident]").evaluateAll((rows) => rows.map((one) => one.dataset.incident)), ["gone", "held", "stop", "config", "restored"]);
    await row(page, "gone").getByRole("button", { name: "Deliver here" }).click();
    await row(page, "gone").waitFor({ state: "detached" });
    assert.deepEqual(await calls(page, "deliver_unit"), [{ unitId: "unit-gone", sessionId: "release" }]);
    // Whoever worked in the list stays in it.
    await until(page, () => document.activeElement?.dataset.incident === "held");
    await page.locator(".item-row", { hasText: "npm run e2e-tests" }).waitFor();
    await row(page, "held").getByRole("button", { name: "Dismiss" }).click();
    await row(page, "held").waitFor({ state: "detached" });
    assert.equal((await cell(page).innerText()).trim(), "3 incidents");
    // What failed is told, and nobody has to decide anything any more.
    assert.deepEqual(await amber(page), []);
    await page.keyboard.press("Escape");
    await page.getByTestId("incidents").waitFor({ state: "detached" });
  });
});

test("the keys alone deliver a report elsewhere", async () => {
  await withWindow(INCIDENTS, async (page) => {
    await page.locator(".composer-text").focus();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("show incidents");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.dataset.incident === "gone");
    await page.keyboard.press("ArrowDown");
    await until(page, () => document.activeElement?.dataset.incident === "held");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.textContent), "Deliver elsewhere");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.matches(".incident-place"));
    await page.keyboard.press("ArrowDown");
    const title = await page.evaluate(() => document.activeElement.querySelector(".cut").textContent);
    await page.keyboard.press("Enter");
    await row(page, "held").waitFor({ state: "detached" });
    const [{ sessionId }] = await calls(page, "deliver_unit");
    assert.equal(await page.evaluate((id) => window.fake.gateway.sessions.get(id).title, sessionId), title);
    await page.keyboard.press("Escape");
    await until(page, () => document.activeElement?.matches(".composer-text"));
  });
});

test("an incident of the gateway comes and goes by itself", async () => {
  await withWindow({ scene: "calm", session: "release" }, async (page) => {
    assert.equal(await cell(page).count(), 0);
    const set = (incidents) => page.evaluate((given) => window.fake.gateway.setIncidents(given), incidents);
    await set([{ incidentId: "full", cause: "disk_full", subject: "backup", detail: "There is no space left on the disk.", atMs: Date.now() }]);
    await cell(page).click();
    await page.getByText("No backup was made").waitFor();
    assert.deepEqual(await amber(page), []);
    await set([]);
    await page.getByText("Nothing was dropped, and nothing waits to be mended.").waitFor();
    assert.equal(await cell(page).count(), 0);
  });
});

test("a stop that failed leads to its process, a fault of the settings to them", async () => {
  await withWindow(INCIDENTS, async (page) => {
    await cell(page).click();
    await row(page, "stop").getByRole("button", { name: "Open process" }).click();
    await page.locator(".detail", { hasText: "photo-index" }).waitFor();
    assert.equal(await page.getByTestId("incidents").count(), 0);
    await cell(page).click();
    await row(page, "config").getByRole("button", { name: "Open settings" }).click();
    await page.getByTestId("settings").waitFor();
    assert.equal(await page.locator("h1").innerText(), "About and logs");
  });
});

test("/new goes on in another conversation; the one before says where", async () => {
  await withWindow({ scene: "calm", session: "release" }, async (page) => {
    await page.locator(".composer-text").click();
    await page.keyboard.type("/new");
    await page.keyboard.press("Enter");
    await until(page, () => document.querySelector("h1")?.textContent === "New session");
    await until(page, () => document.activeElement?.matches(".composer-text"));
    const [old] = await calls(page, "send_message");
    assert.deepEqual([old.sessionId, old.text], ["release", "/new"]);
    const before = page.locator('[data-session-id="release"]');
    assert.equal(await before.getAttribute("data-group"), "earlier");
    await before.click();
    await page.getByText("This session ended. A new one began in its place.").waitFor();
    assert.equal(await page.locator(".composer-text").count(), 0);
    await page.getByRole("button", { name: "Open the new one" }).click();
    await until(page, () => document.querySelector("h1")?.textContent === "New session");
  });
});

test("a conversation is closed from its menu, and writing opens it again", async () => {
  await withWindow({ scene: "calm", session: "release" }, async (page) => {
    await page.locator('[data-session-id="release"]').click({ button: "right" });
    await page.getByRole("menuitem", { name: "Close session" }).click();
    await page.getByTestId("closed").waitFor();
    await page.locator(".composer-text").click();
    await page.keyboard.type("one more thing");
    await page.keyboard.press("Enter");
    await page.getByTestId("closed").waitFor({ state: "detached" });
    await page.locator(".item-row", { hasText: "one more thing" }).waitFor();
  });
});

test("words that a full queue does not take stay in the composer", async () => {
  await withWindow({ scene: "demo", session: "orders" }, async (page) => {
    await page.evaluate(() => {
      const queued = Array.from({ length: 32 }, (_, at) => ({ admissionId: `q${at}`, text: `waits ${at}`, atMs: Date.now() }));
      window.fake.gateway.patchSession("orders", { queued });
    });
    await page.locator(".composer-text").click();
    await page.keyboard.type("one too many");
    await page.keyboard.press("Enter");
    await page.locator(".unsent", { hasText: "Not sent: too many messages wait." }).waitFor();
    assert.equal(await page.locator(".composer-text").inputValue(), "one too many");
  });
});

test("where the data cannot be opened, a backup is put in its place", async () => {
  await withWindow({ scene: "refused", ready: ".status-cell.fail" }, async (page) => {
    await page.getByText("Gatehouse cannot use its data").waitFor();
    await page.getByRole("button", { name: "Show the backups" }).click();
    await page.getByRole("button", { name: /^Restore the backup/ }).first().click();
    await page.getByRole("group").getByRole("button", { name: "Restore" }).click();
    await page.locator(".status-bar", { hasText: "Gateway running" }).waitFor();
    await page.locator('[data-session-id="release"]').waitFor();
  });
});

test("a backup is made, and a restore is asked twice", async () => {
  await withWindow({ scene: "rooms", session: "docker" }, async (page) => {
    await page.keyboard.press("Control+,");
    await page.getByTestId("settings-nav-data").click();
    const backups = page.locator("[data-row=set-backups] li");
    await backups.nth(2).waitFor();
    await page.getByTestId("backup-now").click();
    await backups.nth(3).waitFor();
    await backups.nth(3).getByRole("button", { name: /^Restore the backup/ }).click();
    assert.deepEqual(await calls(page, "restore_backup"), []);
    await page.getByRole("button", { name: "Restore and restart" }).click();
    await page.getByText("Gatehouse restarts and restores it.").waitFor();
    assert.equal((await calls(page, "restore_backup")).length, 1);
    assert.equal((await calls(page, "restart_gateway")).length, 1);
    await page.evaluate(() => window.fake.gateway.renewEpoch());
    await page.getByText("Gatehouse restarts and restores it.").waitFor({ state: "detached" });
  });
});
