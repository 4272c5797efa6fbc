import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { actions, type FrameActions } from "../actions/actions";
import { CallError } from "../bridge/bridge";
import type { Item, Notice, Process } from "../bridge/wire";
import { everythingVisible, item, makeStage, process, session, type Stage } from "../testing/stage";
import { Notices } from "./Notices";
import { rows } from "./rows";

let stage: Stage;
const onClose = vi.fn();

function notice(more: Partial<Notice>): Notice {
  const noticeId = more.noticeId ?? "n";
  return {
    noticeId,
    rev: 1,
    kind: "process_ended",
    tone: "done",
    title: `${noticeId} exited 0`,
    body: "",
    sessionId: "s",
    sessionTitle: "Orders",
    atMs: 1000,
    read: false,
    muted: false,
    ...more,
  };
}

const QUESTION: Item = item({ itemId: "q", kind: "approval", author: "system", approvalId: "a", state: "pending", command: "rm -rf ./tmp", choices: ["once", "session", "deny"], seq: 4 });

function hold({ notices = [], questions = [], processes = [] }: { notices?: Notice[]; questions?: Item[]; processes?: Process[] }): void {
  stage.store.state = {
    ...stage.store.state,
    sessions: new Map([["s", session({})]]),
    notices: new Map(notices.map((each) => [each.noticeId, each])),
    questions: new Map(questions.map((each) => [each.itemId, each])),
    processes: new Map(processes.map((each) => [each.processId, each])),
  };
}

const open = (system: Parameters<typeof Notices>[0]["system"] = null) => stage.show(<Notices system={system} onClose={onClose} />);
const listed = () => [...document.querySelectorAll<HTMLElement>("[data-notice]")].map((row) => row.dataset["noticeId"] ?? row.dataset["approval"] ?? row.dataset["waits"] ?? "folded");

beforeEach(() => {
  everythingVisible();
  onClose.mockReset();
  stage = makeStage({
    mark_notices_read: async () => ({}),
    set_quiet: async () => ({}),
    set_muted: async () => ({}),
    answer_approval: async () => ({}),
    list_items: async () => ({ items: [] }),
  });
});
afterEach(cleanup);

describe("the rows", () => {
  it("fold successes that stand together, and leave questions to themselves", () => {
    const made = rows([
      notice({ noticeId: "a" }),
      notice({ noticeId: "b" }),
      notice({ noticeId: "c", tone: "fail" }),
      notice({ noticeId: "d" }),
      notice({ noticeId: "e", kind: "approval", tone: "need" }),
    ]);
    expect(made.map((row) => (row.kind === "one" ? row.notice.noticeId : row.notices.map(({ noticeId }) => noticeId)))).toEqual([["a", "b"], "c", "d"]);
  });
});

