import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FrameActions } from "../actions/actions";
import { makeStage, process, session, type Stage } from "../testing/stage";
import { Palette } from "./Palette";

let stage: Stage;
let frame: FrameActions;
const onClose = vi.fn();

beforeEach(() => {
  Element.prototype.scrollIntoView = () => undefined;
  onClose.mockReset();
  frame = {
    newSession: vi.fn(),
    toggleSidebar: vi.fn(),
    toggleRail: vi.fn(),
    showProcesses: vi.fn(),
    findHere: vi.fn(),
    openNotices: vi.fn(),
    openIncidents: vi.fn(),
    openKeyMap: vi.fn(),
    newProfile: vi.fn(),
    askQuit: vi.fn(),
    stopTurn: vi.fn(),
  };
  stage = makeStage({
    list_models: async () => ({ models: [{ id: "lab/small", provider: "lab", name: "small", local: true }], failures: [] }),
    search: async ({ query }) => ({ hits: query === "fee" ? [{ sessionId: "s", seq: 7, snippet: "the fee column" }] : [] }),
    list_items: async () => ({ items: [] }),
  });
  stage.store.state = {
    ...stage.store.state,
    sessions: new Map([
      ["s", session({})],
      ["other", session({ sessionId: "other", title: "Release notes", lastAtMs: 1 })],
    ]),
    processes: new Map([["p", process({})]]),
  };
});

afterEach(cleanup);

function open() {
  stage.show(<Palette frame={frame} onClose={onClose} />);
  return screen.getByRole("combobox");
}
const type = (words: string) => fireEvent.change(screen.getByRole("combobox"), { target: { value: words } });
const press = (key: string, more: object = {}) => fireEvent.keyDown(screen.getByRole("combobox"), { key, ...more });
const ids = () => screen.getAllByRole("option").map((row) => row.dataset["action"]);
const chosen = () => screen.getAllByRole("option").filter((row) => row.getAttribute("aria-selected") === "true").map((row) => row.dataset["action"]);

