import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

const DEMO = { scene: "demo", session: "orders" };
const canvas = (page) => page.evaluate(() => getComputedStyle(document.querySelector(".pane-main")).backgroundColor);
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

test("the theme is the desktop's, at once and when it changes", async () => {
  await withWindow({ ...DEMO, colorScheme: "dark" }, async (page) => {
    assert.equal(await canvas(page), "rgb(23, 25, 29)");
    await page.emulateMedia({ colorScheme: "light" });
    await until(page, () => document.documentElement.dataset.theme === "light");
    assert.equal(await canvas(page), "rgb(253, 252, 251)");
  });
});

test("three panes, a folded rail, one pane", async () => {
  await withWindow(DEMO, async (page) => {
    await page.locator(".pane-sidebar").waitFor();
    await page.locator(".pane-rail").waitFor();
    await page.setViewportSize({ width: 1000, height: 800 });
    await page.locator(".pane-strip").waitFor();
    await page.locator(".pane-strip button").click();
    await page.locator(".pane-rail").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".pane-strip").waitFor();
    await page.setViewportSize({ width: 720, height: 900 });
    await until(page, () => document.querySelector(".pane-sidebar, .pane-rail, .pane-strip") === null);
    assert.ok((await overflow(page)) <= 0);
    await page.getByRole("button", { name: /Show sessions/ }).click();
    await page.locator('[data-session-id="docker"]').click();
    await until(page, () => document.querySelector(".pane-sidebar") === null);
    assert.equal(await page.locator("h1").innerText(), "Shrink the Docker image");
  });
});

test("the smallest window has no sideways scroll", async () => {
  await withWindow({ ...DEMO, viewport: { width: 480, height: 520 } }, async (page) => {
    await settled(page);
    assert.ok((await overflow(page)) <= 0);
  });
});

test("Stop stops the turn; Escape too", async () => {
  const stops = (page) => page.evaluate(() => window.fake.calls.filter((call) => call.command === "stop_turn").length);
  await withWindow(DEMO, async (page) => {
    await page.locator(".main-head").getByRole("button", { name: /^Stop/ }).click();
    await until(page, () => window.fake.gateway.sessions.get("orders").runningTurnId === null);
    assert.equal(await stops(page), 1);
  });
  await withWindow(DEMO, async (page) => {
    await page.locator(".main-head").getByRole("button", { name: /^Stop/ }).waitFor();
    await page.keyboard.press("Escape");
    await until(page, () => window.fake.gateway.sessions.get("orders").runningTurnId === null);
  });
});

test("who asks for the processes gets them, whatever is shown instead", async () => {
  await withWindow(DEMO, async (page) => {
    const shown = () => until(page, () => document.activeElement?.matches("[data-process-id] .process-row") && document.querySelector('[data-tab="processes"][aria-selected="true"]') !== null);
    for (const tab of ["plan", "details"]) {
      await page.locator(`[data-tab="${tab}"]`).click();
      await page.locator(".status-processes").click();
      await shown();
      await page.locator(`[data-tab="${tab}"]`).click();
      await page.keyboard.press("Control+Shift+J");
      await shown();
    }
    await page.keyboard.press("Control+,");
    await page.locator(".status-processes").click();
    await shown();
    await page.keyboard.press("Control+,");
    await page.setViewportSize({ width: 1000, height: 800 });
    await page.keyboard.press("Control+Shift+J");
    await shown();
  });
});

test("a session that could not be opened is told wherever it was asked for", async () => {
  const refused = (page) => page.getByTestId("trouble").filter({ hasText: "No session was opened. No connection to the gateway could be made." }).waitFor();
  await withWindow(DEMO, async (page) => {
    await page.evaluate(() => (window.fake.away = true));
    await page.keyboard.press("Control+n");
    await refused(page);
    await page.getByTestId("trouble").getByRole("button").click();
    await page.keyboard.press("Control+,");
    await page.getByTestId("settings").waitFor();
    await page.keyboard.press("Control+n");
    await refused(page);
    await page.evaluate(() => (window.fake.away = false));
    await page.keyboard.press("Control+n");
    await page.getByTestId("settings").waitFor({ state: "detached" });
    assert.equal(await page.getByTestId("trouble").count(), 0);
  });
});

test("a gateway that went away is named, with the seconds, until it is back", async () => {
  await withWindow(DEMO, async (page) => {
    await page.evaluate(() => {
      window.fake.away = true;
      window.fake.gateway.patchSession("docker", { unread: 1 });
    });
    await page.locator(".status-bar", { hasText: /Gateway not answering, retrying in \d/ }).waitFor();
    assert.ok((await page.locator(".item-row").count()) > 3);
    await page.evaluate(() => {
      window.fake.away = false;
    });
    await page.locator(".status-bar", { hasText: "Gateway running" }).waitFor();
  });
});

