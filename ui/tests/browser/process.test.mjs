// The process rail and the terminal: what is listed, how something ends, what reaches a program, and what a flood costs.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled, until, withWindow } from "./window.mjs";

const scene = (name) => ({ scene: name, session: "release" });
const row = (page, id) => page.locator(`[data-process-id="${id}"]`);
const names = (page) => page.locator(".process-list .process-name").allTextContents();
const calls = (page, command) => page.evaluate((wanted) => window.fake.calls.filter((call) => call.command === wanted).map((call) => call.params), command);

async function openTerminal(page, id) {
  await row(page, id).locator(".process-row").click();
  await page.locator(".output-frame[data-ready=true] .xterm-rows").waitFor();
}

const screen = (page, words) => until(page, (wanted) => document.querySelector(".xterm-rows")?.textContent.replaceAll("\u00a0", " ").includes(wanted) === true, words);
const focused = (page, selector) => until(page, (wanted) => document.activeElement?.matches(wanted) === true, selector);

describe("the list", { concurrency: 3 }, () => {
  it("finds by words, by state and by session, and says when nothing is like that", async () => {
    await withWindow(scene("rail-needs"), async (page) => {
      await row(page, "sudo").locator(".process-row").focus();
      await page.keyboard.press("/");
      await page.keyboard.type("npm");
      await until(page, () => document.querySelectorAll(".process-list [data-process-id]").length === 2);
      await page.getByText("2 of 5").waitFor();
      await page.keyboard.type(" :5173");
      await until(page, () => document.querySelectorAll(".process-list [data-process-id]").length === 1);
      await page.keyboard.press("Escape");
      await until(page, () => document.querySelectorAll(".process-list [data-process-id]").length === 5);
      const pick = (label, value) => page.locator("label.pick", { hasText: label }).locator("select").selectOption(value);
      await pick("Which of them", "needs");
      assert.deepEqual(await names(page), ["sudo apt-get install libssl-dev"]);
      await pick("Which of them", "failed");
      await page.getByText("No process is like that").waitFor();
      await page.getByRole("button", { name: "Show all" }).click();
      await pick("Which processes", "session");
      await until(page, () => document.querySelectorAll(".process-list [data-process-id]").length === 4);
    });
  });

  it("puts the heaviest first, below who needs a person, and keeps still while somebody is at work in it", async () => {
    await withWindow(scene("rail-needs"), async (page) => {
      await page.locator("label.pick-sort select").selectOption("cpu");
      await until(page, () => document.querySelectorAll(".process-list .process-name")[1]?.textContent === "photo-index ~/Pictures");
      assert.equal((await names(page))[0], "sudo apt-get install libssl-dev");
      await page.locator("label.pick-sort select").selectOption("memory");
      await until(page, () => document.querySelectorAll(".process-list .process-name")[2]?.textContent.startsWith("npm run dev"));
    });
  });

  it("measures only the rows that can be seen, of 64", async () => {
    await withWindow(scene("rail-many"), async (page) => {
      await until(page, () => window.fake.calls.some((call) => call.command === "sample_processes" && call.params.processIds.length > 8));
      const asked = (await calls(page, "sample_processes")).map(({ processIds }) => processIds.length);
      assert.ok(Math.max(...asked) < 32, `${Math.max(...asked)} were measured`);
      assert.equal(await page.locator(".process-list [data-process-id]").count(), 64);
      await page.locator(".process-row").first().focus();
      for (let press = 0; press < 63; press += 1) await page.keyboard.press("j");
      assert.match(await page.evaluate(() => document.activeElement.textContent), /--shard 64/);
    });
  });

  it("closes a view without ending anything", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await openTerminal(page, "shell");
      await row(page, "web").locator(".process-row").click();
      await page.locator(".term").waitFor({ state: "detached" });
      await row(page, "web").locator(".process-row").focus();
      await page.keyboard.press("Escape");
      await page.locator(".detail").waitFor({ state: "detached" });
      await page.keyboard.press("Control+j");
      await page.locator(".pane-rail").waitFor({ state: "detached" });
      await settled(page);
      assert.deepEqual(await calls(page, "stop_process"), []);
      assert.equal(await page.evaluate(() => window.fake.gateway.processes.get("shell").state), "running");
    });
  });
});