describe("the palette", () => {
  it("takes the focus and names the chosen row for readers", () => {
    const input = open();
    expect(document.activeElement).toBe(input);
    expect(document.getElementById(input.getAttribute("aria-activedescendant") ?? "")?.dataset["action"]).toBe(chosen()[0]);
  });

  it("filters by every typed word, in any order", async () => {
    open();
    type("hide sessions");
    expect(ids()).toEqual(["sidebar"]);
    type("nothing like this");
    expect(screen.queryAllByRole("option")).toEqual([]);
    expect((await screen.findByRole("status")).textContent).toContain("nothing like this");
  });

  it("goes round at both ends, and starts at the top when letters change", () => {
    open();
    const all = ids();
    press("ArrowUp");
    expect(chosen()).toEqual([all.at(-1)]);
    press("ArrowDown");
    expect(chosen()).toEqual([all[0]]);
    press("ArrowDown");
    type("theme");
    expect(chosen()).toEqual([ids()[0]]);
  });

  it("runs the chosen row and closes before it", () => {
    open();
    type("new session");
    onClose.mockImplementation(() => expect(frame.newSession).not.toHaveBeenCalled());
    press("Enter");
    expect(onClose).toHaveBeenCalledOnce();
    expect(frame.newSession).toHaveBeenCalledOnce();
  });

  it("lists what cannot be done last, with the reason, and does not do it", () => {
    open();
    type("stop this turn");
    const row = screen.getByRole("option");
    expect(row.getAttribute("aria-disabled")).toBe("true");
    expect(row.textContent).toContain("No turn is running");
    press("Enter");
    fireEvent.click(row);
    expect(onClose).not.toHaveBeenCalled();
    expect(frame.stopTurn).not.toHaveBeenCalled();
    type("");
    const states = screen.getAllByRole("option").map((each) => each.getAttribute("aria-disabled"));
    const actions = states.slice(0, ids().findIndex((id) => id?.startsWith("session-")));
    expect(actions).toEqual(actions.toSorted());
  });

  it("leaves the Enter of a composition to the input method", () => {
    open();
    type("new session");
    press("Enter", { isComposing: true });
    press("Enter", { keyCode: 229 });
    expect(frame.newSession).not.toHaveBeenCalled();
    expect(onClose).not.toHaveBeenCalled();
  });

  it("closes on Escape, and the one who had the focus has it again", () => {
    const before = document.body.appendChild(document.createElement("button"));
    before.focus();
    const shown = stage.show(<Palette frame={frame} onClose={onClose} />);
    expect(document.activeElement).not.toBe(before);
    press("Escape");
    expect(onClose).toHaveBeenCalledOnce();
    shown.unmount();
    expect(document.activeElement).toBe(before);
    before.remove();
  });

  it("does not take the name of a process for the wish to stop it", () => {
    open();
    type("npm run dev");
    expect(ids()).toEqual(["process-p"]);
    type("stop npm run dev");
    expect(ids()).toEqual(["stop-p"]);
  });

  it("counts a command that ended but left others behind among those that live", () => {
    const left = process({ processId: "left", command: "make watch &", state: "exited", exitCode: 0, endedAtMs: 1, descendants: 2 });
    const gone = process({ processId: "gone", command: "make all", state: "exited", exitCode: 0, endedAtMs: 1 });
    stage.feed({ processes: new Map([left, gone].map((row) => [row.processId, row])) });
    open();
    type("make");
    expect(ids()).toEqual(["process-left"]);
    type("stop make");
    expect(ids()).toEqual(["stop-left"]);
  });

  it("shows the incidents, begins anew, and closes, unless a turn runs or it ended", () => {
    open();
    type("show incidents");
    press("Enter");
    expect(frame.openIncidents).toHaveBeenCalledOnce();
    stage.store.selection = { ...stage.store.selection, sessionId: "s" };
    const why = (words: string) => {
      type(words);
      return screen.getByRole("option").querySelector(".palette-why")?.textContent;
    };
    stage.feed({ sessions: new Map([["s", session({ runningTurnId: "t" })]]) });
    expect([why("new session in"), why("close session")]).toEqual([undefined, "A turn is running"]);
    stage.feed({ sessions: new Map([["s", session({ ended: "closed" })]]) });
    expect([why("new session in"), why("close session")]).toEqual(["It has ended already", "It has ended already"]);
  });

  it("finds words in transcripts and goes to their place", async () => {
    open();
    type("fee");
    const hit = await screen.findByText(
      (_, element) => element?.classList.contains("cut") === true && element.textContent === "the fee column",
    );
    expect(hit.querySelector("b")?.textContent).toBe("fee");
    fireEvent.click(hit);
    expect(onClose).toHaveBeenCalledOnce();
    expect(stage.store.selection).toMatchObject({ sessionId: "s", target: { sessionId: "s", seq: 7 } });
  });

  it("searches once for letters that come fast, and not at all for one", async () => {
    vi.useFakeTimers();
    open();
    for (const words of ["f", "fe", "fee"]) type(words);
    await act(() => vi.advanceTimersByTimeAsync(500));
    vi.useRealTimers();
    expect(stage.calls.filter(({ command }) => command === "search").map(({ params }) => params)).toEqual([{ query: "fee", limit: 8 }]);
  });

  it("says why transcripts were not searched, and never that there is nothing before the answer is here", async () => {
    vi.useFakeTimers();
    stage.answers.search = () => Promise.reject(new Error("The disk is full."));
    open();
    type("qqq");
    expect(screen.queryByText(/^Nothing found/)).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(500));
    expect(screen.getByRole("alert").textContent).toBe("Transcripts were not searched. The disk is full.");
    expect(screen.queryByText(/^Nothing found/)).toBeNull();
    stage.answers.search = async () => ({ hits: [] });
    type("qqqq");
    expect(screen.queryByRole("alert")).toBeNull();
    await act(() => vi.advanceTimersByTimeAsync(500));
    vi.useRealTimers();
    expect(screen.getByText('Nothing found for "qqqq".')).toBeTruthy();
  });

  it("offers the models that the gateway lists", async () => {
    stage.answers.set_setting = () => Promise.reject(new Error("no"));
    open();
    await waitFor(() => expect(ids()).toContain("model-lab/small"));
    type("Answer with lab/small");
    press("Enter");
    expect(stage.calls.at(-1)).toEqual({ command: "set_setting", params: { key: "agent.model", value: "lab/small" } });
  });
});
