// @vitest-environment jsdom
import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Item } from "../bridge/wire";
import { draftOf } from "../composer/drafts";
import { card, everythingVisible, item, makeStage, unit } from "../testing/stage";
import { heightInLines } from "./HumanBubble";
import { ItemView } from "./ItemView";

beforeEach(everythingVisible);
afterEach(cleanup);

let seen = 0;
const show = (more: Partial<Item>, answers: Parameters<typeof makeStage>[0] = {}) => {
  seen += 1;
  const stage = makeStage(answers);
  return { stage, ...stage.show(<ItemView item={item({ itemId: `seen-${seen}`, ...more })} />) };
};

describe("who says it", () => {
  it.each<[Partial<Item>, string, string]>([
    [{ author: "human", text: "hello" }, "article", "You"],
    [{ author: "model", text: "hello" }, "article", "Model"],
    [{ author: "tool", kind: "tool_call", card: card({}) }, "group", "Ran npm test"],
    [{ author: "machine", kind: "machine_note", units: [unit({})] }, "group", "Machine note: npm run e2e, exited 0"],
    [{ author: "machine", kind: "auto_continue", text: "hello" }, "group", "Machine note: hello"],
    [{ author: "system", kind: "failed_turn", text: "No answer." }, "group", "Failed turn"],
  ])("%o is a %s named %s", (more, role, name) => {
    show(more);
    expect(screen.getByRole(role, { name })).toBeTruthy();
  });

  it.each(["model", "tool", "machine", "system"])("a %s can never stand in a person's bubble, whatever it calls itself", (author) => {
    const { container } = show({ author, kind: "message", text: "yes, approve" });
    expect(container.querySelector(".human-bubble")).toBeNull();
    expect(screen.queryByRole("article", { name: "You" })).toBeNull();
  });

  it("a system entry is a line", () => {
    show({ author: "system", kind: "notice", text: "The model was switched." });
    expect(screen.getByRole("note").textContent).toBe("The model was switched.");
    expect(screen.queryByRole("group")).toBeNull();
  });

  it("what comes with a system entry stands below its line, as it was written", () => {
    show({ author: "system", kind: "notice", text: "make exited with code 2.\nerror: here\n\n    ^~~~\n" });
    expect(document.querySelector(".system-text")?.textContent).toBe("make exited with code 2.");
    const rows = [...screen.getByRole("group").children].map((row) => row.textContent);
    expect(rows).toEqual(["error: here", "", "    ^~~~"]);
  });

  it.each(["human", "model", "tool", "machine", "system"])("a hidden entry of a %s is not drawn", (author) => {
    const { container } = show({ author, kind: "hidden", text: "secret" });
    expect(container.textContent).toBe("");
  });
});

describe("a person's words", () => {
  it("stand as they are, markup and all", () => {
    const { container } = show({ author: "human", text: "<b>bold</b> **not**" });
    expect(screen.getByText("<b>bold</b> **not**")).toBeTruthy();
    expect(container.querySelector("b")).toBeNull();
  });

  it("fold over twelve lines", () => {
    show({ author: "human", text: Array.from({ length: 48 }, (_, line) => `line ${line}`).join("\n") });
    fireEvent.click(screen.getByRole("button", { name: "Show all 48 lines" }));
    expect(screen.getByRole("button", { name: "Show less" })).toBeTruthy();
  });

  it("do not fold at twelve", () => {
    show({ author: "human", text: "x\n".repeat(11) });
    expect(screen.queryByRole("button")).toBeNull();
    expect(heightInLines("x".repeat(67))).toBe(2);
  });

  it("that are a command stand in the bubble, with the card below", () => {
    const { container } = show({ author: "human", kind: "tool_call", text: "!npm run dev", card: card({ title: "npm run dev", background: true }) });
    expect(container.querySelector(".human-bubble")?.textContent).toBe("!npm run dev");
    expect(screen.getByRole("group", { name: "Started npm run dev" })).toBeTruthy();
  });
});

describe("a model's words", () => {
  it("come from the feed while they stream, and from the row afterwards", () => {
    const stage = makeStage();
    const streaming = item({ itemId: "m", streaming: true });
    const { rerender, container } = stage.show(<ItemView item={streaming} />);
    stage.feed({ streams: new Map([["m", [{ type: "plain", text: "so far" }]]]) });
    expect(screen.getByText("so far")).toBeTruthy();
    expect(container.querySelector(".model-streaming")).not.toBeNull();
    stage.feed({ streams: new Map() });
    rerender(<ItemView item={{ ...streaming, rev: 2, streaming: false, text: "all of it", blocks: [{ type: "plain", text: "all of it" }] }} />);
    expect(screen.getByText("all of it")).toBeTruthy();
    expect(container.querySelector(".model-streaming")).toBeNull();
  });

  it("are one closed row when they are thoughts", () => {
    show({ kind: "reasoning", text: "hm" });
    expect(screen.queryByText("hm")).toBeNull();
    fireEvent.click(screen.getByRole("button", { expanded: false }));
    expect(screen.getByText("hm")).toBeTruthy();
  });
});

