// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallError } from "../bridge/bridge";
import type { Incident, Letter } from "../bridge/wire";
import { text } from "../l10n/l10n";
import { makeStage, process, session, type Stage, unit } from "../testing/stage";
import { Incidents } from "./Incidents";
import { said, worst } from "./words";

let stage: Stage;
const onClose = vi.fn();

const incident = (more: Partial<Incident>): Incident => ({ incidentId: "i", cause: "config", subject: "x", detail: "A detail.", atMs: 1000, ...more });
const report = (more: Partial<Incident> = {}): Incident =>
  incident({ incidentId: "r", cause: "report_dropped_target_gone", unitId: "u", sessionId: "old", unit: unit({ command: "make all", exitCode: 2, processId: "p" }), ...more });

const letter = (more: Partial<Incident> = {}, of: Partial<Letter> = {}): Incident =>
  incident({
    incidentId: "l",
    cause: "letter_held",
    detail: "",
    sessionId: "other",
    letter: { letterId: "l", platform: "slack", chat: "Ada", text: "It is done.", files: [], sinceMs: 1000, canBeSent: true, ...of },
    ...more,
  });

function open(incidents: Incident[], chosen: string | null = "here"): void {
  stage.store.state = {
    ...stage.store.state,
    incidents,
    sessions: new Map(
      [
        session({ sessionId: "here", title: "Orders", lastAtMs: 3 }),
        session({ sessionId: "other", title: "Photos", lastAtMs: 2 }),
        session({ sessionId: "third", title: "Lease", lastAtMs: 1 }),
        session({ sessionId: "old", title: "Before", lastAtMs: 1, ended: "new_session", nextSessionId: "here" }),
      ].map((row) => [row.sessionId, row]),
    ),
    processes: new Map([["p", process({ processId: "p", sessionId: "old", state: "exited", exitCode: 2, endedAtMs: 1 })]]),
  };
  stage.store.selection = { ...stage.store.selection, sessionId: chosen };
  stage.show(<Incidents onClose={onClose} />);
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));
const calls = () => stage.calls.filter(({ command }) => command !== "list_items");
const settle = () => act(() => new Promise((resolve) => setTimeout(resolve)));

beforeEach(() => {
  onClose.mockReset();
  const done = () => Promise.resolve({});
  stage = makeStage({ deliver_unit: done, resolve_incident: done, send_letter: done, list_items: async () => ({ items: [] }) });
});
afterEach(cleanup);

describe("the words", () => {
  it.each([
    "report_held",
    "report_dropped_target_gone",
    "report_dropped_expired",
    "report_dropped_refused",
    "report_dropped_operator",
    "report_dropped_by_something_new",
  ])("say of %s what happened and why, and ask a person", (cause) => {
    const words = said(report({ cause }), text);
    expect(words.glyph).toBe("alert");
    expect(words.what).toMatch(/^A report /);
    expect(words.why).toMatch(/\.$/);
    expect(`${words.what} ${words.why}`).not.toContain(cause);
  });

  it.each(["config", "stop_failed", "storage_not_restored", "storage_index_corrupt", "storage_corrupt", "disk_full", "message_refused", "nobody_knows"])("carry the detail of %s", (cause) => {
    const words = said(incident({ cause }), text);
    expect(words.glyph).toBe("failed");
    expect(words.why).toContain("A detail");
    expect(words.what).not.toBe(cause);
  });

  it("say how many reports one incident stands for", () => {
    const words = said(report({ cause: "report_dropped_expired", reports: 120 }), text);
    expect(words.what).toBe("120 reports did not reach the agent");
    expect(words.why).toContain("all together");
    expect(words.glyph).toBe("alert");
  });

  it("say of a failed backup that it is one, whatever it failed of", () => {
    expect(said(incident({ cause: "disk_full", subject: "backup" }), text).what).toBe("No backup was made");
  });

  it("name what it is about where there is no detail", () => {
    expect(said(incident({ cause: "nobody_knows", detail: "" }), text).why).toBe("x");
  });

  it("call for a person before a failure, and for a failure before what is only told", () => {
    const restored = incident({ cause: "storage_restored" });
    expect(worst([restored])).toBe("complete");
    expect(worst([restored, incident({})])).toBe("failed");
    expect(worst([restored, incident({}), report()])).toBe("alert");
  });
});

