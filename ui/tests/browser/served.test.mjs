// Several profiles of the real server in a real browser.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startServer } from "./server.mjs";
import { until, withPage } from "./window.mjs";

const DAMAGED = "damaged";

let server;

before(async () => {
  server = await startServer((home) => {
    const dir = join(home, "profiles", DAMAGED);
    mkdirSync(dir, { recursive: true });
    writeFileSync(join(dir, "gatehouse.db"), "no database at all, but long enough to be looked at".repeat(100));
  });
  await server.ask("create_profile", { name: "work" });
  await server.ask("create_session", { title: "Orders" });
  await server.ask("create_session", { title: "Figures" }, "work");
});

after(() => server?.end());

const open = (profile, test, options) => withPage(`${server.url}/#token=${server.token}${profile === undefined ? "" : `&profile=${profile}`}`, test, options);
const titled = (page, words) => page.getByRole("heading", { level: 1, name: words }).waitFor();
const rows = (page) => page.locator(".session-row .session-title").allTextContents();
const named = (page, name) => until(page, (wanted) => document.querySelector("[data-testid=profile]")?.textContent === wanted, name);

async function goTo(page, name) {
  await page.getByTestId("profile").click();
  await page.locator(`[data-profile="${name}"]`).click();
  await named(page, name);
}

describe("profiles of a server", () => {
  it("are changed in the window, and neither rows nor drafts of one are seen in the other", () =>
    open(undefined, async (page) => {
      await titled(page, "Orders");
      await page.locator(".composer-text").fill("about the orders");
      await goTo(page, "work");
      await titled(page, "Figures");
      assert.deepEqual(await rows(page), ["Figures"]);
      assert.equal(await page.locator(".composer-text").inputValue(), "");
      await page.locator(".composer-text").fill("!echo from work");
      await page.keyboard.press("Enter");
      await page.locator("[data-process-id]", { hasText: "echo from work" }).first().waitFor();
      await goTo(page, "default");
      await titled(page, "Orders");
      assert.deepEqual(await rows(page), ["Orders"]);
      assert.equal(await page.locator("[data-process-id]").count(), 0);
      await until(page, () => document.querySelector(".composer-text").value === "about the orders");
      const { sessions } = await server.ask("list_sessions");
      assert.deepEqual(sessions.map(({ title }) => title), ["Orders"]);
    }));

  it("are opened from an address, and one that is not there is told and not insisted on", async () => {
    await open("work", async (page) => {
      await titled(page, "Figures");
      await named(page, "work");
    });
    const sentAway = async (page) => {
      await page.getByText("There is no profile").waitFor();
      await page.getByRole("button", { name: "Open again" }).click();
      await titled(page, "Orders");
    };
    await open("nowhere", sentAway, { ready: ".status-cell.fail" });
  });

  it("tell of one that cannot be opened, and the others go on", () =>
    open(undefined, async (page) => {
      await titled(page, "Orders");
      await page.getByTestId("profile").click();
      await page.locator(`[data-profile=${DAMAGED}]`, { hasText: "Not opened." }).click();
      await named(page, DAMAGED);
      await page.getByText("Gatehouse cannot use its data").waitFor();
      assert.deepEqual(await rows(page), []);
      await goTo(page, "work");
      await titled(page, "Figures");
    }));

  it("are made by a name, and are empty and ready", () =>
    open(undefined, async (page) => {
      await titled(page, "Orders");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("new profile");
      await page.keyboard.press("Enter");
      await page.getByTestId("profile-name").fill("Work");
      await page.keyboard.press("Enter");
      await page.getByText("There is a profile").waitFor();
      await page.getByTestId("profile-name").fill("lab");
      await page.keyboard.press("Enter");
      await page.getByTestId("first-run").waitFor();
      await named(page, "lab");
      await page.getByTestId("first-run-skip").click();
      await page.getByTestId("first-run-start").click();
      await page.locator(".composer-text").fill("!echo ready");
      await page.keyboard.press("Enter");
      await page.locator("[data-process-id]", { hasText: "echo ready" }).first().waitFor();
      assert.equal((await rows(page)).length, 1);
    }));
});
