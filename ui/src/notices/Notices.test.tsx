import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Item, Notice } from "../bridge/wire";
import { item, makeStage, session, type Stage } from "../testing/stage";
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

const QUESTION: Item = item({ itemId: "q", kind: "approval", author: "system", approvalId: "a", state: "pending", command: "rm -rf ./tmp", seq: 4 });

function hold({ notices = [], questions = [] }: { notices?: Notice[]; questions?: Item[] }): void {
  stage.store.state = {
    ...stage.store.state,
    sessions: new Map([["s", session({})]]),
    notices: new Map(notices.map((each) => [each.noticeId, each])),
    questions: new Map(questions.map((each) => [each.itemId, each])),
  };
}

const open = (system: Parameters<typeof Notices>[0]["system"] = null) => stage.show(<Notices system={system} onClose={onClose} />);
const listed = () => [...document.querySelectorAll<HTMLElement>("[data-notice]")].map((row) => row.dataset["noticeId"] ?? row.dataset["approval"] ?? "folded");

beforeEach(() => {
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

  it("answer a short question, and send a long one to its place", () => {
    hold({ questions: [QUESTION] });
    const shown = open();
    fireEvent.click(screen.getByRole("button", { name: "Allow once" }));
    fireEvent.click(screen.getByRole("button", { name: "Deny" }));
    const answers = stage.calls.filter(({ command }) => command === "answer_approval").map(({ params }) => params);
    expect(answers).toEqual([
      { approvalId: "a", choice: "once" },
      { approvalId: "a", choice: "deny" },
    ]);
    shown.unmount();
    for (const command of ["x".repeat(121), "one\ntwo"]) {
      hold({ questions: [{ ...QUESTION, command }] });
      const long = open();
      expect(screen.queryByRole("button", { name: "Allow once" })).toBe(null);
      expect(screen.queryByText(command)).toBe(null);
      fireEvent.click(screen.getByRole("button", { name: "Open" }));
      expect(stage.store.selection.target).toMatchObject({ sessionId: "s", seq: 4 });
      long.unmount();
    }
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

  it("mark everything read", () => {
    hold({ notices: [notice({})] });
    open();
    fireEvent.click(screen.getByRole("button", { name: "Mark all read" }));
    expect(stage.calls.at(-1)).toEqual({ command: "mark_notices_read", params: {} });
  });
});