test("a gateway that does not answer is asked at once: from the page, the status line and the palette, by keys", async () => {
  await withWindow({ scene: "away", ready: ".status-cell.fail" }, async (page) => {
    // The longer waits never end by themselves, so that only a press can be what asks again.
    await page.evaluate(() => {
      const { setTimeout: wait } = window;
      window.setTimeout = (act, ms, ...more) => {
        if (ms !== 4000 && ms !== 8000) return wait(act, ms, ...more);
        window.waits = true;
        return 0;
      };
    });
    const reach = async (selector) => {
      for (let presses = 0; presses < 40; presses += 1) {
        if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
        await page.keyboard.press("Tab");
      }
      assert.fail(`no key leads to ${selector}`);
    };
    const ways = [
      () => reach(".transcript-state .btn"),
      () => reach(".status-cell.fail"),
      async () => {
        await page.keyboard.press("Control+k");
        await page.keyboard.type("try the gateway");
        await page.locator("[data-action=try-now]").waitFor();
      },
    ];
    for (const way of ways) {
      await until(page, () => window.waits);
      await way();
      await page.evaluate(() => {
        window.fake.away = false;
        window.waits = false;
      });
      await page.keyboard.press("Enter");
      await page.locator(".status-dot").waitFor();
      await page.evaluate(() => {
        window.fake.away = true;
        window.fake.gateway.renewEpoch();
      });
      await page.locator(".status-cell.fail").waitFor();
    }
  });
});

test("nothing is amber while nobody is needed", async () => {
  await withWindow({ scene: "million", session: "million" }, async (page) => {
    await page.locator(".item-row").first().waitFor();
    const amber = await page.evaluate(() => {
      const lamp = "rgb(252, 181, 44)";
      return [...document.querySelectorAll("#root *")].filter((node) => {
        const style = getComputedStyle(node);
        return [style.backgroundColor, style.color, style.fill].includes(lamp);
      }).length;
    });
    assert.equal(amber, 0);
  });
});

test("a still window asks for no frames and runs no timers of its own", async () => {
  await withWindow({ scene: "million", session: "million" }, async (page) => {
    await page.locator('[data-item-id="item-1000000"]').waitFor();
    // The first still stretch is waited for: what was under way at the beginning may take its time.
    const woken = await page.evaluate(
      () =>
        new Promise((done) => {
          let frames = 0;
          const ask = window.requestAnimationFrame;
          const later = window.setTimeout;
          let timers = 0;
          let left = 4;
          const listen = () => {
            left -= 1;
            frames = 0;
            timers = 0;
            later(() => (left === 0 || frames + timers === 0 ? done({ frames, timers }) : listen()), 2500);
          };
          window.requestAnimationFrame = (act) => {
            frames += 1;
            return ask(act);
          };
          window.setTimeout = (act, ms, ...rest) => {
            timers += 1;
            return later(act, ms, ...rest);
          };
          listen();
        }),
    );
    assert.deepEqual(woken, { frames: 0, timers: 0 });
  });
});

test("the fonts of the first words come with the page, once", async () => {
  await withWindow({ scene: "demo", session: "orders" }, async (page) => {
    await page.evaluate(() => document.fonts.ready);
    const fonts = await page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .filter((entry) => /(inter|jetbrains-mono)-latin-wght/.test(entry.name))
        .map((entry) => entry.initiatorType),
    );
    assert.deepEqual(fonts, ["link", "link"]);
    const drawn = await page.evaluate(() => [...document.fonts].filter((font) => font.status === "loaded").map((font) => font.family).sort());
    assert.deepEqual(drawn, ["Inter Variable", "JetBrains Mono Variable"]);
  });
});

test("a question and its call are one entry, before and after the answer", async () => {
  await withWindow({ scene: "demo", session: "orders" }, async (page) => {
    const entries = () => page.locator(".item-row").filter({ hasText: "rm -rf ./tmp/e2e-cache" }).evaluateAll((rows) => rows.map((row) => row.dataset.kind));
    await page.locator(".approval[data-armed=true]").waitFor();
    assert.deepEqual(await entries(), ["approval"]);
    await page.locator("[data-choice=once]").click();
    await page.locator(".approval").waitFor({ state: "detached" });
    assert.deepEqual(await entries(), ["tool_call"]);
    await page.getByText(/^Allowed once by you, \d\d:\d\d$/).waitFor();
  });
});
