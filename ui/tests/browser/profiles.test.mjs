// Several profiles: what a window shows of the others, how it goes there, and that it takes nothing along.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { until, withWindow } from "./window.mjs";

const SEVERAL = { scene: "profiles" };
const FIRST = "Release notes for 0.9";
const OTHER = "Figures of the quarter";

const titled = (page, words) => page.getByRole("heading", { level: 1, name: words }).waitFor();
const named = (page, name) => until(page, (wanted) => document.querySelector("[data-testid=profile]")?.textContent === wanted, name);
const rows = (page) => page.locator(".session-row .session-title").allTextContents();

describe("profiles", () => {
  it("are changed by a press, and no row of one is shown in the other", () =>
    withWindow(SEVERAL, async (page) => {
      await page.locator(".session-row", { hasText: FIRST }).click();
      await titled(page, FIRST);
      const before = await rows(page);
      await page.locator(".composer-text").fill("not sent yet");
      await page.getByTestId("profile").click();
      await page.getByRole("menuitemradio", { name: "work" }).click();
      await named(page, "work");
      await titled(page, OTHER);
      const there = await rows(page);
      assert.deepEqual(there, [OTHER]);
      assert.ok(before.length > 1 && !before.includes(OTHER));
      assert.equal(await page.locator(".composer-text").inputValue(), "");
      assert.equal(await page.title(), `${OTHER} - work`);
      // Back again: the session that was open there.
      await page.getByTestId("profile").click();
      await page.getByRole("menuitemradio", { name: "personal" }).click();
      await named(page, "personal");
      await titled(page, FIRST);
      assert.deepEqual(await rows(page), before);
    }));

  it("are changed in the palette by keys alone, and a reload stays there", () =>
    withWindow(SEVERAL, async (page) => {
      await named(page, "personal");
      await page.keyboard.press("Control+k");
      await page.keyboard.type("switch profile work");
      await page.locator("[data-action=profile-work][aria-selected=true]").waitFor();
      await page.keyboard.press("Enter");
      await titled(page, OTHER);
      await page.reload();
      await titled(page, OTHER);
      await named(page, "work");
    }));

  it("say why one cannot be opened, there and in the list, and lead back", () =>
    withWindow(SEVERAL, async (page) => {
      await page.getByTestId("profile").click();
      const refused = page.getByRole("menuitemradio", { name: /archive/ });
      assert.match(await refused.textContent(), /Not opened\. The data file is damaged\. Restore a backup\./);
      await refused.click();
      await page.getByText("Gatehouse cannot use its data").waitFor();
      await page.getByText("The data file is damaged.").first().waitFor();
      assert.deepEqual(await rows(page), []);
      await named(page, "archive");
      await page.getByTestId("profile").click();
      await page.getByRole("menuitemradio", { name: "work" }).click();
      await titled(page, OTHER);
    }));

  it("are made by a name, begin with the choice of a model, and can be left again", () =>
    withWindow(SEVERAL, async (page) => {
      await page.getByTestId("profile").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitemradio", { name: "personal" }).waitFor();
      await page.keyboard.press("End");
      await page.keyboard.press("Enter");
      await until(page, () => document.activeElement?.matches("[data-testid=profile-name]") === true);
      await page.keyboard.type("lab");
      await page.keyboard.press("Enter");
      await page.getByTestId("first-run").waitFor();
      await named(page, "lab");
      await page.getByTestId("profile").click();
      assert.deepEqual(await page.locator("[data-profile]").evaluateAll((all) => all.map((line) => line.dataset.profile)), ["personal", "work", "archive", "lab"]);
      await page.getByRole("menuitemradio", { name: "work" }).click();
      await titled(page, OTHER);
    }));

  it("are no matter as long as there is one", () =>
    withWindow({ scene: "calm" }, async (page) => {
      await named(page, "Gatehouse");
      assert.equal(await page.getByTestId("profile").locator("svg").isVisible(), false);
      await page.getByTestId("profile").focus();
      await page.keyboard.press("Enter");
      await page.getByRole("menuitem", { name: "New profile" }).waitFor();
      await page.keyboard.press("Escape");
      await until(page, () => document.activeElement?.matches("[data-testid=profile]") === true);
    }));
});
