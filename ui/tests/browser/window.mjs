// One browser per test file, one page per test. Every page must end without a policy violation or an uncaught error.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before } from "node:test";
import { chromium } from "playwright-core";
import { serve } from "./serve.mjs";

const CANDIDATES = [process.env.GATEHOUSE_CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

const PATIENCE_MS = 30_000;
const QUIET_MS = 150;

let browser;
let server;

before(async () => {
  const pages = process.env.GATEHOUSE_PAGES;
  assert.ok(pages, "run these tests through tests/browser/run.mjs");
  const executablePath = CANDIDATES.find((path) => path && existsSync(path));
  assert.ok(executablePath, "no Chromium was found; name one in GATEHOUSE_CHROMIUM");
  // Chromium refuses its own sandbox to root.
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath, args });
  server = await serve(pages);
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** Opens a scene, runs `test`, and checks what every page must hold. */
export function withWindow({ scene, query = "", profile, ...options }, test) {
  const chosen = profile === undefined ? "" : `#profile=${profile}`;
  return withPage(`${server.url}/?fake=${scene}${query}${chosen}`, test, options);
}

/** The same for any address on this computer. */
export async function withPage(address, test, { session, at, ready = ".status-dot", ...options } = {}) {
  const { origin } = new URL(address);
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-GB", timezoneId: "UTC", ...options });
  context.setDefaultTimeout(PATIENCE_MS);
  // `at` stops the clock; timers go on.
  if (at !== undefined) await context.clock.setFixedTime(at);
  const page = await context.newPage();
  const faults = [];
  const outside = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin)) outside.push(request.url());
  });
  await page.addInitScript((chosen) => {
    // As the desktop does before anything of the page runs.
    Object.freeze(Object.prototype);
    window.violations = [];
    document.addEventListener("securitypolicyviolation", (event) => {
      window.violations.push(`${event.effectiveDirective} ${event.blockedURI}`);
    });
    if (chosen !== undefined) sessionStorage.setItem("gatehouse.session", chosen);
  }, session);
  try {
    await page.goto(address);
    await page.locator(ready).waitFor();
    await test(page, origin);
    assert.deepEqual(await page.evaluate(() => window.violations), []);
    assert.deepEqual(faults, []);
    assert.deepEqual(outside, []);
  } finally {
    await context.close();
  }
}

/** An empty page of the same browser, for work on pictures. */
export async function emptyPage() {
  return browser.newPage();
}

/** Waits until a page says so. */
export function until(page, test, argument) {
  return page.waitForFunction(test, argument, { polling: "raf", timeout: PATIENCE_MS });
}

/** Waits until nothing has changed in the page for a while: first measures came, lists are laid out. */
export function still(page) {
  return page.evaluate(
    (quiet) =>
      new Promise((done) => {
        let timer = setTimeout(end, quiet);
        const last = setTimeout(end, 10 * quiet);
        const seen = new MutationObserver(() => {
          clearTimeout(timer);
          timer = setTimeout(end, quiet);
        });
        function end() {
          seen.disconnect();
          clearTimeout(last);
          done();
        }
        seen.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
      }),
    QUIET_MS,
  );
}

/** Two frames: what was asked of the page is laid out. */
export function settled(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
}
