import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

/** Less than a view, so that the row that is read stays on screen; sixty of them go well into the next page. */
const STEP_PX = 300;
const MILLION = { scene: "million", session: "million" };

const rows = (page) => page.locator(".item-row").count();

/** The item is drawn and the list has come to rest. */
async function showsItem(page, id) {
  await page.locator(`[data-item-id="${id}"]`).waitFor();
  await settled(page);
  await settled(page);
}

/** A row in the middle of the view, and where it stands. */
function reading(page) {
  return page.evaluate(() => {
    const view = document.querySelector(".scroll").getBoundingClientRect();
    const row = [...document.querySelectorAll(".item-row")].find((each) => each.getBoundingClientRect().top > view.top + 50);
    return { id: row.dataset.itemId, top: row.getBoundingClientRect().top };
  });
}

const topOf = (page, id) => page.evaluate((item) => document.querySelector(`[data-item-id="${item}"]`)?.getBoundingClientRect().top ?? null, id);
const scrollBy = (page, by) => page.evaluate((pixels) => document.querySelector(".scroll").scrollBy(0, pixels), by);
const scrollTo = (page, share) =>
  page.evaluate((part) => {
    const scroll = document.querySelector(".scroll");
    scroll.scrollTop = part * scroll.scrollHeight;
  }, share);
const distance = (page) =>
  page.evaluate(() => {
    const scroll = document.querySelector(".scroll");
    return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight;
  });
const append = (page, sessionId, itemId) =>
  page.evaluate(
    ([session, id]) =>
      window.fake.gateway.putItem({ itemId: id, sessionId: session, author: "human", kind: "message", text: `Said ${id}`, atMs: Date.now(), streaming: false }),
    [sessionId, itemId],
  );

test("a million items open at the end, quickly, with few rows", async () => {
  await withWindow(MILLION, async (page, url) => {
    // The best of three: other programs share this computer, and they only ever add.
    const taken = [];
    for (let n = 0; n < 3; n += 1) {
      const begun = Date.now();
      await page.goto(`${url}/?fake=million`);
      await page.locator('[data-item-id="item-1000000"]').waitFor();
      taken.push(Date.now() - begun);
    }
    assert.ok(Math.min(...taken) < 10_000, `opened after ${taken.join(", ")} ms`);
    await settled(page);
    assert.ok((await rows(page)) < 400);
    assert.ok((await distance(page)) <= 1);
  });
});

test("what is read does not move while pages load above it", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    let worst = 0;
    for (let step = 0; step < 60; step += 1) {
      const before = await reading(page);
      await scrollBy(page, -STEP_PX);
      await settled(page);
      const top = await topOf(page, before.id);
      assert.notEqual(top, null);
      worst = Math.max(worst, Math.abs(top - before.top - STEP_PX));
    }
    assert.ok(worst <= 1, `a row moved by ${worst} px by itself`);
    const pages = await page.evaluate(() => window.fake.calls.filter((call) => call.command === "list_items").length);
    assert.ok(pages >= 2, `only ${pages} pages were read`);
    assert.ok((await rows(page)) < 400);
  });
});

test("who scrolls at the very moment a page comes gets as far as they scrolled", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    // The page is drawn before the browser tells anybody of this scrolling.
    await page.evaluate((step) => {
      const { gateway } = window.fake;
      const read = gateway.listItems.bind(gateway);
      window.pages = 0;
      gateway.listItems = (params) => {
        document.querySelector(".scroll").scrollBy(0, -step);
        window.pages += 1;
        return read(params);
      };
    }, STEP_PX);
    const look = (id) =>
      page.evaluate((wanted) => {
        const rows = [...document.querySelectorAll(".item-row")];
        const row = rows.find((each) => each.dataset.itemId === wanted) ?? rows[Math.floor(rows.length / 2)];
        return { id: row.dataset.itemId, top: row.getBoundingClientRect().top, pages: window.pages };
      }, id);
    let now = await look();
    while (now.pages < 3) {
      const before = now;
      await scrollBy(page, -STEP_PX);
      await settled(page);
      const after = await look(before.id);
      const scrolled = STEP_PX * (1 + after.pages - before.pages);
      assert.equal(after.id, before.id);
      assert.ok(Math.abs(after.top - before.top - scrolled) <= 1, `a row moved by ${after.top - before.top} px where ${scrolled} were scrolled`);
      now = await look();
    }
  });
});