describe("the notices", () => {
  it("begin with who waits, then the newest", () => {
    hold({ questions: [QUESTION], notices: [notice({ noticeId: "old", tone: "fail", atMs: 1 }), notice({ noticeId: "new", tone: "fail", atMs: 9 })] });
    open();
    expect(listed()).toEqual(["a", "new", "old"]);
  });

  it("name the processes that wait for typing, after the questions, and lead there", () => {
    const waits = process({ processId: "p", command: "certbot renew", attention: "needs_input" });
    hold({ questions: [QUESTION], processes: [process({ processId: "fine" }), waits], notices: [notice({ noticeId: "n", tone: "fail" })] });
    const all = open();
    expect(listed()).toEqual(["a", "p", "n"]);
    all.unmount();
    hold({ processes: [process({ processId: "fine" }), waits, process({ processId: "over", attention: "needs_input", state: "exited" })] });
    open();
    expect(listed()).toEqual(["p"]);
    expect(screen.queryByText("Nobody needs you.")).toBe(null);
    screen.getByText("certbot renew");
    screen.getByText("Needs input");
    fireEvent.click(screen.getByRole("button", { name: "Open" }));
    expect(onClose).toHaveBeenCalledOnce();
    expect(stage.store.selection).toMatchObject({ sessionId: "s", processId: "p" });
  });

  it("keep the focus when the row that has it is gone", () => {
    const waits = process({ processId: "p", attention: "needs_input" });
    hold({ processes: [waits], notices: [notice({ noticeId: "n", tone: "fail" })] });
    open();
    screen.getByRole("button", { name: "Open" }).focus();
    stage.feed({ processes: new Map([["p", { ...waits, attention: "ready" }]]) });
    expect(listed()).toEqual(["n"]);
    expect(document.activeElement).toBe(screen.getByTestId("notices"));
  });

  it("keep the focus where a run of successes unfolds", () => {
    hold({ notices: [notice({ noticeId: "a", atMs: 9 }), notice({ noticeId: "b", atMs: 5 })] });
    open();
    const folded = screen.getByText(/^2 finished without errors/).closest("button");
    folded?.focus();
    fireEvent.click(folded as HTMLElement);
    expect((document.activeElement as HTMLElement).dataset["noticeId"]).toBe("a");
  });

  it("unfold a run of successes", () => {
    hold({ notices: [notice({ noticeId: "a", atMs: 9 }), notice({ noticeId: "b", atMs: 5 })] });
    open();
    expect(listed()).toEqual(["folded"]);
    fireEvent.click(screen.getByText(/^2 finished without errors/));
    expect(listed()).toEqual(["a", "b"]);
  });

  it("go to what happened, and count it as read", () => {
    hold({ notices: [notice({ noticeId: "a", seq: 12, processId: "p" })] });
    open();
    fireEvent.click(screen.getByText("a exited 0"));
    expect(onClose).toHaveBeenCalledOnce();
    expect(stage.calls).toContainEqual({ command: "mark_notices_read", params: { noticeIds: ["a"] } });
    expect(stage.store.selection).toMatchObject({ sessionId: "s", target: { seq: 12 }, processId: "p" });
  });

  it("do not mark again what was read", () => {
    hold({ notices: [notice({ noticeId: "a", read: true })] });
    open();
    fireEvent.click(screen.getByText("a exited 0"));
    expect(stage.calls.filter(({ command }) => command === "mark_notices_read")).toEqual([]);
  });

  it("lead from a question to its card", () => {
    hold({ questions: [QUESTION] });
    open();
    fireEvent.click(screen.getByRole("button", { name: "Open" }));
    expect(onClose).toHaveBeenCalledOnce();
    expect(stage.store.selection.target).toMatchObject({ sessionId: "s", seq: 4 });
  });

  it("become quiet for an hour, and end it", () => {
    hold({});
    const before = Date.now();
    const shown = open();
    fireEvent.click(screen.getByRole("button", { name: "Quiet for 1 hour" }));
    const { params } = stage.calls.at(-1) ?? {};
    expect((params as { untilMs: number }).untilMs).toBeGreaterThanOrEqual(before + 3_600_000);
    shown.unmount();
    stage.store.setup.state = { ...stage.store.setup.state, quietUntilMs: before };
    open();
    fireEvent.click(screen.getByRole("button", { name: /^Quiet until/ }));
    expect(stage.calls.at(-1)).toEqual({ command: "set_quiet", params: { untilMs: null } });
  });

  it("list who is muted, and let them speak again", () => {
    hold({});
    stage.store.setup.state = { ...stage.store.setup.state, muted: [{ sessionId: "s", command: "npm run dev", title: "npm run dev" }] };
    open();
    screen.getByText("npm run dev is muted");
    fireEvent.click(screen.getByRole("button", { name: "Unmute" }));
    expect(stage.calls.at(-1)).toEqual({ command: "set_muted", params: { sessionId: "s", command: "npm run dev", muted: false } });
  });

  it("say why the system shows none", () => {
    hold({});
    open({ tray: true, notificationsProblem: "no notification service runs." });
    expect(screen.getByTestId("notices-problem").textContent).toContain("no notification service runs.");
  });

  it("say so when nobody is needed", () => {
    hold({});
    open();
    screen.getByText("Nobody needs you.");
    expect(listed()).toEqual([]);
  });

  it("close on Escape, move by arrows, and take the focus", () => {
    hold({ notices: [notice({ noticeId: "a", tone: "fail" }), notice({ noticeId: "b", tone: "fail", atMs: 1 })] });
    open();
    const panel = screen.getByTestId("notices");
    expect(document.activeElement).toBe(panel);
    fireEvent.keyDown(panel, { key: "ArrowDown" });
    fireEvent.keyDown(document.activeElement ?? panel, { key: "ArrowDown" });
    expect((document.activeElement as HTMLElement).dataset["noticeId"]).toBe("b");
    fireEvent.keyDown(panel, { key: "Escape" });
    expect(onClose).toHaveBeenCalledOnce();
  });

  it.each<[string, () => void]>([
    ["the button", () => fireEvent.click(screen.getByRole("button", { name: "Mark all read" }))],
    [
      "the palette",
      () => {
        const all = actions({ store: stage.store, t: (id) => id, session: undefined, models: [], frame: {} as FrameActions });
        all.find(({ id }) => id === "read-all")?.run();
      },
    ],
  ])("mark by %s what is shown as read, and nothing that came since", (_, press) => {
    hold({ notices: [notice({ noticeId: "a" }), notice({ noticeId: "b", read: true }), notice({ noticeId: "c", tone: "fail" })] });
    open();
    press();
    expect(stage.calls.at(-1)).toEqual({ command: "mark_notices_read", params: { noticeIds: ["a", "b", "c"], andOlder: true } });
  });
});

