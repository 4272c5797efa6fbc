import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

const ORDERS = { scene: "demo", session: "orders" };

const calls = (page, command) => page.evaluate((name) => window.fake.calls.filter((call) => call.command === name).map((call) => call.params), command);
const queue = (page, ...texts) =>
  page.evaluate((all) => window.fake.gateway.patchSession("orders", { queued: all.map((text) => ({ admissionId: text, text, atMs: Date.now() })) }), texts);
const order = (page) => page.locator("[data-admission-id] .queue-text").allTextContents();

test("a question is answered for the session with its key, and its row says so in every window", async () => {
  await withWindow(ORDERS, async (page) => {
    await page.locator(".approval[data-armed=true]").waitFor();
    await page.keyboard.press("Alt+Shift+Y");
    await page.getByText(/^Allowed for this session by you, \d\d:\d\d$/).waitFor();
    assert.deepEqual(await calls(page, "answer_approval"), [{ approvalId: "approval-1", choice: "session" }]);
  });
});

test("a question in the notices catches no press that was meant for another", async () => {
  // Nothing else is listed, so that the list grows.
  await withWindow({ scene: "million", session: "million" }, async (page) => {
    const answers = () => page.evaluate(() => window.fake.calls.filter((call) => call.command === "answer_approval").map((call) => call.params.approvalId));
    const ask = (id) =>
      page.evaluate((approvalId) => {
        window.fake.gateway.putItem({
          itemId: approvalId, approvalId, sessionId: "other", author: "system", kind: "approval", state: "pending", choices: ["once", "deny"], command: `rm  -rf ./${approvalId}`, cwd: "/srv/shop", dangers: ["It deletes files."],
          atMs: Date.now(), streaming: false,
        });
      }, id);
    await ask("first");
    await page.getByTestId("bell").click();
    const row = (id) => page.locator(`.notices [data-approval=${id}]`);
    await page.locator(".notices [data-approval=first][data-armed=true]").waitFor();
    const { x, y, width, height } = await row("first").getByRole("button", { name: "Allow once" }).boundingBox();
    const before = await answers();
    // The list grows upwards: whatever stands at this place then, it came there only just now. The page itself presses,
    // since nobody else is sure to be as quick.
    const pressed = page.evaluate(
      ([left, top]) =>
        new Promise((done) => {
          function press() {
            if (document.querySelector(".notices [data-approval=second]") === null) return requestAnimationFrame(press);
            document.elementFromPoint(left, top).click();
            return done();
          }
          press();
        }),
      [x + width / 2, y + height / 2],
    );
    await ask("second");
    await pressed;
    await settled(page);
    assert.deepEqual(await answers(), before);
    await page.locator(".notices [data-approval=second][data-armed=true]").waitFor();
    await row("first").getByRole("button", { name: "Deny" }).click();
    await page.locator(".notices [data-approval=first][data-armed=true]").waitFor();
    await row("first").getByRole("button", { name: "Deny" }).dblclick();
    await row("first").waitFor({ state: "detached" });
    await settled(page);
    assert.deepEqual(await answers(), [...before, "first"]);
  });
});

test("a long question is read to its end and answered in the notices, in a window of any size", async () => {
  const lines = Array.from({ length: 40 }, (_, line) => `psql -c "update orders set total = total * 100 where line = ${line}" && \\`);
  for (const viewport of [{ width: 1280, height: 800 }, { width: 480, height: 520 }]) {
    await withWindow({ scene: "million", session: "million", viewport }, async (page) => {
      await page.evaluate((command) => {
        window.fake.gateway.putItem({
          itemId: "long", approvalId: "long", sessionId: "other", author: "system", kind: "approval", state: "pending", choices: ["once", "deny"], command, cwd: "/srv/shop", dangers: ["It may change data."],
          purpose: "The totals were written in whole units and are to be in cents. ".repeat(3).trim(), atMs: Date.now(), streaming: false,
        });
      }, [...lines, "true"].join("\n"));
      await page.getByTestId("bell").click();
      const row = page.locator(".notices [data-approval=long]");
      await page.locator(".notices [data-approval=long][data-armed=true]").waitFor();
      const allow = row.getByRole("button", { name: "Allow once" });
      await allow.click({ force: true });
      await settled(page);
      assert.deepEqual(await calls(page, "answer_approval"), []);
      await row.getByLabel("Command").focus();
      await page.keyboard.press("End");
      await page.locator(".notices [data-approval=long] [aria-disabled=false]", { hasText: "Allow once" }).waitFor();
      await allow.click();
      await row.waitFor({ state: "detached" });
      assert.deepEqual(await calls(page, "answer_approval"), [{ approvalId: "long", choice: "once" }]);
    });
  }
});

test("a pattern is changed in place before it is sent", async () => {
  await withWindow(ORDERS, async (page) => {
    await page.locator(".approval[data-armed=true]").waitFor();
    await page.locator("[data-choice=pattern]").click();
    await page.keyboard.press("End");
    await page.keyboard.type("cache");
    await page.keyboard.press("Enter");
    await page.getByText(/^Always allowed as rm -rf \.\/tmp\/\*cache by you/).waitFor();
  });
});

