import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Desktop } from "../bridge/bridge";
import type { DesktopState, Intent, View } from "../bridge/wire";
import { makeStage, type Stage } from "../testing/stage";
import { useDesktopState, useIntents } from "./intents";
import { useLookAt } from "./lookAt";
import { QuitDialog } from "./QuitDialog";

/** A desktop app that hands out what a test pushes. */
function makeDesktop() {
  const waiting: ((intent: Intent) => void)[] = [];
  const views: View[] = [];
  let state: DesktopState = { tray: true };
  const desktop: Desktop = {
    lookAt: async (view) => void views.push(view),
    nextIntent: () => new Promise((resolve) => waiting.push(resolve)),
    state: async () => state,
    askQuit: async () => undefined,
    quit: async () => undefined,
    openWindow: async () => undefined,
    openPlace: async () => undefined,
    openFile: async () => undefined,
    chooseModelFile: async () => null,
  };
  return { desktop, views, waiting, setState: (next: DesktopState) => (state = next) };
}

let stage: Stage;
let app: ReturnType<typeof makeDesktop>;

beforeEach(() => {
  // jsdom draws no dialogs.
  HTMLDialogElement.prototype.showModal = function show() {
    this.open = true;
  };
  stage = makeStage();
  app = makeDesktop();
  (stage.store.bridge as { desktop: Desktop | null }).desktop = app.desktop;
});
afterEach(cleanup);

describe("the question before a quit", () => {
  const onQuit = vi.fn();
  const onCancel = vi.fn();
  beforeEach(() => {
    onQuit.mockReset();
    onCancel.mockReset();
    stage.show(<QuitDialog processes={3} onQuit={onQuit} onCancel={onCancel} />);
  });

  it("says how many run", () => {
    screen.getByText(/^3 processes are running\./);
  });

  it("has three ways out", () => {
    fireEvent.click(screen.getByTestId("quit-leave"));
    fireEvent.click(screen.getByTestId("quit-stop"));
    expect(onQuit.mock.calls).toEqual([["leave"], ["stop"]]);
    fireEvent.click(screen.getByTestId("quit-cancel"));
    expect(onCancel).toHaveBeenCalledOnce();
  });

  it("is cancelled by Escape, and quits nothing", () => {
    fireEvent(screen.getByTestId("quit"), new Event("cancel", { cancelable: true }));
    expect(onCancel).toHaveBeenCalledOnce();
    expect(onQuit).not.toHaveBeenCalled();
  });
});

describe("what the desktop app asks for", () => {
  const heard: Intent[] = [];
  function Listener() {
    useIntents((intent) => heard.push(intent));
    return null;
  }

  it("is carried out one by one, in its order, until the window is gone", async () => {
    const shown = stage.show(<Listener />);
    const all: Intent[] = [
      { kind: "show", sessionId: "s", seq: 4, processId: "p" },
      { kind: "new_session" },
      { kind: "open_settings" },
      { kind: "open_notices" },
      { kind: "ask_quit", processes: 2 },
      { kind: "state_changed" },
    ];
    for (const intent of all) {
      await waitFor(() => expect(app.waiting).toHaveLength(1));
      await act(async () => app.waiting.shift()?.(intent));
    }
    expect(heard).toEqual(all);
    await waitFor(() => expect(app.waiting).toHaveLength(1));
    shown.unmount();
    await act(async () => app.waiting.shift()?.({ kind: "new_session" }));
    expect(heard).toEqual(all);
    expect(app.waiting).toHaveLength(0);
  });

  it("reads what the system can do again when it is told to", async () => {
    function State({ asked }: { asked: number }) {
      return <output>{useDesktopState(asked)?.notificationsProblem ?? "none"}</output>;
    }
    const shown = stage.show(<State asked={0} />);
    app.setState({ tray: true, notificationsProblem: "gone" });
    shown.rerender(<State asked={1} />);
    await screen.findByText("gone");
  });
});

describe("what this window shows", () => {
  function Looks({ sessionId, atEnd }: { sessionId: string; atEnd: boolean }) {
    useLookAt(sessionId, atEnd);
    return null;
  }

  it("is told with the session and whether its end is in sight, and that it left", () => {
    const shown = stage.show(<Looks sessionId="s" atEnd={false} />);
    shown.rerender(<Looks sessionId="s" atEnd />);
    expect(app.views.filter(({ sessionId }) => sessionId !== null)).toEqual([
      { sessionId: "s", atEnd: false },
      { sessionId: "s", atEnd: true },
    ]);
    shown.unmount();
    expect(app.views.at(-1)).toEqual({ sessionId: null, atEnd: false });
  });

  it("is nobody's business in a browser", () => {
    (stage.store.bridge as { desktop: Desktop | null }).desktop = null;
    stage.show(<Looks sessionId="s" atEnd />);
    expect(app.views).toEqual([]);
  });
});
