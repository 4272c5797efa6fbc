// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { actions, type FrameActions } from "../actions/actions";
import type { RestartProcessReply } from "../bridge/wire";
import { everythingVisible, makeStage, process, session, type Stage } from "../testing/stage";
import { ProcessRail } from "./ProcessRail";

beforeEach(everythingVisible);
afterEach(cleanup);

/** Every place where a process is restarted. */
const PLACES: [string, (stage: Stage) => void][] = [
  ["the detail's button", () => fireEvent.click(screen.getByRole("button", { name: "Restart" }))],
  [
    "the detail's menu",
    () => {
      fireEvent.click(screen.getByRole("button", { name: "More" }));
      fireEvent.click(screen.getByRole("menuitem", { name: /^Restart/ }));
    },
  ],
  ["the list's letter", () => fireEvent.keyDown(document.querySelector(".process-row") as HTMLElement, { key: "r" })],
  [
    "the palette",
    ({ store }) => {
      const all = actions({ store, t: (id) => id, session: session({}), models: [], frame: {} as FrameActions });
      act(() => all.find(({ id }) => id === "restart-old")?.run());
    },
  ],
];

function begin() {
  let reply: (given: RestartProcessReply) => void = () => undefined;
  const stage = makeStage({
    read_output: () => Promise.resolve({ from: 0, next: 0, total: 0, text: "" }),
    list_items: () => Promise.resolve({ items: [] }),
    restart_process: () =>
      new Promise((resolve) => {
        reply = resolve;
      }),
  });
  stage.show(<ProcessRail sessionId="s" />);
  stage.feed({ processes: new Map([["old", process({ processId: "old" })]]) });
  act(() => stage.store.openSession("s"));
  act(() => stage.store.openProcess("old"));
  return { stage, end: () => act(async () => reply({ processId: "new" })) };
}

describe.each(PLACES)("a restart by %s", (_, press) => {
  it("opens the new process", async () => {
    const { stage, end } = begin();
    press(stage);
    expect(stage.store.selection.processId).toBe("old");
    await end();
    expect(stage.store.selection).toMatchObject({ sessionId: "s", view: "chat", processId: "new" });
  });

  it.each<[string, (stage: Stage) => void]>([
    ["another process", ({ store }) => store.openProcess("other")],
    ["no process", ({ store }) => store.openProcess(null)],
    ["another conversation", ({ store }) => store.openSession("elsewhere")],
    ["the settings", ({ store }) => store.openSettings()],
  ])("leaves who went on to %s meanwhile where they are", async (_place, goOn) => {
    const { stage, end } = begin();
    press(stage);
    act(() => goOn(stage));
    const there = stage.store.selection;
    await end();
    expect(stage.store.selection).toEqual(there);
  });
});