test("a question fits the smallest window, with every answer in sight", async () => {
  await withWindow({ ...ORDERS, viewport: { width: 480, height: 700 } }, async (page) => {
    const card = page.locator(".approval");
    await card.waitFor();
    await settled(page);
    const { x, width } = await card.boundingBox();
    for (const button of await card.locator("button").all()) {
      const box = await button.boundingBox();
      assert.ok(box.x >= x && box.x + box.width <= x + width, await button.textContent());
      assert.ok(box.height >= 24);
    }
  });
});

test("a waiting message is dragged to another place, and moved by keys with the focus on it", async () => {
  await withWindow(ORDERS, async (page) => {
    await queue(page, "one", "two", "three");
    await page.locator("[data-admission-id=three]").waitFor();
    await settled(page);
    const box = await page.locator("[data-admission-id=three] .queue-tag").boundingBox();
    const first = await page.locator("[data-admission-id=one]").boundingBox();
    await page.mouse.move(box.x + 10, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 10, first.y + 4, { steps: 4 });
    await page.locator("[data-admission-id=one][data-drop=before]").waitFor();
    await page.mouse.up();
    await until(page, () => document.querySelector("[data-admission-id]").dataset.admissionId === "three");
    assert.deepEqual(await order(page), ["three", "one", "two"]);
    await page.locator("[data-admission-id=three] [data-act=edit]").focus();
    await page.keyboard.press("Alt+ArrowDown");
    await until(page, () => document.querySelector("[data-admission-id]").dataset.admissionId === "one");
    assert.deepEqual(await order(page), ["one", "three", "two"]);
    await until(page, () => document.activeElement.closest("[data-admission-id]")?.dataset.admissionId === "three");
  });
});

test("a session's menu comes with Shift F10 and renames in place", async () => {
  await withWindow(ORDERS, async (page) => {
    await page.locator("[data-session-id=photos]").focus();
    await page.keyboard.press("Shift+F10");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.type("Pictures");
    await page.keyboard.press("Enter");
    await page.locator("[data-session-id=photos]").getByText("Pictures").waitFor();
    await until(page, () => document.activeElement.dataset.sessionId === "photos");
  });
});

test("processes are measured while their rows are in sight, and not behind another tab", async () => {
  await withWindow(ORDERS, async (page) => {
    await page.getByText("1.2\u00a0%").waitFor();
    await page.locator("[data-tab=details]").click();
    await settled(page);
    const before = (await calls(page, "sample_processes")).length;
    // That nothing happens can only be seen by waiting: two beats of the clock.
    await page.waitForTimeout(2200);
    assert.equal((await calls(page, "sample_processes")).length, before);
    await page.locator("[data-tab=processes]").click();
    await until(page, (count) => window.fake.calls.filter((call) => call.command === "sample_processes").length > count, before);
  });
});

test("an image comes through the gateway, once per press, and its box does not jump", async () => {
  await withWindow(ORDERS, async (page) => {
    await page.evaluate(() =>
      window.fake.gateway.putItem({
        itemId: "chart",
        sessionId: "orders",
        author: "model",
        kind: "message",
        atMs: Date.now(),
        streaming: false,
        blocks: [{ type: "paragraph", inlines: [{ type: "image", url: "https://pictures.example/1.png", host: "pictures.example", alt: "Orders" }] }],
      }),
    );
    await page.getByRole("button", { name: "Load image" }).click();
    const image = page.getByRole("img", { name: "Orders" });
    await image.waitFor();
    assert.deepEqual(await image.evaluate((element) => [element.width, element.height]), [320, 160]);
    assert.deepEqual(await calls(page, "fetch_image"), [{ url: "https://pictures.example/1.png" }]);
  });
});

test("a draft is put down with the gateway before the page goes", async () => {
  await withWindow(ORDERS, async (page) => {
    await page.getByTestId("composer").fill("half a thought");
    await until(page, () => window.fake.settings.uiState.get("draft:orders") === "half a thought");
    await page.getByTestId("composer").fill("");
    await until(page, () => !window.fake.settings.uiState.has("draft:orders"));
  });
});

test("in one pane, the rail and the sidebar open at their width and push nothing aside", async () => {
  await withWindow({ ...ORDERS, viewport: { width: 720, height: 900 } }, async (page) => {
    for (const [button, pane, row] of [
      ["Show processes", ".pane-rail", "[data-process-id=web] .process-row"],
      ["Show sessions", ".pane-sidebar", "[data-session-id=orders]"],
    ]) {
      await page.getByRole("button", { name: button }).click();
      assert.equal((await page.locator(pane).boundingBox()).width, 348);
      await page.locator(row).click();
      assert.equal(await page.evaluate(() => document.querySelector(".frame").scrollLeft), 0);
      // A press closes the view that the row has opened, the next one the pane.
      await page.keyboard.press("Escape");
      await page.locator(".detail").waitFor({ state: "detached" });
      if (pane === ".pane-rail") await page.keyboard.press("Escape");
      await page.locator(pane).waitFor({ state: "detached" });
    }
  });
});
