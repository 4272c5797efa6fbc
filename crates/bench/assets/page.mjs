// Measures the pages in headless Chromium: node page.mjs ADDRESS LONG-SESSION EMPTY-SESSION LAST-WORDS
// Prints one JSON object. What fails stands in `failed`; the rest is still told.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const [address, long, empty, lastWords] = process.argv.slice(2);
const FRAMES = 300;
const KEYS = 100;
const seen = { scroll: [], blank_scroll: [], key_work: [], failed: [] };

const flags =
  "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync";
const server = await chromium.launchServer({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: flags.split(" "),
});
const browser = await chromium.connect(server.wsEndpoint());
const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });

/** Proportional memory of the browser and everything below it. */
function memoryMib() {
  const parents = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const tree = [server.process().pid];
  for (const root of tree) tree.push(...parents.filter(([, parent]) => parent === root).map(([pid]) => pid));
  let kib = 0;
  for (const pid of tree) {
    try {
      kib += Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1] ?? 0);
    } catch {
      // It ended meanwhile.
    }
  }
  return kib / 1024;
}

async function settled() {
  const line = await page.context().newCDPSession(page);
  await line.send("HeapProfiler.collectGarbage");
  await line.detach();
  await page.waitForTimeout(1500);
}

/** Spans between frames while the view moves up, a step a frame. */
function scrollFrames(selector, frames) {
  return page.evaluate(
    async ([selector, frames]) => {
      const view = selector === null ? document.scrollingElement : document.querySelector(selector);
      const spans = [];
      let before = await new Promise(requestAnimationFrame);
      for (let n = 0; n < frames; n += 1) {
        view.scrollTop -= 120;
        const now = await new Promise(requestAnimationFrame);
        spans.push(now - before);
        before = now;
      }
      return spans;
    },
    [selector, frames],
  );
}

async function part(name, measure) {
  try {
    await measure();
  } catch (error) {
    seen.failed.push(`${name}: ${String(error).split("\n")[0]}`);
  }
}

await part("chromium_blank_scroll_p99_ms", async () => {
  const lines = Array.from({ length: 4000 }, (_, n) => `<p>Line ${n}</p>`).join("");
  await page.setContent(`<!doctype html><title>Blank</title>${lines}`);
  await page.evaluate(() => document.scrollingElement.scrollTo(0, 1e9));
  seen.blank_scroll = await scrollFrames(null, FRAMES);
});

await part("chromium_open_million_ms", async () => {
  await page.goto(address);
  const session = (title) => page.getByText(title, { exact: true }).first();
  await session(empty).click();
  await settled();
  const before = memoryMib();
  // The clock of the page itself: from the press to the frame after the last entry stands there.
  const opened = page.evaluate(
    (words) =>
      new Promise((resolve) => {
        addEventListener("pointerdown", () => {
          const began = performance.now();
          const look = () => {
            if (document.querySelector(".scroll")?.textContent.includes(words)) {
              requestAnimationFrame(() => resolve(performance.now() - began));
            } else {
              requestAnimationFrame(look);
            }
          };
          look();
        }, { once: true, capture: true });
      }),
    lastWords,
  );
  await session(long).click();
  const patience = new Promise((_, fail) => setTimeout(() => fail(new Error("the last entry did not appear")), 30_000));
  seen.open_ms = await Promise.race([opened, patience]);
  await settled();
  seen.growth_mib = memoryMib() - before;
});

await part("chromium_scroll_p99_ms", async () => {
  seen.scroll = await scrollFrames(".scroll", FRAMES);
});

await part("chromium_key_work_p95_ms", async () => {
  const box = page.locator("textarea").first();
  await box.click();
  await page.evaluate(() => {
    globalThis.work = [];
    let began = 0;
    addEventListener("keydown", () => (began = performance.now()), true);
    addEventListener("input", () => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => globalThis.work.push(performance.now() - began);
      channel.port2.postMessage(null);
    });
  });
  await box.pressSequentially("a word and ".repeat(KEYS).slice(0, KEYS), { delay: 20 });
  seen.key_work = await page.evaluate(() => globalThis.work);
});

await browser.close();
await server.close();
console.log(JSON.stringify(seen));
