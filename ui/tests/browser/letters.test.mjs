// Words to channels that wait for a person, and the files of an answer: the walks through them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { withWindow } from "./window.mjs";

const calls = (page, command) => page.evaluate((name) => window.fake.calls.filter((call) => call.command === name).map((call) => call.params), command);
const row = (page, id) => page.locator(`[data-incident=${id}]`);
const picture = async (page, name) => {
  if (process.env.GATEHOUSE_LOOK) await page.screenshot({ path: `${process.env.GATEHOUSE_LOOK}/${name}.png` });
};

test("what is held after a restore is sent or discarded, and what was given up is tried again", async () => {
  await withWindow({ scene: "letters", session: "docker" }, async (page) => {
    await page.getByTestId("incidents-open").click();
    assert.deepEqual(await page.locator("[data-incident]").evaluateAll((rows) => rows.map((one) => one.dataset.incident)), ["held", "files", "old", "declined"]);
    await picture(page, "letters");
    await row(page, "held").getByRole("button", { name: "Send", exact: true }).click();
    await row(page, "held").waitFor({ state: "detached" });
    await row(page, "files").getByRole("button", { name: "Discard" }).click();
    await row(page, "files").waitFor({ state: "detached" });
    await row(page, "old").getByRole("button", { name: "Try again" }).click();
    await row(page, "old").waitFor({ state: "detached" });
    assert.equal(await row(page, "declined").getByRole("button").count(), 1);
    assert.deepEqual(await calls(page, "send_letter"), [{ letterId: "held" }, { letterId: "old" }]);
    assert.deepEqual(await calls(page, "resolve_incident"), [{ incidentId: "files" }]);
  });
});

test("the files of an answer stand below its words, and are opened by the keys alone", async () => {
  await withWindow({ scene: "files", session: "docker" }, async (page) => {
    const list = page.getByRole("list", { name: "Files" });
    await list.waitFor();
    await picture(page, "files");
    assert.equal(await list.getByRole("listitem").count(), 4);
    await list.getByRole("button", { name: "Open layers.png" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.deepEqual(await page.evaluate(() => window.fake.asked), ["open_file /home/ada/src/orders/report/layers.png", "open_file /home/ada/src/orders/report/layers.png in its folder"]);
    assert.equal(await list.locator(".file-refused").getByRole("button").count(), 0);
    // A long name gives way to its buttons, and nothing leaves the column.
    const wide = await list.evaluate((one) => one.scrollWidth > one.clientWidth);
    assert.equal(wide, false);
  });
});