test("who scrolls at the very moment the list takes itself to rest gets as far as they scrolled", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    // The list's own rest after scrolling: it looks where the view stands, and the browser has told nobody yet.
    await page.evaluate(() => {
      const { setTimeout: wait } = window;
      window.setTimeout = (act, ms, ...more) => {
        if (ms === 150) window.rest = act;
        return wait(act, ms, ...more);
      };
    });
    for (const first of [1, 900]) {
      await scrollBy(page, -first);
      await until(page, () => window.rest !== undefined);
      await settled(page);
      const before = await reading(page);
      await page.evaluate((step) => {
        document.querySelector(".scroll").scrollBy(0, -step);
        window.rest();
        window.rest = undefined;
      }, STEP_PX);
      await settled(page);
      await settled(page);
      const moved = (await topOf(page, before.id)) - before.top;
      assert.ok(Math.abs(moved - STEP_PX) <= 1, `a row moved by ${moved} px where ${STEP_PX} were scrolled, ${first} px from the end`);
    }
  });
});

test("the scroll bar reaches every part, and the pill leads back", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await scrollTo(page, 0.5);
    await until(page, () => {
      const seq = Number(document.querySelector(".item-row")?.dataset.itemId.slice(5));
      return seq > 300_000 && seq < 700_000;
    });
    await scrollTo(page, 0);
    await showsItem(page, "item-1");
    assert.ok((await rows(page)) < 400);
    await page.locator(".jump-latest").click();
    await showsItem(page, "item-1000000");
    await until(page, () => document.querySelector(".jump-latest") === null);
    assert.ok((await distance(page)) <= 1);
  });
});

test("the end is followed by who is there, and by nobody else", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await append(page, "million", "new-1");
    await showsItem(page, "new-1");
    await settled(page);
    assert.ok((await distance(page)) <= 1);
    await scrollBy(page, -900);
    await settled(page);
    const before = await reading(page);
    for (const id of ["new-2", "new-3", "new-4"]) await append(page, "million", id);
    await page.locator(".jump-latest", { hasText: "3 new" }).waitFor();
    assert.ok(Math.abs((await topOf(page, before.id)) - before.top) <= 1);
  });
});

test("the pill counts what stands in the list, and gives no number where not all of it is held", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await scrollBy(page, -900);
    const pill = page.locator(".jump-latest");
    const says = (words) => until(page, (wanted) => document.querySelector(".jump-latest")?.textContent === wanted, words);
    await says("Jump to latest");
    const put = (more) => page.evaluate((item) => window.fake.gateway.putItem({ sessionId: "million", streaming: false, atMs: Date.now(), ...item }), more);
    await put({ itemId: "secret", author: "model", kind: "hidden", text: "secret" });
    for (const id of ["try-1", "try-2"]) {
      await put({ itemId: id, author: "machine", kind: "machine_note", units: [{ producer: "process", command: "npm test", turnId: "t", processId: id, state: "exited", exitCode: 0, durationMs: 9, outputTail: "", outputBytes: 0, turnNumber: 1 }] });
    }
    await says("1 new, jump to latest");
    await append(page, "million", "new-1");
    await says("2 new, jump to latest");
    // Another session meanwhile: what came since then is added to what was not seen before.
    await page.locator('[data-session-id="other"]').click();
    await showsItem(page, "other-40");
    await append(page, "million", "new-2");
    await page.locator('[data-session-id="million"]').click();
    await says("3 new, jump to latest");
    await show(page, "million", 400_003);
    await showsItem(page, "item-400003");
    await append(page, "million", "new-3");
    await says("Jump to latest");
    await pill.click();
    await showsItem(page, "new-3");
    await pill.waitFor({ state: "detached" });
  });
});

