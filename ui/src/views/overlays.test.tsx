import { act, cleanup, screen } from "@testing-library/react";
import { beforeEach, afterEach, expect, it, vi } from "vitest";
import type { Desktop } from "../bridge/bridge";
import type { Intent } from "../bridge/wire";
import { makeStage } from "../testing/stage";
import { CallError } from "../bridge/bridge";
import { useOverlays } from "./overlays";
import { Trouble } from "./Trouble";
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
      <button type="button" onClick={frame.newSession}>
        new
      </button>
      <Trouble />
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

it("says why no session was opened, until one is", async () => {
  const stage = makeStage({ create_session: () => Promise.reject(new CallError("store_unavailable", "The disk is full.")) });
  stage.show(<Frame />);
  await act(async () => screen.getByText("new").click());
  expect(screen.getByTestId("trouble").textContent).toBe("No session was opened. The disk is full.");
  stage.answers.create_session = () => Promise.resolve({ sessionId: "made" });
  await act(async () => screen.getByText("new").click());
  expect(screen.queryByTestId("trouble")).toBeNull();
  expect(stage.store.selection.sessionId).toBe("made");
  const keys = stage.calls.filter(({ command }) => command === "create_session").map(({ params }) => (params as { clientKey: string }).clientKey);
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
});