describe("an end", { concurrency: 3 }, () => {
  it("takes two presses, with the wait in sight; Stop never goes away before", async () => {
    await withWindow(scene("rail-survivors"), async (page) => {
      await row(page, "worker").locator(".process-stop").click();
      const kill = row(page, "worker").locator(".process-kill");
      await kill.filter({ hasText: /^Kill now, \d/ }).waitFor();
      assert.equal(await kill.locator(".stop-ring").count(), 1);
      assert.equal(await kill.isEnabled(), true);
      await kill.click();
      await row(page, "worker").filter({ hasText: "stopped by you" }).waitFor();
      assert.deepEqual((await calls(page, "stop_process")).map(({ force }) => force), [false, true]);
    });
  });

  it("names who survived, keeps the row alive, and lets nobody be the last", async () => {
    await withWindow(scene("rail-survivors"), async (page) => {
      await row(page, "emulator").locator(".process-row").click();
      await row(page, "emulator").locator(".process-stop").click();
      await row(page, "emulator").filter({ hasText: "2 survived" }).waitFor();
      await row(page, "emulator").filter({ hasText: "48913 and 48919 still run" }).waitFor();
      assert.equal(await row(page, "emulator").locator(".process-stop").isEnabled(), true);
      await page.getByRole("button", { name: "Kill both" }).click();
      await until(page, () => document.querySelector("[data-process-id=emulator] .process-stop") === null);
      assert.deepEqual((await calls(page, "stop_process")).map(({ force }) => force), [false, true]);
      // The command has ended; what it left behind can still be stopped.
      await row(page, "left").filter({ hasText: "exited 0, 2 still running" }).waitFor();
      await row(page, "left").locator(".process-stop").click();
      await until(page, () => document.querySelector("[data-process-id=left] .process-stop") === null);
    });
  });

  it("can be a new beginning: the one that takes its place is opened", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await row(page, "web").locator(".process-row").focus();
      await page.keyboard.press("r");
      await page.getByText("Of the one started").waitFor();
      assert.deepEqual(await calls(page, "restart_process"), [{ processId: "web", force: false }]);
      await row(page, "build").locator(".process-row").focus();
      await page.keyboard.press("Shift+R");
      await until(page, () => window.fake.calls.filter((call) => call.command === "restart_process").length === 2);
      await page.getByText("Of the one started").waitFor();
    });
  });
});

