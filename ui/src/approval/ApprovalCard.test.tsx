// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalAnswer, Item } from "../bridge/wire";
import { CallError } from "../bridge/bridge";
import { everythingVisible, item, makeStage } from "../testing/stage";
import { ApprovalCard } from "./ApprovalCard";

beforeEach(() => {
  vi.useFakeTimers();
  everythingVisible();
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const question = (more: Partial<Item> = {}): Item =>
  item({
    author: "system",
    kind: "approval",
    approvalId: "a",
    state: "pending",
    choices: ["once", "session", "always", "pattern", "deny"],
    suggestedPattern: "rm -rf ./tmp/*",
    command: "rm -rf ./tmp/e2e-cache",
    cwd: "~/src/orders",
    expiresAtMs: new Date(2031, 4, 6, 14, 6).getTime(),
    ...more,
  });
const taken = () => ({ answer_approval: () => Promise.resolve({}) });
const allow = () => screen.getByRole("button", { name: /Allow once/ });
const wait = (ms: number) => act(() => void vi.advanceTimersByTime(ms));
/** The window comes to look after its question has moved: it is told of several places in one go. */
const seenTogether = (ratios: readonly number[]) => {
  globalThis.IntersectionObserver = class extends IntersectionObserver {
    constructor(seen: IntersectionObserverCallback) {
      super(([entry], self) => seen(ratios.map((intersectionRatio) => ({ ...(entry as IntersectionObserverEntry), intersectionRatio })), self));
    }
  };
};
const answers = (stage: ReturnType<typeof makeStage>) => stage.calls.map((call) => call.params);

describe("an open question", () => {
  it("shows the exact command, its folder and when silence means no", () => {
    makeStage().show(<ApprovalCard item={question()} />);
    expect(screen.getByText("rm -rf ./tmp/e2e-cache")).toBeTruthy();
    expect(screen.getByText("~/src/orders")).toBeTruthy();
    expect(screen.getByText("No answer by 14:06 means no")).toBeTruthy();
    expect(screen.getByRole("region", { name: "Allow this command?" })).toBeTruthy();
  });

  it("is dead to the pointer and the keys for its first 500 ms", () => {
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(499);
    fireEvent.click(allow());
    fireEvent.keyDown(window, { key: "y", code: "KeyY", altKey: true });
    expect(stage.calls).toEqual([]);
    wait(1);
    fireEvent.click(allow());
    expect(answers(stage)).toEqual([{ approvalId: "a", choice: "once" }]);
  });

  it.each([
    ["hears who answers", [0.4, 1], 1],
    ["is dead", [1, 0.4], 0],
  ] as const)("that a busy window has seen twice %s by how it stands now", (_, ratios, answered) => {
    seenTogether(ratios);
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(600);
    fireEvent.click(allow());
    expect(stage.calls).toHaveLength(answered);
  });

  it("is dead again while the transcript scrolls, but not when another pane does", () => {
    const stage = makeStage(taken());
    const { container } = stage.show(
      <>
        <ApprovalCard item={question()} />
        <pre>output</pre>
      </>,
    );
    wait(600);
    fireEvent.scroll(container);
    fireEvent.click(allow());
    expect(stage.calls).toEqual([]);
    wait(600);
    fireEvent.scroll(screen.getByText("output"));
    fireEvent.click(allow());
    expect(stage.calls).toHaveLength(1);
  });

  it("does not take a press when it has slid under the pointer", () => {
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(600);
    const rect = vi.spyOn(Element.prototype, "getBoundingClientRect").mockReturnValue(new DOMRect(0, 80, 10, 10));
    fireEvent.click(allow());
    expect(stage.calls).toEqual([]);
    fireEvent.click(allow());
    expect(stage.calls).toHaveLength(1);
    rect.mockRestore();
  });

  it("never takes the focus", () => {
    makeStage().show(<ApprovalCard item={question()} />);
    wait(5000);
    expect(document.activeElement).toBe(document.body);
  });

  it("tells what it would do, and then what the agent says, as the agent's words", () => {
    const { container } = makeStage().show(
      <ApprovalCard item={question({ dangers: ["Deletes a folder and everything in it.", "Cannot be undone."], purpose: "To rebuild\u202E stale fixtures." })} />,
    );
    expect(container.querySelector(".approval-why")?.textContent).toBe(
      "Deletes a folder and everything in it. Cannot be undone. Runs in ~/src/ordersThe agent says: To rebuild\\u202E stale fixtures.",
    );
    expect(container.querySelector("q")?.textContent).toBe("To rebuild\\u202E stale fixtures.");
  });

  it("writes out what cannot be seen, and offers no answer that is not among its choices", () => {
    makeStage().show(<ApprovalCard item={question({ command: "rm\u200B -rf \u202Egpj.txt", choices: ["once", "deny"] })} />);
    expect(screen.getByText("rm\\u200B -rf \\u202Egpj.txt")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /session|Always/ })).toBeNull();
  });

  it.each([
    ["Allow this session", "session"],
    ["Always allow exactly this", "always"],
  ])("%s is answered as %s", (name, choice) => {
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    fireEvent.click(screen.getByRole("button", { name: new RegExp(name) }));
    expect(stage.calls).toEqual([]);
    wait(500);
    fireEvent.click(screen.getByRole("button", { name: new RegExp(name) }));
    expect(answers(stage)).toEqual([{ approvalId: "a", choice }]);
  });

  it("lets a pattern be changed before it is sent, and says below it why it was refused", async () => {
    const stage = makeStage({ answer_approval: () => Promise.reject(new CallError("invalid_request", "The pattern does not fit this command.")) });
    stage.show(<ApprovalCard item={question()} />);
    wait(500);
    fireEvent.click(screen.getByRole("button", { name: "Always allow rm -rf ./tmp/*" }));
    expect(stage.calls).toEqual([]);
    const field = screen.getByRole<HTMLInputElement>("textbox");
    expect([field.value, document.activeElement]).toEqual(["rm -rf ./tmp/*", field]);
    field.value = "ls *";
    fireEvent.keyDown(field, { key: "Enter" });
    expect(answers(stage)).toEqual([{ approvalId: "a", choice: "pattern", pattern: "ls *" }]);
    await act(() => Promise.resolve());
    expect(screen.getByRole("alert").textContent).toContain("The pattern does not fit this command.");
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(screen.getByRole<HTMLInputElement>("textbox").value).toBe("ls *");
  });

  it("is denied with a reason, and Esc goes back without stopping anything else", () => {
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(500);
    fireEvent.click(screen.getByRole("button", { name: "Deny with a reason" }));
    expect(fireEvent.keyDown(screen.getByRole("textbox"), { key: "Escape" })).toBe(false);
    expect(screen.queryByRole("textbox")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Deny with a reason" }));
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "What the agent is told" });
    field.value = "not on a Friday";
    fireEvent.keyDown(field, { key: "Enter", keyCode: 229 });
    expect(stage.calls).toEqual([]);
    fireEvent.keyDown(field, { key: "Enter" });
    expect(answers(stage)).toEqual([{ approvalId: "a", choice: "deny", reason: "not on a Friday" }]);
  });

  it.each([
    [{ key: "y", code: "KeyY", altKey: true }, "once"],
    [{ key: "Y", code: "KeyY", altKey: true, shiftKey: true }, "session"],
    [{ key: "n", code: "KeyN", altKey: true }, "deny"],
    [{ key: "\u043d", code: "KeyY", altKey: true }, "once"],
  ])("is answered by %o", (press, choice) => {
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(500);
    fireEvent.keyDown(window, press);
    expect(answers(stage)).toEqual([{ approvalId: "a", choice }]);
  });

  it.each([
    { key: "y", code: "KeyY" },
    { key: "y", code: "KeyY", ctrlKey: true },
    { key: "y", code: "KeyY", altKey: true, ctrlKey: true },
    { key: "y", code: "KeyY", altKey: true, repeat: true },
    { key: "N", code: "KeyN", altKey: true, shiftKey: true },
    { key: "Enter", code: "Enter" },
  ])("is not answered by %o", (press) => {
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(500);
    fireEvent.keyDown(window, press);
    expect(stage.calls).toEqual([]);
  });

  it("ignores keys while the window is not focused", () => {
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    const stage = makeStage(taken());
    stage.show(<ApprovalCard item={question()} />);
    wait(500);
    fireEvent.keyDown(window, { key: "y", code: "KeyY", altKey: true });
    expect(stage.calls).toEqual([]);
  });

  it("leaves the keys to the oldest of several", () => {
    const stage = makeStage(taken());
    stage.show(
      <>
        <ApprovalCard item={question({ itemId: "new", seq: 9, approvalId: "new" })} />
        <ApprovalCard item={question({ itemId: "old", seq: 4, approvalId: "old" })} />
      </>,
    );
    wait(500);
    expect(screen.getAllByText("Alt Y")).toHaveLength(1);
    fireEvent.keyDown(window, { key: "n", code: "KeyN", altKey: true });
    expect(answers(stage)).toEqual([{ approvalId: "old", choice: "deny" }]);
  });

  it("must have been seen to its end before it can be allowed, but can be denied", () => {
    const stage = makeStage(taken());
    const command = Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n");
    stage.show(<ApprovalCard item={question({ command })} />);
    wait(600);
    fireEvent.click(allow());
    fireEvent.click(screen.getByRole("button", { name: /Allow this session/ }));
    fireEvent.click(screen.getByRole("button", { name: /Always allow rm/ }));
    fireEvent.keyDown(window, { key: "y", code: "KeyY", altKey: true });
    fireEvent.keyDown(window, { key: "y", code: "KeyY", altKey: true, shiftKey: true });
    expect(stage.calls).toEqual([]);
    expect(screen.queryByRole("textbox")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Show all 40 lines first" }));
    fireEvent.click(allow());
    expect(answers(stage)).toEqual([{ approvalId: "a", choice: "once" }]);
  });

  it("keeps the focus in a long command that was read by keys to its end", () => {
    makeStage().show(<ApprovalCard item={question({ command: Array.from({ length: 40 }, (_, line) => `echo ${line}`).join("\n") })} />);
    const box = screen.getByLabelText("Command");
    box.focus();
    Object.defineProperties(box, { scrollHeight: { value: 800 }, clientHeight: { value: 256 } });
    box.scrollTop = 544;
    fireEvent.scroll(box);
    expect(screen.queryByRole("button", { name: /Show all/ })).toBeNull();
    expect(box.tabIndex).toBe(0);
    expect(document.activeElement).toBe(box);
  });

  it("says in place that an answer came too late", async () => {
    vi.useRealTimers();
    const stage = makeStage({ answer_approval: () => Promise.reject(new CallError("approval_closed", "closed")) });
    stage.show(<ApprovalCard item={question({ approvalId: "too late" })} />);
    await waitFor(() => expect(allow().getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(allow());
    expect(await screen.findByText(/Too late/)).toBeTruthy();
  });
});

describe("an answered question", () => {
  it.each([
    ["allowed", "Allowed once"],
    ["denied", "Denied"],
    ["expired", "No answer, so not run"],
    ["withdrawn", "No longer asked"],
  ])("%s is one row: %s", (state, words) => {
    makeStage().show(<ApprovalCard item={question({ state, approvalId: "answered elsewhere" })} />);
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });

  const at = new Date(2031, 4, 6, 14, 3).getTime();
  it.each<[string, Partial<ApprovalAnswer>, string]>([
    ["allowed", { choice: "once" }, "Allowed once by you, 14:03"],
    ["allowed", { choice: "session" }, "Allowed for this session by you, 14:03"],
    ["allowed", { choice: "always" }, "Always allowed by you, 14:03"],
    ["allowed", { choice: "pattern", pattern: "rm *" }, "Always allowed as rm * by you, 14:03"],
    ["allowed", { choice: "always", by: "rule" }, "Allowed by a rule, 14:03"],
    ["denied", { choice: "deny" }, "Denied by you, 14:03"],
    ["denied", { choice: "deny", reason: "not on a Friday" }, "Denied by you, 14:03: not on a Friday"],
  ])("%s with %o reads %s in every window", (state, answer, words) => {
    makeStage().show(<ApprovalCard item={question({ state, answer: { choice: "once", by: "person", atMs: at, ...answer } })} />);
    expect(screen.getByText(words)).toBeTruthy();
  });

  it("tells that an answer given here came too late", async () => {
    vi.useRealTimers();
    const stage = makeStage({ answer_approval: () => Promise.reject(new CallError("approval_closed", "closed")) });
    const late = { approvalId: "late" };
    const { rerender } = stage.show(<ApprovalCard item={question(late)} />);
    await waitFor(() => expect(allow().getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(allow());
    await screen.findByText(/Too late/);
    rerender(<ApprovalCard item={question({ ...late, state: "denied", answer: { choice: "deny", by: "person", atMs: at } })} />);
    expect(screen.getByText("Denied by you, 14:03. Your answer came too late.")).toBeTruthy();
  });
});
