// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallError } from "../bridge/bridge";
import type { Session } from "../bridge/wire";
import { makeStage, process, session } from "../testing/stage";
import { Sidebar } from "./Sidebar";

const copied: string[] = [];
beforeEach(() => {
  copied.length = 0;
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (words: string) => Promise.resolve(copied.push(words)) } });
});
afterEach(cleanup);

const rows = (...all: Partial<Session>[]) => ({ sessions: new Map(all.map((one) => [one.sessionId ?? "s", session(one)])) });
const open = (answers: Parameters<typeof makeStage>[0] = {}, ...all: Partial<Session>[]) => {
  const done = () => Promise.resolve({});
  const stage = makeStage({ set_muted: done, update_session: done, ...answers });
  const shown = stage.show(<Sidebar onChosen={() => undefined} />);
  stage.feed(rows(...(all.length > 0 ? all : [{ sessionId: "a", title: "Orders" }, { sessionId: "b", title: "Photos" }])));
  return { stage, ...shown };
};
const row = (title: string) => screen.getByText(title).closest("button") as HTMLElement;
const frame = () => act(() => new Promise((resolve) => requestAnimationFrame(() => resolve(undefined))));
const choose = (title: string, action: string) => {
  fireEvent.contextMenu(row(title));
  fireEvent.click(screen.getByRole("menuitem", { name: action }));
};

describe("the sidebar", () => {
  it("opens the palette from its search field", () => {
    const { stage } = open();
    fireEvent.click(screen.getByRole("button", { name: /Search/ }));
    expect(stage.store.selection.palette).toBe(true);
  });

  it("groups by who must act, and lights the lamp only while somebody must", () => {
    const { stage, container } = open({}, { sessionId: "a", title: "Orders", group: "earlier" }, { sessionId: "b", title: "Photos" });
    const groups = () => screen.getAllByRole("heading", { level: 2 }).map((head) => head.textContent);
    expect(groups()).toEqual(["Running1", "Earlier"]);
    expect(container.querySelector(".gate-lamp")).toBeNull();
    stage.feed(rows({ sessionId: "a", title: "Orders", group: "needs_you" }, { sessionId: "b", title: "Photos" }));
    expect(groups()).toEqual(["Needs you1", "Running1"]);
    expect(container.querySelector(".gate-lamp")).not.toBeNull();
  });

  it("says which program waits for somebody to type, and nothing of it once it was answered", () => {
    const { stage } = open({}, { sessionId: "a", title: "Orders", group: "needs_you", summary: "Renewed 2 of 3" });
    const asks = process({ processId: "certbot", sessionId: "a", command: "certbot renew", attention: "needs_input" });
    const other = process({ processId: "web", sessionId: "a", command: "npm run dev", startedAtMs: asks.startedAtMs + 1 });
    stage.feed({ processes: new Map([asks, other].map((one) => [one.processId, one])) });
    expect(row("Orders").querySelector(".session-summary")?.textContent).toBe("Needs input: certbot renew");
    stage.feed({ ...rows({ sessionId: "a", title: "Orders", group: "needs_you", summary: "Allow a command: rm -rf ./tmp", pendingApprovals: 1 }) });
    expect(row("Orders").querySelector(".session-summary")?.textContent).toBe("Allow a command: rm -rf ./tmp");
    stage.feed({ ...rows({ sessionId: "a", title: "Orders", group: "running", summary: "Renewed 2 of 3" }), processes: new Map([["certbot", { ...asks, attention: null }]]) });
    expect(row("Orders").querySelector(".session-summary")?.textContent).toBe("Renewed 2 of 3");
  });

  it("tells the time beside the title where there is no second line", () => {
    open({}, { sessionId: "a", title: "Orders" }, { sessionId: "b", title: "Photos", summary: "Sorted 2 of 3" });
    expect(row("Orders").querySelectorAll(".session-when")).toHaveLength(1);
    expect(row("Orders").querySelector(".session-end .session-when")).not.toBeNull();
    expect(row("Photos").querySelectorAll(".session-when")).toHaveLength(1);
    expect(row("Photos").querySelector(".session-end .session-when")).toBeNull();
  });

  it("says of a muted session that it is muted", () => {
    open({}, { sessionId: "a", title: "Orders", muted: true }, { sessionId: "b", title: "Photos" });
    expect(within(row("Orders")).getByText("Muted")).toBeTruthy();
    expect(within(row("Photos")).queryByText("Muted")).toBeNull();
  });
});

