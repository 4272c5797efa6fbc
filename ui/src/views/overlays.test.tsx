import { act, cleanup, screen } from "@testing-library/react";
import { beforeEach, afterEach, expect, it, vi } from "vitest";
import type { Desktop } from "../bridge/bridge";
import type { Intent } from "../bridge/wire";
import { makeStage } from "../testing/stage";
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

it("asks what a quit shall do as often as the program wants to know, and tells it", async () => {
  const stage = makeStage();
  const done: string[] = [];
  const intents: ((intent: Intent) => void)[] = [];
  const desktop: Desktop = {
    lookAt: async () => undefined,
    nextIntent: () => new Promise((resolve) => intents.push(resolve)),
    state: async () => ({ tray: true }),
    askQuit: async () => void done.push("ask"),
    quit: async (choice) => void done.push(choice),
    openWindow: async () => undefined,
    openPlace: async () => undefined,
    openFile: async () => undefined,
    chooseModelFile: async () => null,
  };
  (stage.store.bridge as { desktop: Desktop | null }).desktop = desktop;
  stage.show(<Frame />);
  act(() => screen.getByText("leave").click());
  expect(done).toEqual(["ask"]);
  expect(screen.queryByTestId("quit")).toBeNull();
  await act(async () => intents.at(-1)?.({ kind: "ask_quit", processes: 1 }));
  expect(screen.getByTestId("quit").textContent).toContain("1 process is running");
  act(() => screen.getByTestId("quit-stop").click());
  expect(done).toEqual(["ask", "stop"]);
});