describe("the terminal", { concurrency: 3 }, () => {
  it("gives every key to the program, in order, and gives the focus back", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await row(page, "shell").locator(".process-row").focus();
      await page.keyboard.press("Enter");
      await focused(page, ".xterm-helper-textarea");
      await page.getByText("Every key goes to the program").waitFor();
      await page.keyboard.type("echo one two three");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Control+k");
      await page.keyboard.press("Escape");
      await page.keyboard.press("Enter");
      await until(page, () => window.fake.calls.filter((call) => call.command === "write_input").map((call) => call.params.data).join("") === "echo one two three\t\u000b\u001b\r");
      await screen(page, "echo one two three");
      assert.equal(await page.getByTestId("palette").count(), 0);
      await page.keyboard.press("Control+Shift+J");
      await focused(page, "[data-process-id=shell] .process-row");
    });
  });

  it("tells the program its size once it rests, and again when the window changes", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await openTerminal(page, "shell");
      await until(page, () => window.fake.calls.some((call) => call.command === "resize_process"));
      const first = (await calls(page, "resize_process"))[0];
      assert.equal(first.processId, "shell");
      assert.ok(first.cols >= 30 && first.cols < 60 && first.rows >= 8, JSON.stringify(first));
      await page.getByRole("button", { name: "Fill the window" }).click();
      await until(page, () => window.fake.calls.some((call) => call.command === "resize_process" && call.params.cols > 120));
      await page.keyboard.press("Escape");
      await page.locator("dialog").waitFor({ state: "detached" });
    });
  });

  it("draws colours of every kind without breaking the page's policy, in each theme", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await openTerminal(page, "shell");
      await screen(page, "docs.example/fees");
      const colour = () => page.evaluate(() => getComputedStyle([...document.querySelectorAll(".xterm-rows span")].find((span) => span.textContent.includes("example/fees"))).color);
      const light = await colour();
      assert.equal(await page.evaluate(() => document.querySelectorAll("style").length), 0);
      await page.emulateMedia({ colorScheme: "dark" });
      await until(page, () => document.documentElement.dataset.theme === "dark");
      await until(page, () => getComputedStyle(document.querySelector(".xterm-scrollable-element")).backgroundColor === "rgb(12, 13, 16)");
      // A program's own colour is moved until it can be read.
      assert.notEqual(await colour(), light);
      const sheets = () => page.evaluate(() => document.adoptedStyleSheets.length);
      assert.ok((await sheets()) > 0);
      await row(page, "web").locator(".process-row").click();
      await page.locator(".term").waitFor({ state: "detached" });
      assert.equal(await sheets(), 0);
    });
  });

  it("is one at a time", async () => {
    await withWindow(scene("rail-needs"), async (page) => {
      await page.evaluate(() => {
        const { gateway } = window.fake;
        gateway.outputs.set("second", "second\r\n");
        gateway.putProcess({ ...gateway.processes.get("sudo"), processId: "second", command: "python3", outputBytes: 8 });
      });
      await openTerminal(page, "sudo");
      await openTerminal(page, "second");
      await screen(page, "second");
      assert.equal(await page.locator(".xterm").count(), 1);
      const before = (await calls(page, "read_output")).filter(({ processId }) => processId === "sudo").length;
      await page.evaluate(() => window.fake.gateway.putProcess({ ...window.fake.gateway.processes.get("sudo"), outputBytes: 4000 }));
      await settled(page);
      assert.equal((await calls(page, "read_output")).filter(({ processId }) => processId === "sudo").length, before);
    });
  });

  it("answers nothing that was asked before anybody looked", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      const ask = "\u001b[6n\u001b[c\u001b]10;?\u0007\u001b[?2026$p";
      await page.evaluate((words) => {
        window.fake.gateway.outputs.set("shell", `${words}old\r\n`);
        window.fake.gateway.putProcess({ ...window.fake.gateway.processes.get("shell"), outputBytes: words.length + 5 });
      }, ask);
      await openTerminal(page, "shell");
      await screen(page, "old");
      await settled(page);
      assert.deepEqual(await calls(page, "write_input"), []);
      await page.evaluate((words) => {
        const { gateway } = window.fake;
        const all = `${gateway.outputs.get("shell")}${words}new\r\n`;
        gateway.outputs.set("shell", all);
        gateway.putProcess({ ...gateway.processes.get("shell"), outputBytes: all.length });
      }, ask);
      await until(page, () => window.fake.calls.some((call) => call.command === "write_input" && call.params.data.includes("R")));
    });
  });

  it("asks before a link opens, and says where it goes", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await page.evaluate(() => {
        const words = "\u001b]8;;https://evil.example/x\u0007the docs\u001b]8;;\u0007\r\n";
        window.fake.gateway.outputs.set("shell", words);
        window.fake.gateway.putProcess({ ...window.fake.gateway.processes.get("shell"), outputBytes: words.length });
      });
      await openTerminal(page, "shell");
      await screen(page, "the docs");
      const box = await page.locator(".xterm-screen").boundingBox();
      await page.mouse.move(box.x + 20, box.y + 9);
      await page.locator(".xterm-cursor-pointer").waitFor();
      await page.mouse.click(box.x + 20, box.y + 9);
      await page.getByText("The link goes to https://evil.example/x.").waitFor();
      assert.deepEqual(await page.evaluate(() => window.fake.opened), []);
      await page.getByRole("button", { name: "Open in browser" }).click();
      await until(page, () => window.fake.opened.length === 1);
    });
  });

  it("pauses when somebody scrolls up, says how much came, and goes on at the end", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await page.evaluate(() => {
        const words = Array.from({ length: 200 }, (_, n) => `line ${n}`).join("\r\n");
        window.fake.gateway.outputs.set("shell", words);
        window.fake.gateway.putProcess({ ...window.fake.gateway.processes.get("shell"), outputBytes: words.length });
      });
      await openTerminal(page, "shell");
      await screen(page, "line 199");
      const box = await page.locator(".xterm-screen").boundingBox();
      await page.mouse.move(box.x + 40, box.y + 40);
      await page.mouse.wheel(0, -900);
      await page.locator(".output-follow").waitFor();
      const more = "\r\nlater words";
      await page.evaluate((words) => {
        const all = window.fake.gateway.outputs.get("shell") + words;
        window.fake.gateway.outputs.set("shell", all);
        window.fake.gateway.putProcess({ ...window.fake.gateway.processes.get("shell"), outputBytes: all.length });
      }, more);
      await page.locator(".output-follow", { hasText: "13 B new" }).click();
      await screen(page, "later words");
      await page.locator(".output-follow").waitFor({ state: "detached" });
    });
  });

  it("finds words, copies what it holds, and opens a port in the browser", async () => {
    await withWindow({ ...scene("rail-terminal"), permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await openTerminal(page, "shell");
      await page.getByRole("button", { name: "Find in the output" }).click();
      await page.keyboard.type("ORDERS");
      await page.getByText("1 of 4").waitFor();
      await page.keyboard.press("Enter");
      await page.getByText("2 of 4").waitFor();
      await page.keyboard.press("Escape");
      await focused(page, ".xterm-helper-textarea");
      await page.getByRole("button", { name: "Copy the output" }).click();
      await until(page, () => document.querySelector(".live-region").textContent.startsWith("Copied"));
      assert.match(await page.evaluate(() => navigator.clipboard.readText()), /git status --short\n M src\/refund\.ts\n/);
      await row(page, "web").locator(".process-row").focus();
      await page.keyboard.press("o");
      await until(page, () => window.fake.opened.includes("http://127.0.0.1:5173"));
    });
  });

  it("hides a password, sends it to the program only, and says so", async () => {
    await withWindow(scene("rail-needs"), async (page) => {
      await row(page, "sudo").locator(".process-row").focus();
      await page.keyboard.press("i");
      await focused(page, ".type-secret input[type=password]");
      await page.getByText("It goes to the program only. It is not kept, and not in the transcript.").waitFor();
      await page.keyboard.type("hunter2");
      await page.keyboard.press("Enter");
      await until(page, () => document.querySelector(".type-line input")?.type === "text");
      assert.deepEqual(await calls(page, "write_input"), [{ processId: "sudo", data: "hunter2\r" }]);
      assert.equal(await page.locator(".type-line input").inputValue(), "");
      assert.equal(await page.evaluate(() => document.body.innerText.includes("hunter2")), false);
    });
  });

  it("helps a reader of the screen who asks for it", async () => {
    await withWindow(scene("rail-terminal"), async (page) => {
      await openTerminal(page, "shell");
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitemcheckbox", { name: "Help a screen reader" }).click();
      await until(page, () => document.querySelector(".xterm-accessibility-tree")?.textContent.includes("git status") === true);
      await page.evaluate(() => localStorage.removeItem("gatehouse.terminal.reader"));
    });
  });
});

