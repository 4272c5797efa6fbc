// What holds in every view: its reference pictures, what readers need, what the looks promise.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { amber, clipped, inkButtons, moving, sideways, smallText, vanished, widen } from "./looks.mjs";
import { ALLOWED_PERMILLE, comparePicture, FOLDER, writePicture } from "./pictures.mjs";
import { armed, VIEWS } from "./views.mjs";
import { emptyPage, settled, still, until, withWindow } from "./window.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const WRITES = process.env.GATEHOUSE_SCREENS === "write";
const NOON = new Date("2031-05-06T14:02:00Z");
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 720, height: 900 };

/** Where pictures are compared; opened once. */
let desk;

/** What axe finds. What is not about colours is the same in every theme, so it is looked for once. */
async function violations(page, theme) {
  const options = theme === "light" ? {} : { runOnly: { type: "rule", values: [theme.startsWith("hc-") ? "color-contrast-enhanced" : "color-contrast"] } };
  const found = await page.evaluate((given) => window.axe.run(document, { ...given, resultTypes: ["violations"] }).then((done) => done.violations), options);
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${theme} ${id}: ${node.html.slice(0, 160)} ${node.any[0]?.message ?? ""}`));
}

async function picture(page, view, scheme, { width }) {
  const name = `${view.name}-${scheme}-${width}`;
  const png = await page.screenshot({ animations: "disabled" });
  desk ??= emptyPage();
  if (WRITES) return writePicture(await desk, name, png);
  const { permille, words } = await comparePicture(await desk, name, png);
  return permille <= ALLOWED_PERMILLE ? undefined : `${name}: ${words}`;
}

/** Whether the page has heard what the system asks for: it is told by events, which may come after the next frames. */
function looksAsAsked() {
  const asked = (name, value) => matchMedia(`(prefers-${name}: ${value})`).matches;
  const { theme, motion } = document.documentElement.dataset;
  const shade = asked("color-scheme", "dark") ? "dark" : "light";
  return theme === (asked("contrast", "more") ? `hc-${shade}` : shade) && motion === (asked("reduced-motion", "reduce") ? "reduced" : "normal");
}

/** Changes the window, and waits until it stands. */
async function become(page, { size, ...media }) {
  if (size !== undefined) {
    await page.setViewportSize(size);
    // Nothing is under the pointer.
    await page.mouse.move(0, 0);
  }
  await page.emulateMedia(media);
  await until(page, looksAsAsked);
  await settled(page);
  if (size === undefined) return;
  await armed(page);
  await still(page);
}

/** The view as it is usually seen, in each size and theme. */
async function usual(page, view, sizes, take) {
  for (const size of sizes) {
    for (const scheme of ["light", "dark"]) {
      await become(page, { size, colorScheme: scheme, contrast: "no-preference" });
      take(await picture(page, view, scheme, size), "picture");
      if (WRITES) continue;
      if (view.calm) take(await amber(page), `amber, ${scheme}`);
      if (size === sizes[0]) take(await violations(page, scheme), "axe");
    }
    if (!WRITES) await measured(page, view, size, take);
  }
}

async function measured(page, view, { width }, take) {
  take(await smallText(page), "small text");
  take(await sideways(page), `sideways at ${width}`);
  const ink = await inkButtons(page);
  const wanted = view.ink ?? 0;
  if (ink.length !== wanted) take(`there are ${ink.length} of ${wanted}: ${ink.join(", ")}`, `ink at ${width}`);
}

/** The view as a person may have asked their system for it. */
async function asked(page, size, take) {
  for (const colorScheme of ["light", "dark"]) {
    await become(page, { size, colorScheme, contrast: "more" });
    take(await violations(page, `hc-${colorScheme}`), "axe");
  }
  await become(page, { colorScheme: "dark", contrast: "no-preference", forcedColors: "active", reducedMotion: "reduce" });
  take(await vanished(page), "vanished in forced colours");
  take(await moving(page), "moves");
  await page.emulateMedia({ forcedColors: "none", reducedMotion: "no-preference" });
}

/** The view at 200 %, and in a language with longer words. */
async function cramped(page, sizes, take) {
  // A window of 1280 at 200 %.
  await become(page, { size: { width: 640, height: 450 } });
  take(await sideways(page), "sideways at 200 %");
  for (const size of sizes) {
    await become(page, { size });
    await widen(page);
    await settled(page);
    take(await sideways(page), `sideways with longer words at ${size.width}`);
    take(await clipped(page), `cut with longer words at ${size.width}`);
  }
}

const sizesOf = (view) => (view.narrow ? [NARROW] : view.wide ? [WIDE] : [WIDE, NARROW]);

/** Views that one page goes through. */
const GROUPS = Object.entries(Object.fromEntries(VIEWS.map((view) => [view.group ?? view.name, VIEWS.filter((other) => (other.group ?? other.name) === (view.group ?? view.name))])));

/** All faults of a group of views, so that one run tells them all. Longer words come last: they stay in the page. */
async function faultsOf(page, views) {
  const faults = [];
  const visit = async (view, look) => {
    await become(page, { size: sizesOf(view)[0] });
    await view.prepare?.(page);
    await look((found, about) => faults.push(...[found ?? []].flat().map((words) => `${view.name}, ${about}: ${words}`)));
  };
  for (const view of views) {
    await visit(view, async (take) => {
      await usual(page, view, sizesOf(view), take);
      if (!WRITES) await asked(page, sizesOf(view)[0], take);
      if (!WRITES && views.length === 1) await cramped(page, sizesOf(view), take);
    });
  }
  if (WRITES || views.length === 1) return faults;
  for (const view of views) await visit(view, (take) => cramped(page, sizesOf(view), take));
  return faults;
}

describe("every view", { concurrency: 3 }, () => {
  for (const [name, views] of GROUPS) {
    it(name, async () => {
      const [{ scene, session, profile, ready, narrow }] = views;
      await withWindow({ scene, session, profile, ready, at: NOON, viewport: narrow ? NARROW : WIDE }, async (page) => {
        await page.evaluate(AXE);
        await page.evaluate(() => document.fonts.ready);
        assert.deepEqual(await faultsOf(page, views), []);
      });
    });
  }
});

it("has no picture of a view that is gone", () => {
  const made = VIEWS.flatMap((view) => sizesOf(view).flatMap(({ width }) => ["light", "dark"].map((scheme) => `${view.name}-${scheme}-${width}.png`)));
  assert.deepEqual(readdirSync(FOLDER).filter((file) => !made.includes(file)), []);
});

it("tells one more row from a picture", { skip: WRITES }, async () => {
  const view = VIEWS.find(({ name }) => name === "calm");
  await withWindow({ scene: view.scene, session: view.session, at: NOON }, async (page) => {
    await become(page, { size: WIDE, colorScheme: "light" });
    assert.equal(await picture(page, view, "light", WIDE), undefined);
    await page.evaluate(() => {
      const { gateway } = window.fake;
      gateway.putSession({ ...gateway.sessions.get("cron"), sessionId: "more", title: "Another one", lastAtMs: 0 });
    });
    await page.locator("[data-session-id=more]").waitFor();
    await still(page);
    assert.match(await picture(page, view, "light", WIDE), /squares differ/);
  });
});
