// @vitest-environment jsdom
import { act, cleanup } from "@testing-library/react";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeSettings } from "../bridge/fake/settings";
import { makeStage } from "../testing/stage";
import { useDensity, useLook } from "./look";

const SCRIPT = readFileSync(resolve(import.meta.dirname, "../../public/theme.js"), "utf8");
const root = document.documentElement.dataset;

class Wish extends EventTarget {
  matches = false;
  set(matches: boolean): void {
    this.matches = matches;
    this.dispatchEvent(new Event("change"));
  }
}
const dark = new Wish();
const contrast = new Wish();
const still = new Wish();

/** Runs the page's first script, as a reload does. */
const load = () => new Function("matchMedia", SCRIPT)((query: string) => (query.includes("scheme") ? dark : query.includes("contrast") ? contrast : still));

function Look() {
  useLook();
  return <p>{useDensity()}</p>;
}

const usual = new FakeSettings().settings;
const show = (look: Partial<typeof usual.look>) => {
  const stage = makeStage();
  const shown = stage.show(<Look />);
  act(() => stage.store.setup.take({ ...usual, look: { ...usual.look, ...look } }));
  return shown;
};

beforeAll(() => {
  // jsdom without an address of its own keeps nothing.
  const kept = new Map<string, string>();
  Object.defineProperty(window, "localStorage", {
    configurable: true,
    value: { getItem: (key: string) => kept.get(key) ?? null, setItem: (key: string, value: string) => kept.set(key, value), clear: () => kept.clear() },
  });
});
beforeEach(() => {
  localStorage.clear();
  for (const wish of [dark, contrast, still]) wish.matches = false;
});
afterEach(cleanup);

describe("the first frame", () => {
  it("is the desktop's while nothing was chosen, and follows it", () => {
    dark.matches = true;
    load();
    expect(root["theme"]).toBe("dark");
    dark.set(false);
    expect(root["theme"]).toBe("light");
    contrast.set(true);
    expect(root["theme"]).toBe("hc-light");
    still.set(true);
    expect(root["motion"]).toBe("reduced");
  });

  it("is the last choice after a start, whatever the desktop says", () => {
    load();
    show({ theme: "dark", contrast: "high", motion: "reduced", density: "summary" });
    delete root["theme"];
    load();
    expect({ ...root }).toEqual({ theme: "hc-dark", motion: "reduced", density: "summary" });
  });

  it("does not stumble over what somebody else kept there", () => {
    localStorage.setItem("gatehouse.look", "{");
    load();
    expect(root["theme"]).toBe("light");
  });
});

describe("the settings", () => {
  it("win over the desktop, and over what was kept", () => {
    localStorage.setItem("gatehouse.look", JSON.stringify({ theme: "dark" }));
    dark.matches = true;
    still.matches = true;
    load();
    show({ theme: "light", motion: "normal" });
    expect(root["theme"]).toBe("light");
    expect(root["motion"]).toBe("normal");
    dark.set(true);
    expect(root["theme"]).toBe("light");
  });

  it("tell the transcript how much is open", () => {
    load();
    expect(show({ density: "verbose" }).container.textContent).toBe("verbose");
  });
});