describe("a flood of 10 MB a second", { concurrency: 1 }, () => {
  for (const [id, most] of [["flood", 32_768], ["flood-plain", 4096]]) {
    it(`is read once a frame at most, never more than can be shown: ${id}`, async () => {
      await withWindow(scene("rail-flood"), async (page) => {
        await row(page, id).locator(".process-row").click();
        await page.locator(".output-frame").waitFor();
        const asked = await page.evaluate(
          (processId) =>
            new Promise((done) => {
              const reads = () => window.fake.calls.filter((call) => call.command === "read_output" && call.params.processId === processId);
              const frames = [];
              let seen = 0;
              const frame = (at) => {
                const all = reads();
                frames.push({ at, reads: all.length - seen });
                seen = all.length;
                if (frames.length < 180 && all.length < 120) requestAnimationFrame(frame);
                else done({ frames, sizes: all.map((call) => call.params.max), total: window.fake.gateway.floods.get(processId).total });
              };
              requestAnimationFrame(frame);
            }),
          id,
        );
        const { frames, sizes } = asked;
        assert.ok(sizes.length > 10, `only ${sizes.length} reads`);
        assert.deepEqual(sizes.slice(1).filter((size) => size > most), []);
        // A frame may see the read of the one before it.
        assert.ok(Math.max(...frames.slice(2).map(({ reads }) => reads)) <= 2, JSON.stringify(frames));
        const gaps = frames.slice(1).map(({ at }, n) => at - frames[n].at).toSorted((a, b) => a - b);
        console.log(`# ${id}: ${frames.length} frames, ${sizes.length} reads of at most ${most} B, p95 ${gaps[Math.floor(gaps.length * 0.95)].toFixed(1)} ms, longest ${gaps.at(-1).toFixed(1)} ms`);
        const shown = id === "flood" ? ".xterm-rows" : ".output";
        await until(page, (selector) => document.querySelector(selector)?.textContent.includes("not shown here") || document.querySelector(".output-amount")?.textContent.includes(" of "), shown);
      });
    });
  }
});
