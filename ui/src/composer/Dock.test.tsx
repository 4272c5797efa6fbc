// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SendMessageReply } from "../bridge/wire";
import { CallError } from "../bridge/bridge";
import { item, makeStage, process, session } from "../testing/stage";
import { Dock } from "./Dock";
import { draftOf, prefill } from "./drafts";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

let sessions = 0;
/** A session of its own for every test: messages that were not taken are remembered. */
const open = (answers: Parameters<typeof makeStage>[0] = {}, more: Parameters<typeof session>[0] = {}) => {
  sessions += 1;
  const sessionId = `s-${sessions}`;
  const stage = makeStage({ get_ui_state: () => Promise.resolve({ entries: [] }), set_ui_state: () => Promise.resolve({}), ...answers });
  stage.feed({ sessions: new Map([[sessionId, session({ sessionId, ...more })]]) });
  const shown = stage.show(<Dock sessionId={sessionId} />);
  return { stage, sessionId, ...shown };
};
const accepted = () => ({ send_message: (): Promise<SendMessageReply> => Promise.resolve({ admissionId: "a" }) });
const field = () => screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
const type = (text: string) => fireEvent.input(field(), { target: { value: text } });
const enter = (more: object = {}) => fireEvent.keyDown(field(), { key: "Enter", code: "Enter", keyCode: 13, ...more });
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve)));
const called = (stage: ReturnType<typeof makeStage>, command: string) => stage.calls.filter((call) => call.command === command).map((call) => call.params);
const sent = (stage: ReturnType<typeof makeStage>) =>
  stage.calls.filter((call) => call.command === "send_message").map((call) => call.params as { text: string; clientKey: string; mode: string; runAnyway?: boolean });

/** What an input method does, in the order of one engine. */
const compose = (engine: "chromium" | "webkit") => {
  const element = field();
  element.focus();
  fireEvent.compositionStart(element, { data: "" });
  // The engine writes into the field itself; no framework sees a change event with a new value.
  element.value = "\u65e5\u672c";
  fireEvent.compositionUpdate(element, { data: "\u65e5\u672c" });
  element.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertCompositionText", data: "\u65e5\u672c", isComposing: true }));
  const confirm = (isComposing: boolean) => {
    const event = new KeyboardEvent("keydown", { key: "Enter", code: "Enter", bubbles: true, cancelable: true, isComposing });
    Object.defineProperty(event, "keyCode", { get: () => 229 });
    act(() => void element.dispatchEvent(event));
  };
  if (engine === "chromium") {
    confirm(true);
    fireEvent.compositionEnd(element, { data: "\u65e5\u672c" });
  } else {
    fireEvent.compositionEnd(element, { data: "\u65e5\u672c" });
    confirm(false);
  }
  fireEvent.keyUp(element, { key: "Enter", code: "Enter", keyCode: 13 });
};

describe("typing", () => {
  it.each(["chromium", "webkit"] as const)("Enter that ends a composition sends nothing, in the order of %s; the next one sends once", async (engine) => {
    const { stage } = open(accepted());
    compose(engine);
    await settle();
    expect(sent(stage)).toEqual([]);
    expect(field().value).toBe("\u65e5\u672c");
    enter();
    await settle();
    expect(sent(stage).map((message) => message.text)).toEqual(["\u65e5\u672c"]);
    expect(field().value).toBe("");
  });

  it("Shift Enter is the field's own new line, Alt Enter makes one at the caret", () => {
    const { stage } = open(accepted());
    type("ab");
    expect(enter({ shiftKey: true })).toBe(true);
    field().setSelectionRange(1, 1);
    enter({ altKey: true });
    expect(field().value).toBe("a\nb");
    expect(sent(stage)).toEqual([]);
  });

  it("nothing but blanks is not sent", () => {
    const { stage } = open(accepted());
    type(" \n ");
    enter();
    expect(sent(stage)).toEqual([]);
  });

  it("Ctrl Enter steers a running turn and is plain sending otherwise", async () => {
    const running = open(accepted(), { runningTurnId: "turn" });
    type("left");
    enter({ ctrlKey: true });
    await settle();
    expect(sent(running.stage)[0]?.mode).toBe("steer");
    cleanup();
    const idle = open(accepted());
    type("left");
    enter({ ctrlKey: true });
    await settle();
    expect(sent(idle.stage)[0]?.mode).toBe("queue");
  });

  it("keeps a draft for each session", () => {
    const { stage, sessionId, rerender } = open(accepted());
    type("half a thought");
    rerender(<Dock sessionId="another" />);
    expect(field().value).toBe("");
    rerender(<Dock sessionId={sessionId} />);
    expect(field().value).toBe("half a thought");
    expect(sent(stage)).toEqual([]);
  });

  it("takes prepared words below what stands there, without sending", () => {
    const { stage, sessionId } = open(accepted());
    type("Look:");
    act(() => prefill(sessionId, "About npm test"));
    expect(field().value).toBe("Look:\nAbout npm test");
    expect(sent(stage)).toEqual([]);
  });
});

