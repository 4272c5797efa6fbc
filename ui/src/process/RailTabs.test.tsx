// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { StatusStack } from "../composer/StatusStack";
import { card, everythingVisible, item, makeStage, process, session } from "../testing/stage";
import { ItemView } from "../transcript/ItemView";
import { planOf } from "./plan";
import { RailTabs } from "./RailTabs";

beforeEach(everythingVisible);
afterEach(cleanup);

const step = (seq: number, title: string, status: string, turnId = "turn") =>
  item({ itemId: `step-${seq}`, seq, turnId, kind: "plan", card: card({ id: `${seq}`, title, status, endedAtMs: status === "complete" ? 1 : null }) });
const PLAN = [step(1, "Migrate", "complete"), step(2, "Start the server", "complete"), step(3, "Fix stale fixtures", "in_progress"), step(4, "Report", "pending")];
const held = (items = PLAN) => ({
  sessions: new Map([["s", session({ title: "Orders", lastSeq: 4 })]]),
  stretches: new Map([["s", { items, atStart: true, atEnd: true }]]),
});
const tab = (name: string) => screen.getByRole("tab", { name });

describe("the rail", () => {
  it("says how many processes live, and goes through its tabs with the arrows", () => {
    const stage = makeStage();
    stage.show(<RailTabs sessionId="s" />);
    stage.feed({ ...held(), processes: new Map([["p", process({})], ["q", process({ processId: "q", state: "exited", endedAtMs: 1 })]]) });
    expect(screen.getAllByRole("tab").map((one) => one.textContent)).toEqual(["Processes1", "Plan", "Details"]);
    tab("Processes 1").focus();
    fireEvent.keyDown(tab("Processes 1"), { key: "ArrowRight" });
    expect(document.activeElement).toBe(tab("Plan"));
    expect(screen.getAllByRole("listitem").map((row) => row.querySelector(".plan-title")?.textContent)).toEqual(["Migrate", "Start the server", "Fix stale fixtures", "Report"]);
    fireEvent.keyDown(tab("Plan"), { key: "End" });
    expect(tab("Details").getAttribute("aria-selected")).toBe("true");
    fireEvent.keyDown(tab("Details"), { key: "ArrowRight" });
    expect(tab("Processes 1").getAttribute("aria-selected")).toBe("true");
  });

  it("shows the processes when somebody asks to see one", () => {
    const stage = makeStage({ read_output: () => Promise.resolve({ from: 0, next: 0, total: 0, text: "" }) });
    stage.show(<RailTabs sessionId="s" />);
    stage.feed({ ...held(), processes: new Map([["p", process({})]]) });
    fireEvent.click(tab("Plan"));
    act(() => stage.store.openProcess("p"));
    expect(tab("Processes 1").getAttribute("aria-selected")).toBe("true");
    expect(screen.getByRole("region", { name: "Process npm run dev" })).toBeTruthy();
  });

  it("says so where there is no plan, and where no session is open", () => {
    const stage = makeStage();
    const { rerender } = stage.show(<RailTabs sessionId="s" />);
    stage.feed(held([]));
    fireEvent.click(tab("Plan"));
    expect(screen.getByText("No plan yet")).toBeTruthy();
    fireEvent.click(tab("Details"));
    rerender(<RailTabs sessionId={null} />);
    expect(screen.getByText("No session is open")).toBeTruthy();
  });

  it("tells of a session what is known, and leaves out what is not", () => {
    const stage = makeStage();
    stage.show(<RailTabs sessionId="s" />);
    stage.feed({ ...held(), processes: new Map([["p", process({ turnNumber: 3 })]]) });
    fireEvent.click(tab("Details"));
    const terms = () => screen.getAllByRole("term").map((term) => term.textContent);
    expect(terms()).toEqual(["Title", "Items", "Started", "Last change", "Last folder", "Processes", "Id"]);
    const turn = { turnId: "t", sessionId: "s", rev: 1, number: 12, cause: "human", state: "done", startedAtMs: 0 };
    stage.feed({ turns: new Map([["t", turn]]) });
    expect(terms()).toContain("Turns");
    expect(screen.getByText("12")).toBeTruthy();
  });
});

describe("a plan", () => {
  it("is the newest turn's; one that is not there is none", () => {
    expect(planOf([step(1, "old", "complete", "before"), ...PLAN])).toMatchObject({ done: 2, current: { itemId: "step-3" } });
    expect(planOf([item({})])).toBeNull();
  });

  it("is one card in its transcript; what is done of a long one folds", () => {
    const stage = makeStage();
    const long = Array.from({ length: 10 }, (_, at) => step(at + 1, `step ${at + 1}`, at < 5 ? "complete" : at === 5 ? "in_progress" : "pending"));
    stage.feed(held(long));
    stage.show(long.map((one) => <ItemView key={one.itemId} item={one} />));
    expect(screen.getAllByRole("region", { name: "Plan" })).toHaveLength(1);
    expect(screen.getByText("5 of 10")).toBeTruthy();
    expect(screen.getAllByRole("listitem")).toHaveLength(6);
    fireEvent.click(screen.getByRole("button", { name: "5 done" }));
    expect(screen.getAllByRole("listitem")).toHaveLength(11);
  });
});

describe("the strip", () => {
  it("has cells only for what exists, and opens up to three rows", () => {
    const stage = makeStage();
    const { container } = stage.show(<StatusStack sessionId="s" />);
    expect(container.textContent).toBe("");
    stage.feed(held());
    expect(container.textContent).toBe("Plan2 of 4Fix stale fixtures");
    const many = ["a", "b", "c", "d"].map((name, at) => process({ processId: name, command: name, startedAtMs: at + 1, attention: name === "b" ? "needs_input" : null }));
    stage.feed({ processes: new Map(many.map((one) => [one.processId, one])) });
    // Who needs a person comes first, with its glyph and its name.
    expect(screen.getByRole("button", { name: /Processes/ }).textContent).toBe("?Processes4b needs input");
    fireEvent.click(screen.getByRole("button", { name: /Plan/ }));
    expect(screen.getAllByRole("listitem").map((row) => row.querySelector(".plan-title")?.textContent)).toEqual(["Start the server", "Fix stale fixtures", "Report"]);
    fireEvent.click(screen.getByRole("button", { name: /Processes/ }));
    expect(screen.getAllByRole("button", { name: /^Stop/ })).toHaveLength(3);
    expect(screen.getAllByRole("button", { name: "Open process" })).toHaveLength(3);
    expect(screen.getByText("and 1 more in the process list")).toBeTruthy();
  });

  it("forgets a plan that is through", () => {
    const stage = makeStage();
    const { container } = stage.show(<StatusStack sessionId="s" />);
    stage.feed(held([step(1, "Migrate", "complete")]));
    expect(container.textContent).toBe("");
  });
});