describe("a session that ended", () => {
  it("stands under earlier with a mark, unless something goes on in it", () => {
    const { container } = open(
      {},
      { sessionId: "a", title: "Orders", group: "done_today", ended: "new_session" },
      { sessionId: "b", title: "Photos", group: "done_today", ended: "closed" },
      { sessionId: "c", title: "Lease", group: "running", ended: "closed" },
      { sessionId: "d", title: "Docker", group: "done_today" },
    );
    const placed = Object.fromEntries([...container.querySelectorAll<HTMLElement>(".session-row")].map((one) => [one.dataset["sessionId"], one.dataset["group"]]));
    expect(placed).toEqual({ a: "earlier", b: "earlier", c: "running", d: "done_today" });
    within(row("Orders")).getByRole("img", { name: "Ended" });
    within(row("Photos")).getByRole("img", { name: "Closed" });
    expect(within(row("Docker")).queryByRole("img")).toBeNull();
  });

  it("is neither closed nor begun anew", () => {
    open({}, { sessionId: "a", title: "Orders", ended: "closed" });
    fireEvent.contextMenu(row("Orders"));
    expect(screen.getAllByRole("menuitem").map((one) => one.textContent)).not.toContain("Close session");
  });
});

describe("a row's menu", () => {
  it.each([
    ["a full stop", { key: "." }],
    ["the menu key", { key: "ContextMenu" }],
    ["Shift F10", { key: "F10", shiftKey: true }],
  ])("comes with %s; the arrows walk it and Esc gives the row the focus again", async (_name, press) => {
    open();
    row("Photos").focus();
    expect(fireEvent.keyDown(row("Photos"), press)).toBe(false);
    const items = screen.getAllByRole("menuitem");
    expect(items.map((item) => item.textContent)).toEqual(["Rename", "Mute", "Copy transcript", "Move to earlier", "New session in its place", "Close session"]);
    expect(document.activeElement).toBe(items[0]);
    fireEvent.keyDown(items[0] as HTMLElement, { key: "ArrowDown" });
    expect(document.activeElement).toBe(items[1]);
    fireEvent.keyDown(items[1] as HTMLElement, { key: "Escape" });
    await frame();
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(row("Photos"));
  });

  it.each(["Escape", "Tab"])("goes on %s, which nothing behind it hears, and the row has the focus again", async (key) => {
    open();
    fireEvent.contextMenu(row("Photos"));
    const behind = vi.fn();
    window.addEventListener("keydown", behind);
    fireEvent.keyDown(document.activeElement ?? document.body, { key });
    window.removeEventListener("keydown", behind);
    await frame();
    expect(behind).not.toHaveBeenCalled();
    expect(screen.queryByRole("menu")).toBeNull();
    expect(document.activeElement).toBe(row("Photos"));
  });

  it("goes on Escape wherever the focus has got to", () => {
    open();
    fireEvent.contextMenu(row("Photos"));
    (document.activeElement as HTMLElement).blur();
    fireEvent.keyDown(document.body, { key: "Escape" });
    expect(screen.queryByRole("menu")).toBeNull();
  });

  it.each(["resize", "blur"])("goes when the window is left or changes (%s)", (name) => {
    open();
    fireEvent.contextMenu(row("Photos"));
    fireEvent(window, new Event(name));
    expect(screen.queryByRole("menu")).toBeNull();
  });

  it("goes when one presses elsewhere, and does not open the session", () => {
    const { stage } = open();
    fireEvent.contextMenu(row("Photos"));
    fireEvent.pointerDown(document.body);
    expect(screen.queryByRole("menu")).toBeNull();
    expect(stage.store.selection.sessionId).not.toBe("b");
  });

  it("renames in place: Enter saves, Esc goes back", async () => {
    const { stage } = open();
    choose("Photos", "Rename");
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Title of the session" });
    field.value = "Pictures";
    fireEvent.keyDown(field, { key: "Escape" });
    expect(stage.calls).toEqual([]);
    choose("Photos", "Rename");
    const again = screen.getByRole<HTMLInputElement>("textbox");
    again.value = " Pictures ";
    fireEvent.keyDown(again, { key: "Enter", keyCode: 229 });
    expect(stage.calls).toEqual([]);
    fireEvent.keyDown(again, { key: "Enter" });
    expect(stage.calls).toEqual([{ command: "update_session", params: { sessionId: "b", title: "Pictures" } }]);
    await frame();
    expect(document.activeElement).toBe(row("Photos"));
  });

  it("keeps what was typed, and the place in it, when the row goes to another group", async () => {
    const { stage } = open({}, { sessionId: "a", title: "Orders" }, { sessionId: "b", title: "Photos", group: "done_today" });
    const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Title of the session" });
    choose("Photos", "Rename");
    expect([field().selectionStart, field().selectionEnd]).toEqual([0, 6]);
    fireEvent.change(field(), { target: { value: "Pictures of" } });
    field().setSelectionRange(2, 5);
    stage.feed(rows({ sessionId: "a", title: "Orders" }, { sessionId: "b", title: "Photos", group: "running" }));
    expect(field().value).toBe("Pictures of");
    expect(document.activeElement).toBe(field());
    expect([field().selectionStart, field().selectionEnd]).toEqual([2, 5]);
    expect(stage.calls).toEqual([]);
    fireEvent.keyDown(field(), { key: "Enter" });
    expect(stage.calls).toEqual([{ command: "update_session", params: { sessionId: "b", title: "Pictures of" } }]);
    choose("Photos", "Rename");
    expect(field().value).toBe("Photos");
  });

  it("begins a new session in its place, and goes there from the open one only", async () => {
    const { stage } = open({ send_message: () => Promise.resolve({ admissionId: "a", nextSessionId: "next" }) });
    act(() => stage.store.openSession("a"));
    choose("Photos", "New session in its place");
    await frame();
    expect(stage.calls.at(-1)).toMatchObject({ command: "send_message", params: { sessionId: "b", text: "/new", mode: "queue" } });
    expect(stage.store.selection.sessionId).toBe("a");
    choose("Orders", "New session in its place");
    await frame();
    expect(stage.store.selection.sessionId).toBe("next");
  });

  it("closes, and says why not", async () => {
    const { stage } = open({ close_session: () => Promise.reject(new CallError("invalid_request", "A turn is running here.")) });
    choose("Photos", "Close session");
    expect(stage.calls.at(-1)).toEqual({ command: "close_session", params: { sessionId: "b" } });
    await screen.findByText("Not done: A turn is running here.");
  });

  it("mutes, unmutes, and moves to earlier unless it is there", () => {
    const { stage } = open({}, { sessionId: "a", title: "Orders", muted: true, group: "earlier" }, { sessionId: "b", title: "Photos" });
    choose("Photos", "Mute");
    choose("Orders", "Unmute");
    choose("Photos", "Move to earlier");
    fireEvent.contextMenu(row("Orders"));
    expect(screen.queryByRole("menuitem", { name: "Move to earlier" })).toBeNull();
    expect(stage.calls).toEqual([
      { command: "set_muted", params: { sessionId: "b", muted: true } },
      { command: "set_muted", params: { sessionId: "a", muted: false } },
      { command: "update_session", params: { sessionId: "b", earlier: true } },
    ]);
  });

  it("copies the transcript, and says so below the row until the next press", async () => {
    open({ export_session: () => Promise.resolve({ markdown: "# Photos" }) });
    choose("Photos", "Copy transcript");
    expect((await screen.findByText("Transcript copied")).previousElementSibling).toBe(row("Photos"));
    expect(copied).toEqual(["# Photos"]);
    fireEvent.pointerDown(row("Orders"));
    expect(screen.queryByText("Transcript copied")).toBeNull();
  });

  it("says below the row what did not work", async () => {
    open({ export_session: () => Promise.reject(new CallError("store_unavailable", "The disk is full.")) });
    choose("Photos", "Copy transcript");
    expect(await screen.findByText("Not copied: The disk is full.")).toBeTruthy();
  });
});