describe("sending", () => {
  it("clears at once and gives the words back when they were not taken; another try is the same message", async () => {
    let up = false;
    const { stage } = open({ send_message: () => (up ? Promise.resolve({ admissionId: "a" }) : Promise.reject(new CallError("unreachable", "Nothing answers."))) });
    type("hello");
    enter();
    expect(field().value).toBe("");
    await settle();
    expect(field().value).toBe("hello");
    expect(screen.getByRole("alert").textContent).toContain("Not sent: the gateway does not answer. Nothing answers.");
    up = true;
    enter();
    await settle();
    expect(screen.queryByRole("alert")).toBeNull();
    const [first, second] = sent(stage);
    expect(second?.clientKey).toBe(first?.clientKey);
  });

  it("is another message once the words were changed", async () => {
    const { stage } = open({ send_message: () => Promise.reject(new CallError("unreachable", "Nothing answers.")) });
    type("hello");
    enter();
    await settle();
    type("hello there");
    enter();
    await settle();
    const [first, second] = sent(stage);
    expect(second?.clientKey).not.toBe(first?.clientKey);
  });

  it("does not touch what was typed meanwhile, and keeps the words that were not taken", async () => {
    let fail = (): void => undefined;
    const { stage } = open({ send_message: () => new Promise((_, reject) => (fail = () => reject(new CallError("internal", "A fault.")))) });
    type("first");
    enter();
    type("second");
    await settle();
    fail();
    await settle();
    expect(field().value).toBe("second");
    expect(screen.getByText("first")).toBeTruthy();
    stage.answers.send_message = () => Promise.resolve({ admissionId: "a" });
    fireEvent.click(screen.getByRole("button", { name: "Send again" }));
    await settle();
    expect(field().value).toBe("second");
    expect(screen.queryByText("first")).toBeNull();
    expect(new Set(sent(stage).map((message) => message.clientKey)).size).toBe(1);
  });

  it("keeps the order in which messages were typed", async () => {
    const arrived: string[] = [];
    const taken: (() => void)[] = [];
    open({
      send_message: ({ text }) => {
        arrived.push(text);
        return new Promise((resolve) => taken.push(() => resolve({ admissionId: text })));
      },
    });
    type("first");
    enter();
    type("second");
    enter();
    await settle();
    // The second does not set out before the first was taken.
    expect(arrived).toEqual(["first"]);
    taken[0]?.();
    await settle();
    expect(arrived).toEqual(["first", "second"]);
  });

  it("offers to run a held-back command anyway, and only then says so", async () => {
    const { stage } = open({
      send_message: ({ runAnyway }) => (runAnyway === true ? Promise.resolve({ admissionId: "a" }) : Promise.reject(new CallError("blocked", "It would erase a disk."))),
    });
    type("!mkfs /dev/sda");
    enter();
    await settle();
    expect(screen.getByRole("alert").textContent).toContain("It would erase a disk.");
    fireEvent.click(screen.getByRole("button", { name: "Run anyway" }));
    await settle();
    expect(sent(stage).map((message) => message.runAnyway)).toEqual([undefined, true]);
    expect(field().value).toBe("");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("offers no such thing for words that are no command", async () => {
    open({ send_message: () => Promise.reject(new CallError("blocked", "No.")) });
    type("hello");
    enter();
    await settle();
    expect(screen.queryByRole("button", { name: "Run anyway" })).toBeNull();
  });
});

describe("above the composer", () => {
  it("stands what lives in this session, and nothing when nothing does", () => {
    const { stage, sessionId } = open();
    expect(screen.queryByText("Processes")).toBeNull();
    const foreign = process({ processId: "x", sessionId: "other", command: "foreign" });
    const own = process({ processId: "y", sessionId, command: "npm run dev", attention: "ready" });
    stage.feed({ processes: new Map([["x", foreign], ["y", own]]) });
    expect(screen.getByText("npm run dev").parentElement?.textContent).toBe("npm run dev ready");
    fireEvent.click(screen.getByText("Processes"));
    expect(screen.getByRole("button", { name: "Stop npm run dev" })).toBeTruthy();
    stage.feed({ processes: new Map([["y", { ...own, state: "exited", exitCode: 0 }]]) });
    expect(screen.queryByText("Processes")).toBeNull();
  });
});

describe("drafts", () => {
  const drafts = (stage: ReturnType<typeof makeStage>) => called(stage, "set_ui_state");

  it("are put down when nothing was typed for a moment, and forgotten when they are empty", async () => {
    vi.useFakeTimers();
    const { stage, sessionId } = open(accepted());
    await vi.advanceTimersByTimeAsync(0);
    type("half");
    await vi.advanceTimersByTimeAsync(399);
    type("half a thought");
    await vi.advanceTimersByTimeAsync(399);
    expect(drafts(stage)).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(drafts(stage)).toEqual([{ key: `draft:${sessionId}`, value: "half a thought" }]);
    enter();
    await vi.advanceTimersByTimeAsync(400);
    expect(drafts(stage).at(-1)).toEqual({ key: `draft:${sessionId}` });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(drafts(stage)).toHaveLength(2);
  });

  it("are put down at once when the page goes", async () => {
    const { stage, sessionId } = open();
    await settle();
    type("half");
    window.dispatchEvent(new Event("pagehide"));
    expect(drafts(stage)).toEqual([{ key: `draft:${sessionId}`, value: "half" }]);
  });

  it("are there again after a restart, without taking the focus; what was typed meanwhile stays", async () => {
    let answer = (): void => undefined;
    const next = sessions + 1;
    const entries = [
      { key: `draft:s-${next}`, value: "from before" },
      { key: "draft:typed", value: "older" },
      { key: "panes", value: "{}" },
    ];
    const { stage, rerender } = open({ get_ui_state: () => new Promise((resolve) => (answer = () => resolve({ entries }))) });
    rerender(<Dock sessionId="typed" />);
    type("newer");
    answer();
    await settle();
    expect(field().value).toBe("newer");
    rerender(<Dock sessionId={`s-${next}`} />);
    expect(field().value).toBe("from before");
    expect(called(stage, "get_ui_state")).toHaveLength(1);
  });

  it("fill an untouched composer that is already there", async () => {
    const next = sessions + 1;
    open({ get_ui_state: () => Promise.resolve({ entries: [{ key: `draft:s-${next}`, value: "from before" }] }) });
    expect(field().value).toBe("");
    await settle();
    expect(field().value).toBe("from before");
    expect(document.activeElement).toBe(document.body);
  });

  it("are read by the next session when they could not be read, and put down meanwhile", async () => {
    let up = false;
    const entries = [{ key: "draft:later", value: "from before" }];
    const { stage, sessionId, unmount } = open({ get_ui_state: () => (up ? Promise.resolve({ entries }) : Promise.reject(new CallError("unreachable", "away"))) });
    vi.spyOn(console, "warn").mockReturnValue();
    await settle();
    type("typed");
    window.dispatchEvent(new Event("pagehide"));
    expect(drafts(stage)).toEqual([{ key: `draft:${sessionId}`, value: "typed" }]);
    up = true;
    unmount();
    stage.show(<Dock sessionId="later" />);
    await settle();
    expect(field().value).toBe("from before");
  });

  it("that were not taken are tried again", async () => {
    vi.useFakeTimers();
    let up = false;
    const { stage, sessionId } = open({ set_ui_state: () => (up ? Promise.resolve({}) : Promise.reject(new CallError("store_unavailable", "full"))) });
    vi.spyOn(console, "warn").mockReturnValue();
    await vi.advanceTimersByTimeAsync(0);
    type("one");
    await vi.advanceTimersByTimeAsync(400);
    up = true;
    window.dispatchEvent(new Event("pagehide"));
    expect(drafts(stage)).toEqual([{ key: `draft:${sessionId}`, value: "one" }, { key: `draft:${sessionId}`, value: "one" }]);
  });
});

describe("a session that ended", () => {
  it("says so in place of the composer, and leads to the one that goes on", () => {
    const { stage } = open({}, { ended: "new_session", nextSessionId: "next" });
    screen.getByText("This session ended. A new one began in its place.");
    expect(screen.queryByRole("textbox")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Open the new one" }));
    expect(stage.store.selection.sessionId).toBe("next");
  });

  it.each(["compaction", "idle", "daily"])("takes no words after %s either", (ended) => {
    open({}, { ended });
    screen.getByText("This session ended.");
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("takes words when it was only closed, and says that they open it", async () => {
    const { stage } = open(accepted(), { ended: "closed" });
    screen.getByText("This session is closed. Writing in it opens it again.");
    type("hello");
    enter();
    await settle();
    expect(sent(stage).map((message) => message.text)).toEqual(["hello"]);
  });

  it("takes whoever wrote /new along, unless they have gone elsewhere", async () => {
    const { stage, sessionId } = open({ send_message: () => Promise.resolve({ admissionId: "a", nextSessionId: "next" }) });
    act(() => stage.store.openSession(sessionId));
    type("/new");
    enter();
    await settle();
    expect(stage.store.selection.sessionId).toBe("next");
    cleanup();
    const other = open({ send_message: () => Promise.resolve({ admissionId: "a", nextSessionId: "next" }) });
    act(() => other.stage.store.openSession("elsewhere"));
    type("/new");
    enter();
    await settle();
    expect(other.stage.store.selection.sessionId).toBe("elsewhere");
  });

  it("keeps words that came too late, and takes them along", async () => {
    const { stage, sessionId } = open({ send_message: () => Promise.reject(new CallError("session_ended", "This session has ended.")) });
    type("too late");
    enter();
    await settle();
    const ended = session({ sessionId, ended: "new_session", nextSessionId: `${sessionId}-next` });
    stage.feed({ sessions: new Map([[sessionId, ended]]) });
    screen.getByText("Not sent: this session has ended.");
    fireEvent.click(screen.getByRole("button", { name: "Take it along" }));
    expect(stage.store.selection.sessionId).toBe(`${sessionId}-next`);
    expect(draftOf(`${sessionId}-next`)).toBe("too late");
    expect(draftOf(sessionId)).toBe("");
  });
});

describe("too many waiting messages", () => {
  it("are said above the composer, and the words stay in it", async () => {
    const reason = "32 messages wait in this session, which is the limit.";
    open({ send_message: () => Promise.reject(new CallError("queue_full", reason)) }, { runningTurnId: "t" });
    type("one more");
    enter();
    await settle();
    expect(screen.getByRole("alert").textContent).toContain(`Not sent: too many messages wait. ${reason}`);
    expect(field().value).toBe("one more");
  });
});

describe("Up in an empty composer", () => {
  it("changes the last message that waits", () => {
    open({}, { queued: [{ admissionId: "a", text: "first", atMs: 0 }, { admissionId: "b", text: "second", atMs: 0 }] });
    fireEvent.keyDown(field(), { key: "ArrowUp" });
    expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Waiting message" }).value).toBe("second");
    fireEvent.keyDown(screen.getByRole("textbox", { name: "Waiting message" }), { key: "Escape" });
    expect(document.activeElement).toBe(field());
  });

  it("brings back what was said before, and Down lets it go", () => {
    const { stage, sessionId } = open();
    const said = (seq: number, text: string) => item({ seq, sessionId, author: "human", text });
    stage.feed({ stretches: new Map([[sessionId, { items: [said(1, "one"), said(2, "two\nlines")], atStart: true, atEnd: true }]]) });
    const up = () => fireEvent.keyDown(field(), { key: "ArrowUp" });
    up();
    expect(field().value).toBe("two\nlines");
    // The caret first goes up within the text, as everywhere.
    expect(up()).toBe(true);
    expect(field().value).toBe("two\nlines");
    field().setSelectionRange(0, 0);
    expect(up()).toBe(false);
    expect(field().value).toBe("one");
    fireEvent.keyDown(field(), { key: "ArrowDown" });
    expect(field().value).toBe("two\nlines");
    fireEvent.keyDown(field(), { key: "ArrowDown" });
    expect(field().value).toBe("");
    type("mine");
    up();
    expect(field().value).toBe("mine");
  });
});

describe("the strip above the composer", () => {
  const strip = (...rows: ReturnType<typeof process>[]) => {
    const { stage, sessionId, container } = open();
    stage.feed({ processes: new Map(rows.map((row) => [row.processId, { ...row, sessionId }])) });
    return { container, words: container.querySelector(".stack-cell")?.textContent };
  };

  it("says of a command that ended who of its tree runs on, in the words of the rail", () => {
    const left = process({ processId: "left", command: "make watch &", state: "exited", exitCode: 0, endedAtMs: 1, descendants: 2 });
    const { container, words } = strip(left);
    expect(words).toBe("Processes1make watch & exited 0, 2 still running");
    fireEvent.click(screen.getByRole("button", { name: /^Processes/ }));
    expect(container.querySelector(".stack-row .tone-live")?.textContent).toBe("exited 0, 2 still running");
    cleanup();
    expect(strip({ ...left, descendants: 0 }).words).toBeUndefined();
  });

  it("names the one whose sign it shows: who waits for a person comes before the newest", () => {
    const asks = process({ processId: "asks", command: "certbot", attention: "needs_input", startedAtMs: 1 });
    const { container, words } = strip(process({ processId: "new", command: "npm run dev", startedAtMs: 9 }), asks);
    expect(words).toBe("?Processes2certbot needs input");
    expect(container.querySelector(".stack-cell [data-glyph]")?.getAttribute("data-glyph")).toBe("needs");
  });
});