describe("a failed turn", () => {
  it("can be tried again where that is offered", async () => {
    const { stage } = show(
      { author: "system", kind: "failed_turn", text: "lab closed the stream half-way.", failure: { code: "stream", retryable: true } },
      { retry_turn: () => Promise.reject(new Error("a newer turn runs")) },
    );
    fireEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(stage.calls).toEqual([{ command: "retry_turn", params: { turnId: "turn" } }]);
    expect(await screen.findByText("a newer turn runs")).toBeTruthy();
  });

  it("has no such button otherwise", () => {
    show({ author: "system", kind: "failed_turn", text: "The key is not accepted.", failure: { code: "auth", retryable: false } });
    expect(screen.queryByRole("button")).toBeNull();
  });
});

describe("a machine note", () => {
  it("runs its command again with its end told, opens its process, mutes it, and asks the agent without sending", async () => {
    const { stage } = show(
      { author: "machine", kind: "machine_note", units: [unit({ exitCode: 1, processId: "p-9", outputTail: "one\n2 failed\n" })] },
      { start_process: () => Promise.resolve({ processId: "p-10" }), set_muted: () => Promise.resolve({}) },
    );
    fireEvent.click(screen.getByRole("button", { name: "Open process" }));
    expect(stage.store.selection.processId).toBe("p-9");
    fireEvent.click(screen.getByRole("button", { name: "Run again" }));
    expect(await screen.findByText("Started again.")).toBeTruthy();
    expect(stage.calls[0]?.params).toMatchObject({ sessionId: "s", command: "npm run e2e", notify: true });
    fireEvent.click(screen.getByRole("button", { name: "Ask the agent" }));
    expect(draftOf("s")).toBe("> npm run e2e: exited 1\n> one\n> 2 failed\n\nWhat happened here, and what should be done?");
    expect(stage.calls.filter((call) => call.command === "send_message")).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Mute" }));
    expect(await screen.findByText("Muted: the system is told nothing of it.")).toBeTruthy();
    expect(stage.calls.at(-1)).toEqual({ command: "set_muted", params: { sessionId: "s", command: "npm run e2e", muted: true } });
  });
});

describe("repeated notes", () => {
  it("stand once, in the last one's place", () => {
    const stage = makeStage();
    const attempt = (seq: number, exitCode: number) => item({ itemId: `attempt-${seq}`, seq, author: "machine", kind: "machine_note", units: [unit({ exitCode })] });
    const items = [attempt(1, 1), attempt(2, 1), attempt(3, 0)];
    stage.feed({ stretches: new Map([["s", { items, atStart: true, atEnd: true }]]) });
    stage.show(items.map((one) => <ItemView key={one.itemId} item={one} />));
    expect(screen.getAllByText("Machine note")).toHaveLength(1);
    expect(screen.getByText("3 attempts, the last one exited 0")).toBeTruthy();
  });
});

describe("a question and its card", () => {
  const call = (more: Parameters<typeof card>[0]) =>
    item({ itemId: "call", seq: 1, author: "tool", kind: "tool_call", card: card({ endedAtMs: null, ...more }) });
  const question = (state: string) =>
    item({ itemId: "q", seq: 2, author: "system", kind: "approval", approvalId: "a", state, choices: ["once", "deny"], command: "npm test", cardId: "call" });
  const see = (...items: Item[]) => {
    const stage = makeStage();
    stage.feed({ stretches: new Map([["s", { items, atStart: true, atEnd: true }]]) });
    return stage.show(items.map((one) => <ItemView key={one.itemId} item={one} />));
  };

  it("are one card while it is open", () => {
    const { container } = see(call({ status: "pending", annotation: "needs_input" }), question("pending"));
    expect(screen.getAllByText("npm test")).toHaveLength(1);
    expect(screen.getByRole("region", { name: "Allow this command?" }).dataset["cardId"]).toBe("call-1");
    expect(container.querySelectorAll(".item")).toHaveLength(1);
  });

  it.each<[string, Parameters<typeof card>[0], string, string]>([
    ["allowed", { status: "in_progress" }, "Running npm test", "Allowed once"],
    ["denied", { status: "error", annotation: "denied" }, "Not run npm test", "Denied"],
    ["expired", { status: "error", annotation: "denied" }, "Not run npm test", "No answer, so not run"],
    ["withdrawn", { status: "error", annotation: "cancelled" }, "Cancelled npm test", "No longer asked"],
  ])("are one row when it is %s", (state, more, name, words) => {
    see(call(more), question(state));
    expect(screen.getAllByRole("group").map((group) => group.getAttribute("aria-label"))).toEqual([name]);
    expect(screen.getByText(words)).toBeTruthy();
    expect(screen.queryByText("denied")).toBeNull();
  });

  it("stand alone where the other half is not held", () => {
    const { unmount } = see(question("denied"));
    expect(screen.getByRole("group", { name: "Denied: npm test" })).toBeTruthy();
    unmount();
    see(call({ status: "pending", annotation: "needs_input" }));
    expect(screen.getByRole("group", { name: "Asks to run npm test" })).toBeTruthy();
  });
});
