import assert from "node:assert/strict";
import { test } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
const calls = (page, command) => page.evaluate((name) => window.fake.calls.filter((call) => call.command === name).map((call) => call.params), command);

test("a first start with a server on this computer is one Enter away from writing", async () => {
  await withWindow({ scene: "first" }, async (page) => {
    await page.getByTestId("first-run-server-ollama").waitFor();
    await until(page, () => document.activeElement?.getAttribute("data-testid") === "first-run-start");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.getAttribute("data-testid") === "composer");
    assert.deepEqual(await calls(page, "set_setting"), [{ key: "agent.model", value: "ollama/qwen3-4b" }]);
    assert.deepEqual(await calls(page, "set_ui_state"), [{ key: "first-run", value: "done" }]);
    await page.keyboard.type("Hello");
    await page.keyboard.press("Enter");
    await page.locator(".item-row", { hasText: "Hello" }).waitFor();
  });
});

test("commands run without any model", async () => {
  await withWindow({ scene: "bare" }, async (page) => {
    await page.getByTestId("first-run-skip").click();
    await page.getByTestId("first-run-start").click();
    await page.getByTestId("no-model").waitFor();
    await page.getByTestId("composer").fill("!npm run dev");
    await page.keyboard.press("Enter");
    await page.locator(".pane-rail", { hasText: "npm run dev" }).waitFor();
    await page.getByRole("button", { name: "Choose a model" }).click();
    await page.getByTestId("settings-nav-models").waitFor();
  });
});

test("the settings open by key, and Escape leaves them without stopping the turn", async () => {
  await withWindow({ scene: "settings", session: "orders" }, async (page) => {
    await page.locator(".item-row").first().waitFor();
    await page.keyboard.press("Control+,");
    await until(page, () => document.activeElement?.getAttribute("data-testid") === "settings-nav-models");
    // The rooms are one stop; arrows go through them.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Processes" }).waitFor();
    await page.keyboard.press("Escape");
    await until(page, () => document.activeElement?.getAttribute("data-testid") === "composer");
    assert.deepEqual(await calls(page, "stop_turn"), []);
  });
});

test("a search goes to the row itself", async () => {
  await withWindow({ scene: "settings" }, async (page) => {
    await page.keyboard.press("Control+,");
    await page.getByTestId("settings-find").fill("motion");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement?.getAttribute("data-testid") === "setting-look.motion");
  });
});

test("the look is set at once, and the next first frame has it", async () => {
  await withWindow({ scene: "settings", colorScheme: "light" }, async (page) => {
    const look = () => page.evaluate(() => ({ ...document.documentElement.dataset }));
    await page.keyboard.press("Control+,");
    await page.getByTestId("settings-nav-appearance").click();
    await page.getByTestId("setting-look.theme").selectOption("dark");
    await page.getByTestId("setting-look.contrast").selectOption("high");
    await page.getByTestId("setting-look.density").selectOption("summary");
    await page.getByTestId("setting-look.motion").selectOption("reduced");
    await until(page, () => document.documentElement.dataset.motion === "reduced");
    assert.deepEqual(await look(), { theme: "hc-dark", density: "summary", motion: "reduced" });
    await page.getByTestId("setting-look.contrast").selectOption("normal");
    await until(page, () => document.documentElement.dataset.theme === "dark");
    await page.addInitScript(() => {
      // Before any module runs: this is what is painted first.
      document.addEventListener("readystatechange", () => {
        window.firstTheme ??= document.documentElement.dataset.theme;
      });
    });
    await page.reload();
    await page.locator(".status-dot").waitFor();
    assert.equal(await page.evaluate(() => window.firstTheme), "dark");
  });
});

test("every room fits the smallest window, and the first page too", async () => {
  await withWindow({ scene: "settings", viewport: { width: 480, height: 520 } }, async (page) => {
    await page.keyboard.press("Control+,");
    for (const room of ["models", "processes", "approvals", "notices", "appearance", "keyboard", "about"]) {
      await page.getByRole("button", { name: "Show sections" }).click();
      await page.getByTestId(`settings-nav-${room}`).click();
      await settled(page);
      const wide = await page.evaluate(() => {
        const column = document.querySelector(".set-column-scroll");
        return column.scrollWidth - column.clientWidth;
      });
      assert.ok(wide <= 0, `${room} is ${wide} px too wide`);
      assert.ok((await overflow(page)) <= 0);
    }
  });
  await withWindow({ scene: "bare", viewport: { width: 480, height: 520 } }, async (page) => {
    await page.getByTestId("first-run-key").waitFor();
    const wide = await page.evaluate(() => {
      const first = document.querySelector(".first");
      return first.scrollWidth - first.clientWidth;
    });
    assert.ok(wide <= 0);
  });
});

test("what was not taken from the file is said below the header", async () => {
  await withWindow({ scene: "settings" }, async (page) => {
    const banner = page.getByTestId("settings-warning");
    await banner.getByText("limits.processes, line 14:").waitFor();
    await banner.getByRole("button", { name: "Open file" }).click();
    assert.deepEqual(await page.evaluate(() => window.fake.asked), ["open_place settings"]);
    await banner.getByRole("button", { name: "Put this away" }).click();
    await banner.getByText("look.theme, line 21:").waitFor();
    await page.keyboard.press("Control+,");
    await page.keyboard.press("Escape");
    await banner.getByText("look.theme, line 21:").waitFor();
  });
});