test("coming back finds the place that was left", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await scrollBy(page, -5000);
    await settled(page);
    await settled(page);
    const before = await reading(page);
    await page.locator('[data-session-id="other"]').click();
    await showsItem(page, "other-40");
    await page.locator('[data-session-id="million"]').click();
    await showsItem(page, before.id);
    await settled(page);
    await settled(page);
    assert.ok(Math.abs((await topOf(page, before.id)) - before.top) <= 2);
  });
});

test("the newest item on screen marks the session as read", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await page.evaluate(() => window.fake.gateway.patchSession("million", { unread: 3 }));
    await until(page, () => window.fake.gateway.sessions.get("million").unread === 0);
    const told = await page.evaluate(() => window.fake.calls.filter((call) => call.command === "mark_read"));
    assert.deepEqual(told.map((call) => call.params), [{ sessionId: "million", seq: 1_000_000 }]);
  });
});

test("words that stream are neither lost nor doubled when everything is read anew", async () => {
  await withWindow({ scene: "stream", query: "&every=200&messages=1", session: "stream" }, async (page) => {
    await page.locator('[data-streaming="true"]').waitFor();
    for (let n = 0; n < 5; n += 1) {
      await until(page, (least) => document.querySelector('[data-author="model"]')?.textContent.length > least, n * 40);
      await page.evaluate(() => window.fake.gateway.renewEpoch());
    }
    await page.locator('[data-author="model"][data-streaming="false"]').waitFor();
    const text = await page.locator('[data-author="model"]').innerText();
    assert.equal(text.split("What I found").length, 2);
    assert.equal(text.split("those two files again.").length, 2);
    assert.equal(await rows(page), 2);
    assert.ok((await distance(page)) <= 1);
  });
});

test("an answer that streams does not push a reader away", async () => {
  await withWindow({ scene: "stream", query: "&every=50&messages=4", session: "stream" }, async (page) => {
    await until(page, () => document.querySelectorAll('[data-author="model"]').length >= 3);
    await scrollTo(page, 0.2);
    await settled(page);
    const before = await reading(page);
    const first = await page.locator(".item-row").count();
    await until(page, () => window.fake.gateway.items.get("stream").length >= 5);
    assert.ok(first > 0);
    assert.ok(Math.abs((await topOf(page, before.id)) - before.top) <= 1);
  });
});

test("the list is as tall as its rows, at every width", async () => {
  await withWindow({ scene: "demo", session: "orders" }, async (page) => {
    await page.locator('[data-kind="approval"]').waitFor();
    for (const width of [1280, 900, 700, 1400]) {
      await page.setViewportSize({ width, height: 800 });
      await settled(page);
      // There is a little room below the last row, and it is in sight.
      await until(page, () => {
        const scroll = document.querySelector(".scroll");
        const bottom = (element) => element.getBoundingClientRect().bottom;
        const room = bottom(document.querySelector(".extent")) - bottom([...document.querySelectorAll(".item-row")].at(-1));
        return Math.abs(room - 14) <= 1 && scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight <= 1;
      });
    }
  });
});

test("a reader keeps the place when the window's width changes", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await scrollBy(page, -4000);
    await settled(page);
    /** The row at the top, if it is the one that is wanted. */
    const topRow = (wanted) => {
      const view = document.querySelector(".scroll").getBoundingClientRect();
      const row = [...document.querySelectorAll(".item-row")].find((each) => each.getBoundingClientRect().bottom > view.top + 1);
      const id = row?.dataset.itemId;
      return wanted === undefined || id === wanted ? id : null;
    };
    const before = await page.evaluate(topRow);
    await page.setViewportSize({ width: 640, height: 800 });
    await settled(page);
    await until(page, topRow, before);
  });
});

test("who is at the end stays there when the dock takes room and gives it back", async () => {
  await withWindow({ scene: "demo", session: "orders" }, async (page) => {
    await page.locator("[data-kind=approval]").waitFor();
    await settled(page);
    assert.ok((await distance(page)) <= 1);
    for (const open of ["true", "false"]) {
      await page.locator(".stack-cell").click();
      await page.locator(`.stack-cell[aria-expanded="${open}"]`).waitFor();
      await until(page, () => {
        const scroll = document.querySelector(".scroll");
        return scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight <= 1;
      });
    }
  });
});

