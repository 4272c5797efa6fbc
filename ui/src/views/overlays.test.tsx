import { act, cleanup, screen } from "@testing-library/react";
import { beforeEach, afterEach, expect, it, vi } from "vitest";
import type { Desktop } from "../bridge/bridge";
import type { Process, QuitChoice } from "../bridge/wire";
import { makeStage, process } from "../testing/stage";
import { useOverlays } from "./overlays";
import type { Panes } from "./panes";

beforeEach(() => {
  // jsdom draws no dialogs.
  HTMLDialogElement.prototype.showModal = function show() {
    this.open = true;
  };
});
afterEach(cleanup);

const PANES: Panes = { layout: "three", sidebar: true, rail: true, toggleSidebar: vi.fn(), toggleRail: vi.fn(), showRail: vi.fn(), closeOverlays: vi.fn() };

function Frame() {
  const { frame, over } = useOverlays(PANES);
  return (
    <>
      <button type="button" onClick={frame.askQuit}>
        leave
      </button>
      {over}
    </>
  );
}

/** What a wish to quit led to, with these processes. */
function leave(...rows: Process[]): QuitChoice[] {
  const stage = makeStage();
  const choices: QuitChoice[] = [];
  const desktop: Desktop = {
    lookAt: async () => undefined,
    nextIntent: () => new Promise(() => undefined),
    state: async () => ({ tray: true }),
    quit: async (choice) => void choices.push(choice),
    openWindow: async () => undefined,
    openPlace: async () => undefined,
    chooseModelFile: async () => null,
  };
  (stage.store.bridge as { desktop: Desktop | null }).desktop = desktop;
  stage.show(<Frame />);
  stage.feed({ processes: new Map(rows.map((row) => [row.processId, row])) });
  act(() => screen.getByText("leave").click());
  return choices;
}

it("asks before a quit as long as something of a process lives", () => {
  const gone = process({ processId: "gone", state: "exited", exitCode: 0, endedAtMs: 1 });
  expect(leave(gone)).toEqual(["leave"]);
  cleanup();
  const left = { ...gone, processId: "left", descendants: 2 };
  expect(leave(gone, left)).toEqual([]);
  expect(screen.getByTestId("quit").textContent).toContain("1 process is running");
});
