import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallError } from "../bridge/bridge";
import type { Profile } from "../bridge/wire";
import { keepDraft, readDrafts } from "../composer/drafts";
import { makeStage } from "../testing/stage";
import { Switcher } from "./Switcher";

const PERSONAL: Profile = { name: "personal", state: "running", processes: 1, unread: 3 };
const WORK: Profile = { name: "work", state: "running", processes: 1, unread: 3 };
const ARCHIVE: Profile = { name: "archive", state: "refused", problem: "The data file is damaged." };

beforeEach(() => {
  // jsdom draws no dialogs.
  HTMLDialogElement.prototype.showModal = function show() {
    this.open = true;
  };
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

async function open(rows: Profile[], answers: Parameters<typeof makeStage>[0] = {}) {
  const held = { rows };
  const stage = makeStage({ list_profiles: async () => ({ profiles: held.rows, first: "personal" }), ...answers });
  stage.show(<Switcher />);
  await act(() => stage.store.profiles.read());
  return { stage, held };
}

const button = () => screen.getByTestId("profile");
const choices = () => [...screen.getByRole("menu").querySelectorAll<HTMLElement>("button")];
const lines = () => choices().map((choice) => choice.textContent);
const line = (name: RegExp) => choices().find((choice) => name.test(choice.textContent ?? "")) as HTMLElement;
const press = async (name: RegExp) => {
  fireEvent.click(line(name));
  await act(async () => undefined);
};
const openMenu = async () => {
  fireEvent.click(button());
  await act(async () => undefined);
};

describe("the switcher", () => {
  it("is the product's name as long as there is one profile, and leads to a new one", async () => {
    await open([PERSONAL]);
    expect(button().textContent).toBe("Gatehouse");
    expect(button().dataset["quiet"]).toBe("true");
    await openMenu();
    expect(lines()).toEqual(["personal", "New profile"]);
  });

  it("names the profile where there are several, and each with its state in words", async () => {
    await open([PERSONAL, WORK, { name: "lab", state: "starting" }, ARCHIVE]);
    expect(button().textContent).toBe("personal");
    await openMenu();
    expect(lines()).toEqual(["personal", "work3 unread, 1 process", "labStarting", "archiveNot opened. The data file is damaged.", "New profile"]);
    expect(line(/personal/).getAttribute("aria-checked")).toBe("true");
    expect(line(/^work/).getAttribute("aria-checked")).toBe("false");
  });

  it("goes to a profile by keys, also to one that cannot be opened", async () => {
    const { stage } = await open([PERSONAL, WORK, ARCHIVE]);
    await openMenu();
    expect(document.activeElement).toBe(line(/personal/));
    fireEvent.keyDown(line(/personal/), { key: "End" });
    fireEvent.keyDown(line(/New profile/), { key: "ArrowUp" });
    expect(document.activeElement).toBe(line(/archive/));
    await press(/archive/);
    expect(stage.profiles).toEqual(["archive"]);
    expect(document.activeElement).toBe(button());
  });

  it("writes down what was typed before it goes", async () => {
    const order: string[] = [];
    let kept: () => void = () => undefined;
    const { stage } = await open([PERSONAL, WORK], {
      get_ui_state: async () => ({ entries: [] }),
      set_ui_state: ({ key, value }) => {
        order.push(`${key} ${value}`);
        return new Promise((resolve) => (kept = () => resolve({})));
      },
    });
    readDrafts(stage.store.bridge);
    keepDraft("orders", "not sent yet");
    await openMenu();
    await press(/^work/);
    expect(order).toEqual(["draft:orders not sent yet"]);
    expect(stage.profiles).toEqual([]);
    kept();
    await act(async () => undefined);
    expect(stage.profiles).toEqual(["work"]);
  });

  it("closes without going anywhere on Escape and on the profile that is shown", async () => {
    const { stage } = await open([PERSONAL, WORK]);
    await openMenu();
    fireEvent.keyDown(line(/^work/), { key: "Escape" });
    expect(screen.queryByRole("menu")).toBeNull();
    await openMenu();
    await press(/personal/);
    expect(screen.queryByRole("menu")).toBeNull();
    expect(stage.profiles).toEqual([]);
  });

  it("asks again as long as one starts, and is told when it runs", async () => {
    vi.useFakeTimers();
    const { held, stage } = await open([PERSONAL, { name: "lab", state: "starting" }]);
    fireEvent.click(button());
    await act(() => vi.advanceTimersByTimeAsync(0));
    held.rows = [PERSONAL, { name: "lab", state: "running" }];
    await act(() => vi.advanceTimersByTimeAsync(1000));
    expect(lines()).toEqual(["personal", "lab", "New profile"]);
    const asked = stage.calls.length;
    await act(() => vi.advanceTimersByTimeAsync(5000));
    expect(stage.calls.length).toBe(asked);
  });
});

describe("a new profile", () => {
  const name = () => screen.getByTestId<HTMLInputElement>("profile-name");
  const create = async (words: string) => {
    fireEvent.change(name(), { target: { value: words } });
    fireEvent.click(screen.getByTestId("profile-create"));
    await act(async () => undefined);
  };

  it("is made by its name, and the window goes there", async () => {
    const { stage } = await open([PERSONAL], { create_profile: async () => ({}) });
    await openMenu();
    await press(/New profile/);
    await create(" work ");
    expect(stage.calls).toContainEqual({ command: "create_profile", params: { name: "work" } });
    expect(stage.profiles).toEqual(["work"]);
  });

  it("says below the field what is wrong with a name, and goes nowhere", async () => {
    const refusal = new CallError("invalid_request", "There is a profile \"personal\" already.");
    const { stage } = await open([PERSONAL], { create_profile: () => Promise.reject(refusal) });
    await openMenu();
    await press(/New profile/);
    await create("  ");
    expect(screen.getByRole("alert").textContent).toContain("It needs a name");
    await create("personal");
    expect(screen.getByRole("alert").textContent).toContain(refusal.message);
    expect(name().getAttribute("aria-invalid")).toBe("true");
    fireEvent.change(name(), { target: { value: "p" } });
    expect(screen.queryByRole("alert")).toBeNull();
    expect(stage.profiles).toEqual([]);
  });
});