describe("a question", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());
  const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms));
  const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
  const answers = () => stage.calls.filter(({ command }) => command === "answer_approval").map(({ params }) => params);

  it.each([
    ["Allow once", "once"],
    ["Deny", "deny"],
  ])("takes %s after it looked at you for 500 ms, once", (name, choice) => {
    hold({ questions: [QUESTION] });
    open();
    wait(499);
    press(name);
    expect(answers()).toEqual([]);
    wait(1);
    press(name);
    press(name);
    expect(answers()).toEqual([{ approvalId: "a", choice }]);
  });

  it("takes no press on a place that it has moved to", () => {
    let top = 100;
    vi.spyOn(HTMLElement.prototype, "getBoundingClientRect").mockImplementation(() => ({ top }) as DOMRect);
    hold({ questions: [QUESTION] });
    open();
    wait(500);
    top = 40;
    press("Allow once");
    expect(answers()).toEqual([]);
  });

  const LONG = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n");
  /** The box of the command, as a browser would lay it out. */
  const scrollBox = (scrollTop: number) => {
    const box = screen.getByLabelText("Command");
    Object.defineProperties(box, { scrollHeight: { value: 720, configurable: true }, clientHeight: { value: 126, configurable: true } });
    box.scrollTop = scrollTop;
    fireEvent.scroll(box);
  };

  it("that is long is allowed once its end was seen, and no sooner", () => {
    hold({ questions: [{ ...QUESTION, command: LONG }] });
    open();
    expect(screen.getByLabelText("Command").textContent).toBe(LONG);
    expect(screen.getByText("It has 40 lines: read it to its end first, or open it.")).toBeTruthy();
    wait(500);
    press("Allow once");
    scrollBox(500);
    press("Allow once");
    expect(screen.getByRole("button", { name: "Allow once" }).getAttribute("aria-disabled")).toBe("true");
    expect(answers()).toEqual([]);
    scrollBox(594);
    press("Allow once");
    expect(answers()).toEqual([{ approvalId: "a", choice: "once" }]);
  });

  it("that is long can be denied unread", () => {
    hold({ questions: [{ ...QUESTION, command: LONG }] });
    open();
    wait(500);
    press("Deny");
    expect(answers()).toEqual([{ approvalId: "a", choice: "deny" }]);
  });

  it("that is long and changes is to be read anew", () => {
    hold({ questions: [{ ...QUESTION, command: LONG }] });
    open();
    scrollBox(594);
    stage.feed({ questions: new Map([["q", { ...QUESTION, rev: 9, command: `${LONG}\nrm -rf /` }]]) });
    wait(500);
    press("Allow once");
    expect(answers()).toEqual([]);
  });

  it("that is long lets the arrows scroll it, and Escape close the list", () => {
    hold({ questions: [{ ...QUESTION, command: LONG }], notices: [notice({ noticeId: "n", tone: "fail" })] });
    open();
    const box = screen.getByLabelText("Command");
    box.focus();
    for (const key of ["ArrowDown", "End", "ArrowUp", "Home"]) expect(fireEvent.keyDown(box, { key })).toBe(true);
    expect(document.activeElement).toBe(box);
    fireEvent.keyDown(box, { key: "Escape" });
    expect(onClose).toHaveBeenCalledOnce();
  });

  it("offers only the answers that it takes", () => {
    hold({ questions: [{ ...QUESTION, choices: ["deny"] }] });
    open();
    expect(screen.queryByRole("button", { name: "Allow once" })).toBe(null);
    wait(500);
    press("Deny");
    expect(answers()).toEqual([{ approvalId: "a", choice: "deny" }]);
  });

  it("shows the exact command, what it could do, where, and what cannot be seen", () => {
    hold({ questions: [{ ...QUESTION, command: "rm  -rf\t'a\u202eb'", cwd: "/srv/\u200bshop", dangers: ["It deletes files."], purpose: "Clean up" }] });
    open();
    const row = document.querySelector("[data-approval]");
    expect(row?.querySelector(".notice-command")?.textContent).toBe("rm  -rf\t'a\\u202Eb'");
    expect(row?.textContent).toContain("It deletes files.");
    expect(row?.textContent).toContain("/srv/\\u200Bshop");
    expect(row?.textContent).toContain("Clean up");
  });

  it("says why an answer was not taken, and takes it again", async () => {
    stage.answers.answer_approval = () => Promise.reject(new CallError("store_unavailable", "The disk is full."));
    hold({ questions: [QUESTION] });
    open();
    wait(500);
    press("Deny");
    await act(async () => undefined);
    expect(screen.getByRole("alert").textContent).toContain("The disk is full.");
    press("Deny");
    expect(answers()).toHaveLength(2);
  });
});