/** Another session with so many items, the last of which were not read. */
const fill = (page, many) =>
  page.evaluate((last) => {
    const { gateway } = window.fake;
    for (let n = 41; n <= last; n += 1) {
      gateway.putItem({ itemId: `other-${n}`, sessionId: "other", author: "human", kind: "message", text: n % 1000 === 300 ? `Line ${n} has the needle` : `Line ${n}`, atMs: Date.now(), streaming: false });
    }
    gateway.patchSession("other", { unread: 5 });
  }, many);
const show = (page, sessionId, seq) => page.evaluate(([session, at]) => window.fake.intend({ kind: "show", sessionId: session, seq: at }), [sessionId, seq]);
/** The item stands at the top of the view, and stays there. */
async function standsAtTop(page, id) {
  await showsItem(page, id);
  await until(page, (item) => {
    const row = document.querySelector(`[data-item-id="${item}"]`)?.getBoundingClientRect();
    return row !== undefined && Math.abs(row.top - document.querySelector(".scroll").getBoundingClientRect().top) <= 2;
  }, id);
}
const marked = (page) => page.evaluate(() => window.fake.calls.filter((call) => call.command === "mark_read").length);

test("an item that is asked for is shown, however far it is from what is held", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await show(page, "million", 400_003);
    await standsAtTop(page, "item-400003");
    // While another page is being read, and again from there to the end and back.
    await show(page, "million", 7);
    await show(page, "million", 700_000);
    await standsAtTop(page, "item-700000");
    await page.locator(".jump-latest").click();
    await showsItem(page, "item-1000000");
    await until(page, () => document.querySelector(".jump-latest") === null);
    assert.ok((await distance(page)) <= 1);
  });
});

test("an item of another session is shown there, and nothing counts as read", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    await fill(page, 4000);
    // Not held; then held at its end; then left elsewhere.
    await show(page, "other", 1500);
    await standsAtTop(page, "other-1500");
    assert.equal(await page.locator(".jump-latest").isVisible(), true);
    await page.locator(".jump-latest").click();
    await showsItem(page, "other-4000");
    await until(page, () => window.fake.gateway.sessions.get("other").unread === 0);
    const before = await marked(page);
    await show(page, "million", 12);
    await standsAtTop(page, "item-12");
    await page.evaluate(() => window.fake.gateway.patchSession("other", { unread: 5 }));
    await show(page, "other", 200);
    await standsAtTop(page, "other-200");
    assert.equal(await marked(page), before);
  });
});

test("find goes from place to place in a long session", async () => {
  await withWindow({ ...MILLION, session: "other" }, async (page) => {
    await showsItem(page, "other-40");
    await fill(page, 4000);
    await page.keyboard.press("Control+f");
    await page.keyboard.type("needle");
    for (const id of ["other-300", "other-1300", "other-2300", "other-3300", "other-300"]) {
      await standsAtTop(page, id);
      await page.keyboard.press("Enter");
    }
  });
});

test("a page that cannot be read is said below what is held, once, until it was read", async () => {
  await withWindow(MILLION, async (page) => {
    await showsItem(page, "item-1000000");
    const pages = () => page.evaluate(() => window.fake.calls.filter((call) => call.command === "list_items").length);
    await page.evaluate(() => {
      window.fake.broken = "list_items";
    });
    await show(page, "million", 400_003);
    const banner = page.locator(".banner.fail");
    await banner.waitFor();
    const held = await page.evaluate(() => {
      const [view, said] = [document.querySelector(".scroll"), document.querySelector(".banner.fail")].map((each) => each.getBoundingClientRect());
      return said.top - view.bottom;
    });
    assert.ok(held >= 0, `the words stand over the transcript by ${-held} px`);
    const asked = await pages();
    await scrollBy(page, -3000);
    await settled(page);
    await settled(page);
    assert.equal(await pages(), asked);
    await page.evaluate(() => {
      window.fake.broken = null;
    });
    await banner.getByRole("button").click();
    await standsAtTop(page, "item-400003");
    await banner.waitFor({ state: "detached" });
  });
});