describe("the list", () => {
  it("says in one line that there is nothing", () => {
    open([]);
    screen.getByText("Nothing was dropped, and nothing waits to be mended.");
  });

  it("begins with what waits for a person, then the newest", () => {
    open([incident({ incidentId: "new", atMs: 9 }), incident({ incidentId: "newest", atMs: 10 }), report({ incidentId: "old report", atMs: 1 })]);
    expect(screen.getAllByRole("article").map((row) => row.dataset["incident"])).toEqual(["old report", "newest", "new"]);
  });

  it("tells of a report its command, how it ended, and where", () => {
    open([report()]);
    const row = screen.getByRole("article");
    expect(row.querySelector(".notice-command")?.textContent).toBe("make all exited 2");
    within(row).getByText("In Before");
  });

  it("delivers into the open conversation", async () => {
    open([report()]);
    press("Deliver here");
    await settle();
    expect(calls()).toEqual([{ command: "deliver_unit", params: { unitId: "u", sessionId: "here" } }]);
    expect(onClose).not.toHaveBeenCalled();
  });

  it("delivers from an ended conversation into the one that goes on", () => {
    open([report()], "old");
    press("Deliver here");
    expect(calls()).toEqual([{ command: "deliver_unit", params: { unitId: "u", sessionId: "here" } }]);
  });

  it("delivers elsewhere: the latest first, neither where it ended nor here; arrows walk, Escape goes back to the row", () => {
    open([report()]);
    press("Deliver elsewhere");
    const places = () => within(screen.getByRole("list", { name: "Deliver elsewhere" })).getAllByRole("button");
    expect(places().map((place) => place.querySelector(".cut")?.textContent)).toEqual(["Photos", "Lease"]);
    expect(document.activeElement).toBe(places()[0]);
    fireEvent.keyDown(places()[0] as HTMLElement, { key: "ArrowDown" });
    expect(document.activeElement).toBe(places()[1]);
    fireEvent.keyDown(places()[1] as HTMLElement, { key: "Escape" });
    expect(document.activeElement).toBe(screen.getByRole("article"));
    expect(onClose).not.toHaveBeenCalled();
    press("Deliver elsewhere");
    fireEvent.click(places()[1] as HTMLElement);
    expect(calls()).toEqual([{ command: "deliver_unit", params: { unitId: "u", sessionId: "third" } }]);
  });

  it("says in the row why it was not delivered", async () => {
    stage.answers.deliver_unit = () => Promise.reject(new CallError("not_found", "There is no such report."));
    open([report()]);
    press("Deliver here");
    await screen.findByText("Not done: There is no such report.");
  });

  it("offers nothing here while no conversation is open", () => {
    open([report()], null);
    expect(screen.queryByRole("button", { name: "Deliver here" })).toBeNull();
    screen.getByRole("button", { name: "Deliver elsewhere" });
  });

  it("opens the output of its process, only while there is one", () => {
    open([report(), report({ incidentId: "gone", unit: unit({ processId: "forgotten" }) })]);
    press("Open output");
    expect(onClose).toHaveBeenCalledOnce();
    expect(stage.store.selection).toMatchObject({ sessionId: "old", processId: "p" });
  });

  it("leads from a stop that failed to its process", () => {
    open([incident({ cause: "stop_failed", subject: "p" })]);
    press("Open process");
    expect(stage.store.selection).toMatchObject({ processId: "p" });
  });

  it.each([
    [incident({ cause: "config" }), "about"],
    [incident({ cause: "disk_full", subject: "backup" }), "data"],
    [incident({ cause: "storage_not_restored" }), "data"],
  ])("leads to the settings %#", (row, section) => {
    open([row]);
    press("Open settings");
    expect(stage.store.selection.view).toEqual({ settings: section });
  });

  it("dismisses", async () => {
    open([incident({ cause: "nobody_knows" })]);
    press("Dismiss");
    await settle();
    expect(calls()).toEqual([{ command: "resolve_incident", params: { incidentId: "i" } }]);
  });

  it("closes on Escape, moves by arrows, and keeps the focus when a row goes", async () => {
    open([report(), incident({})]);
    const rows = screen.getAllByRole("article");
    expect(document.activeElement).toBe(rows[0]);
    fireEvent.keyDown(rows[0] as HTMLElement, { key: "ArrowDown" });
    expect(document.activeElement).toBe(rows[1]);
    stage.feed({ incidents: [report()] });
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("article")));
    fireEvent.keyDown(document.activeElement as HTMLElement, { key: "Escape" });
    expect(onClose).toHaveBeenCalledOnce();
  });
});

describe("words to a channel", () => {
  it.each([
    ["letter_held", "", "Held after a restore: an answer to slack", "alert"],
    ["outbox_abandoned", "slack: not sent for a day", "An answer did not reach slack", "failed"],
    ["outbox_declined", "slack: not approved", "An answer did not reach slack", "failed"],
  ])("say of %s what happened and why", (cause, detail, what, glyph) => {
    const words = said(letter({ cause, detail }), text);
    expect([words.what, words.glyph]).toEqual([what, glyph]);
    expect(words.why).toMatch(/\.$/);
    expect(words.why).toContain(detail.replace("slack: ", ""));
  });

  it("name files as files", () => {
    expect(said(letter({}, { files: ["plan.pdf"], text: "" }), text).what).toBe("Held after a restore: files for slack");
  });

  it("say to whom and what, and are sent or discarded", async () => {
    open([letter()]);
    const row = screen.getByRole("article");
    within(row).getByText("To Ada");
    within(row).getByText("It is done.");
    within(row).getByText("In Photos");
    expect(within(row).queryByRole("button", { name: "Deliver here" })).toBeNull();
    press("Send");
    press("Discard");
    await settle();
    expect(calls()).toEqual([
      { command: "send_letter", params: { letterId: "l" } },
      { command: "resolve_incident", params: { incidentId: "l" } },
    ]);
  });

  it("are tried again where that helps, and only dismissed where the place declined", () => {
    open([letter({ cause: "outbox_abandoned" }), letter({ incidentId: "d", cause: "outbox_declined" }, { canBeSent: false })]);
    const [first, second] = screen.getAllByRole("article").map((row) => within(row).getAllByRole("button").map((one) => one.textContent));
    expect(first).toEqual(["Try again", "Dismiss"]);
    expect(second).toEqual(["Dismiss"]);
  });

  it("say in the row why they were not sent", async () => {
    stage.answers.send_letter = () => Promise.reject(new CallError("not_found", "There is no such letter."));
    open([letter()]);
    press("Send");
    await screen.findByText("Not done: There is no such letter.");
  });

  it("come before what only failed", () => {
    open([incident({ incidentId: "fault", atMs: 9 }), letter()]);
    expect(screen.getAllByRole("article").map((row) => row.dataset["incident"])).toEqual(["l", "fault"]);
  });
});
