import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

const CORPUS = readFileSync(join(import.meta.dirname, "../fixtures/markup.md"), "utf8");

test("markup stays words, wherever it stands", async () => {
  await withWindow({ scene: "hostile", session: "hostile" }, async (page) => {
    await page.evaluate((corpus) => {
      const inline = { type: "text", text: corpus };
      const blocks = [
        { type: "plain", text: corpus },
        { type: "paragraph", inlines: [inline, { type: "code", text: corpus }, { type: "strong", inlines: [inline] }] },
        { type: "heading", level: 2, inlines: [inline] },
        { type: "code", language: corpus.slice(0, 200), text: corpus },
        { type: "quote", blocks: [{ type: "paragraph", inlines: [inline] }] },
        { type: "list", start: null, items: [{ checked: null, blocks: [{ type: "paragraph", inlines: [inline] }] }] },
        { type: "table", align: ["none"], head: [[inline]], rows: [[[inline]]] },
        { type: "paragraph", inlines: [{ type: "image", url: null, host: null, alt: corpus }] },
      ];
      const base = { sessionId: "hostile", atMs: Date.now(), streaming: false, text: corpus };
      window.fake.gateway.putItem({ ...base, itemId: "corpus", author: "model", kind: "message", blocks });
      window.fake.gateway.putItem({ ...base, itemId: "corpus-human", author: "human", kind: "message" });
      window.fake.gateway.putItem({ ...base, itemId: "corpus-notice", author: "system", kind: "notice" });
    }, CORPUS);
    await page.locator('[data-item-id="corpus-notice"]').waitFor();
    await page.evaluate(() => document.querySelector('[data-item-id="corpus"]')?.scrollIntoView());
    await settled(page);
    assert.equal(await page.evaluate(() => window.__xss), undefined);
    const text = await page.locator('[data-item-id="corpus"]').textContent();
    assert.ok(text.includes("<script>window.__xss=1</script>"));
    const made = await page.evaluate(() =>
      [...document.querySelectorAll(".scroll :is(script, iframe, object, embed, form, style, base, meta, link, math, details, img)")].map((node) => node.outerHTML.slice(0, 80)),
    );
    assert.deepEqual(made, []);
    const handlers = await page.evaluate(() =>
      [...document.querySelectorAll("#root *")].flatMap((node) => [...node.attributes].map((each) => each.name)).filter((name) => name.startsWith("on")),
    );
    assert.deepEqual(handlers, []);
  });
});

test("no link moves the window, whichever way it is pressed", async () => {
  await withWindow({ scene: "hostile", session: "hostile" }, async (page) => {
    const address = page.url();
    const pages = page.context().pages().length;
    const honest = page.getByText("an honest link");
    await honest.click();
    await until(page, () => window.fake.opened.length === 1);
    await honest.click({ button: "middle" });
    await honest.click({ modifiers: ["Control"] });
    await honest.click({ modifiers: ["Shift"] });
    await honest.focus();
    await page.keyboard.press("Enter");
    const box = await honest.boundingBox();
    await page.mouse.move(box.x + 5, box.y + 5);
    await page.mouse.down();
    await page.mouse.move(400, 300, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    assert.equal(page.url(), address);
    assert.equal(page.context().pages().length, pages);
    const opened = await page.evaluate(() => window.fake.opened);
    assert.ok(opened.every((url) => url === "https://docs.example/a"), opened.join(" "));
  });
});

test("a link that says one host and goes to another asks first", async () => {
  await withWindow({ scene: "hostile", session: "hostile" }, async (page) => {
    const rows = () => page.evaluate(() => [...document.querySelectorAll(".item-row")].map((row) => row.getBoundingClientRect().top));
    const link = page.getByText("https://paypal.example");
    await link.scrollIntoViewIfNeeded();
    await settled(page);
    const before = await rows();
    await link.click();
    await page.getByText("The link goes to").waitFor();
    await settled(page);
    assert.deepEqual(await rows(), before, "the question pushed something away");
    assert.deepEqual(await page.evaluate(() => window.fake.opened), []);
    await page.getByRole("button", { name: "Open in browser" }).click();
    await until(page, () => window.fake.opened.length === 1);
    assert.deepEqual(await page.evaluate(() => window.fake.opened), ["http://paypa1.example/login"]);
  });
});

/** What an input method does in a text field, in the order of one of the engines. */
function compose(order) {
  const field = document.querySelector('[data-testid="composer"]');
  const send = (Kind, type, more) => {
    const event = new Kind(type, { bubbles: true, cancelable: true, ...more });
    if (more.keyCode !== undefined) Object.defineProperty(event, "keyCode", { get: () => more.keyCode });
    field.dispatchEvent(event);
  };
  const write = (words) => {
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set.call(field, words);
    send(InputEvent, "input", { inputType: "insertCompositionText", data: words, isComposing: true });
  };
  field.focus();
  send(CompositionEvent, "compositionstart", { data: "" });
  write("\u65e5\u672c");
  const end = () => send(CompositionEvent, "compositionend", { data: "\u65e5\u672c" });
  const enter = (composing) => send(KeyboardEvent, "keydown", { key: "Enter", code: "Enter", keyCode: 229, isComposing: composing });
  if (order === "webkit") {
    // WebKit has ended the composition when the Enter that ended it arrives.
    end();
    enter(false);
  } else {
    enter(true);
    end();
  }
  send(KeyboardEvent, "keyup", { key: "Enter", code: "Enter", keyCode: 13 });
}

const sent = (page) => page.evaluate(() => window.fake.calls.filter((call) => call.command === "send_message").map((call) => call.params.text));

for (const order of ["chromium", "webkit"]) {
  test(`the Enter that ends a composition sends nothing (${order})`, async () => {
    await withWindow({ scene: "hostile", session: "hostile" }, async (page) => {
      await page.locator('[data-testid="composer"]').waitFor();
      await page.evaluate(compose, order);
      await settled(page);
      assert.deepEqual(await sent(page), []);
      assert.equal(await page.locator('[data-testid="composer"]').inputValue(), "\u65e5\u672c");
      await page.keyboard.press("Enter");
      await until(page, () => window.fake.calls.some((call) => call.command === "send_message"));
      assert.deepEqual(await sent(page), ["\u65e5\u672c"]);
    });
  });
}

test("Enter sends once, Shift Enter makes a line", async () => {
  await withWindow({ scene: "hostile", session: "hostile" }, async (page) => {
    const field = page.locator('[data-testid="composer"]');
    await field.fill("one");
    await field.press("Shift+Enter");
    await page.keyboard.type("two");
    await field.press("Enter");
    await page.locator('[data-author="human"]', { hasText: "two" }).waitFor();
    assert.deepEqual(await sent(page), ["one\ntwo"]);
    assert.equal(await field.inputValue(), "");
  });
});
