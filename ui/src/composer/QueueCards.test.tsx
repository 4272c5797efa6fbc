// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { CallError } from "../bridge/bridge";
import { makeStage, session } from "../testing/stage";
import { draftOf } from "./drafts";
import { QueueCards } from "./QueueCards";
import { editQueued } from "./queueEdit";
import { neighbour, placeAt } from "./sorting";

afterEach(() => {
  act(() => editQueued(null));
  cleanup();
});

let made = 0;
const open = (texts: string[], answers: Parameters<typeof makeStage>[0] = {}, more: Parameters<typeof session>[0] = {}) => {
  made += 1;
  const sessionId = `queue-${made}`;
  const done = () => Promise.resolve({});
  const stage = makeStage({ edit_queued: done, remove_queued: done, move_queued: done, send_queued_now: done, resume_queue: done, ...answers });
  const put = (next: string[]) => {
    const queued = next.map((text) => ({ admissionId: text[0] ?? "", text, atMs: 0 }));
    stage.feed({ sessions: new Map([[sessionId, session({ sessionId, runningTurnId: "turn", queued, ...more })]]) });
  };
  put(texts);
  stage.show(<QueueCards sessionId={sessionId} />);
  return { stage, put, sessionId };
};
const cards = () => screen.getAllByRole("listitem").filter((row) => row.dataset["admissionId"] !== undefined);
const card = (at: number) => within(cards()[at] as HTMLElement);
const settle = () => act(() => Promise.resolve());

describe("a waiting message", () => {
  it("is sent now, or taken back", () => {
    const { stage } = open(["a", "b"]);
    fireEvent.click(card(1).getByRole("button", { name: "Send now" }));
    fireEvent.click(card(0).getByRole("button", { name: "Take this message back" }));
    expect(stage.calls).toEqual([
      { command: "send_queued_now", params: { admissionId: "b" } },
      { command: "remove_queued", params: { admissionId: "a" } },
    ]);
  });

  it("is changed in place: Enter saves, Esc goes back", async () => {
    const { stage } = open(["a", "b"]);
    fireEvent.click(card(0).getByRole("button", { name: "Change this message" }));
    const field = screen.getByRole<HTMLTextAreaElement>("textbox");
    expect([field.value, document.activeElement]).toEqual(["a", field]);
    fireEvent.input(field, { target: { value: "another" } });
    expect(fireEvent.keyDown(field, { key: "Escape" })).toBe(false);
    expect(stage.calls).toEqual([]);
    fireEvent.click(card(0).getByRole("button", { name: "Change this message" }));
    fireEvent.input(screen.getByRole("textbox"), { target: { value: "better" } });
    fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter", keyCode: 229 });
    expect(stage.calls).toEqual([]);
    fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
    await settle();
    expect(stage.calls).toEqual([{ command: "edit_queued", params: { admissionId: "a", text: "better" } }]);
    expect(screen.queryByRole("textbox")).toBeNull();
  });

  it("keeps the field and says why when a change was not taken", async () => {
    const { stage } = open(["a"], { edit_queued: () => Promise.reject(new CallError("not_found", "no such message")) });
    fireEvent.click(card(0).getByRole("button", { name: "Change this message" }));
    fireEvent.input(screen.getByRole("textbox"), { target: { value: "better" } });
    fireEvent.keyDown(screen.getByRole("textbox"), { key: "Enter" });
    await settle();
    expect(screen.getByRole("alert").textContent).toBe("Not changed: it was sent or taken back meanwhile.");
    expect(screen.getByRole<HTMLTextAreaElement>("textbox").value).toBe("better");
    expect(stage.calls).toHaveLength(1);
  });

  it("that is sent while it is changed leaves the changed words in the composer", () => {
    const { put, sessionId } = open(["a", "b"]);
    fireEvent.click(card(0).getByRole("button", { name: "Change this message" }));
    fireEvent.input(screen.getByRole("textbox"), { target: { value: "a longer one" } });
    put(["b"]);
    expect(draftOf(sessionId)).toBe("a longer one");
  });
});

describe("the order", () => {
  it("is changed with Alt Up and Alt Down, and the focus goes along", () => {
    const { stage, put } = open(["a", "b", "c"]);
    const edit = (at: number) => card(at).getByRole("button", { name: "Change this message" });
    edit(1).focus();
    fireEvent.keyDown(edit(1), { key: "ArrowUp", altKey: true });
    put(["b", "a", "c"]);
    expect(document.activeElement).toBe(edit(0));
    fireEvent.keyDown(edit(0), { key: "ArrowUp", altKey: true });
    fireEvent.keyDown(edit(0), { key: "ArrowDown", altKey: true });
    fireEvent.keyDown(edit(1), { key: "ArrowDown", altKey: true });
    fireEvent.keyDown(edit(1), { key: "ArrowDown" });
    expect(stage.calls.map((call) => call.params)).toEqual([
      { admissionId: "b", before: "a" },
      { admissionId: "b", before: "c" },
      { admissionId: "a" },
    ]);
  });

  it("is changed by dragging a card between two others", () => {
    HTMLElement.prototype.setPointerCapture = () => undefined;
    const { stage } = open(["a", "b", "c"]);
    for (const [at, row] of cards().entries()) row.getBoundingClientRect = () => new DOMRect(0, at * 40, 100, 34);
    const drag = (from: number, y: number) => {
      const held = cards()[from] as HTMLElement;
      // jsdom's own pointer events know no place.
      const point = (name: string, clientY: number) => fireEvent(held, new MouseEvent(name, { bubbles: true, button: 0, clientY }));
      point("pointerdown", from * 40 + 17);
      point("pointermove", y);
      point("pointerup", y);
    };
    drag(0, 70);
    drag(2, 2);
    drag(1, 60);
    drag(1, 58);
    expect(stage.calls.map((call) => call.params)).toEqual([{ admissionId: "a", before: "c" }, { admissionId: "c", before: "a" }]);
  });

  it.each<[number, number, 1 | -1, number | null]>([
    [0, 3, -1, null],
    [1, 3, -1, 0],
    [0, 3, 1, 2],
    [2, 3, 1, null],
  ])("from %i of %i by %i goes before %j", (at, many, by, before) => {
    expect(neighbour(at, many, by)).toBe(before);
  });

  it("lets go behind the last card too", () => {
    expect([placeAt([10, 50], 5), placeAt([10, 50], 20), placeAt([10, 50], 99)]).toEqual([0, 1, 2]);
  });
});

describe("the queue", () => {
  it("folds when it is a crowd", () => {
    open(["a", "b", "c", "d", "e"]);
    expect(screen.getByText("5 queued")).toBeTruthy();
    expect(cards()).toHaveLength(0);
    fireEvent.click(screen.getByRole("button", { name: "5 queued" }));
    expect(cards()).toHaveLength(5);
  });

  it.each([1, 2, 5])("of %i that is paused says so once, and goes on when it is told", (many) => {
    const { stage, sessionId } = open(["a", "b", "c", "d", "e"].slice(0, many), {}, { queuePaused: true });
    expect(screen.getAllByText("Queue paused.")).toHaveLength(1);
    expect(screen.queryByRole("button", { name: "Send now" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Resume" }));
    expect(stage.calls).toEqual([{ command: "resume_queue", params: { sessionId } }]);
  });
});
