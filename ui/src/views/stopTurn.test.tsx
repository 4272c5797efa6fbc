// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { actions } from "../actions/actions";
import { fakeBridge } from "../bridge/fake/fake";
import type { Session } from "../bridge/wire";
import { useStore } from "../feed/hooks";
import { everythingVisible, makeStage, session } from "../testing/stage";
import { useFrameKeys } from "./frameKeys";
import { useOverlays } from "./overlays";
import type { Panes } from "./panes";
import { SessionPane } from "./SessionPane";

beforeEach(everythingVisible);
afterEach(cleanup);

const PANES: Panes = { layout: "three", sidebar: true, rail: true, toggleSidebar: vi.fn(), toggleRail: vi.fn(), showRail: vi.fn(), closeOverlays: vi.fn() };

function Frame() {
  const store = useStore();
  const overlays = useOverlays(PANES);
  useFrameKeys({ current: null }, PANES, overlays);
  const ofPalette = () => actions({ store, t: (id) => id, session: store.state.sessions.get("s"), models: [], frame: overlays.frame });
  return (
    <>
      <button type="button" onClick={() => ofPalette().find(({ id }) => id === "stop-turn")?.run()}>
        by the palette
      </button>
      <SessionPane sessionId="s" panes={PANES} finding={0} onFound={() => undefined} />
    </>
  );
}

/** Every place where the turn of the open session is stopped. */
const PLACES: [string, () => void][] = [
  ["the head's button", () => fireEvent.click(screen.getByRole("button", { name: /^Stop/ }))],
  ["Escape", () => fireEvent.keyDown(window, { key: "Escape" })],
  ["the palette", () => fireEvent.click(screen.getByText("by the palette"))],
];

const rows = (more: Partial<Session>) => ({ sessions: new Map([["s", session(more)]]) });

describe.each(PLACES)("a stop by %s", (_, press) => {
  it("is of the turn that is shown, and no failure when that has ended by itself", async () => {
    const stage = makeStage({ stop_turn: () => Promise.resolve({ stopped: false, reaping: 0 }), list_items: () => Promise.resolve({ items: [] }) });
    stage.feed(rows({ runningTurnId: "a" }));
    stage.store.openSession("s");
    stage.show(<Frame />);
    press();
    stage.feed(rows({ runningTurnId: "b" }));
    press();
    await act(async () => undefined);
    const stops = stage.calls.filter(({ command }) => command === "stop_turn").map(({ params }) => params);
    expect(stops).toEqual([
      { sessionId: "s", turnId: "a" },
      { sessionId: "s", turnId: "b" },
    ]);
    expect(screen.queryByRole("alert")).toBeNull();
  });
});

it("leaves another turn alone in the gateway that tests run on", async () => {
  const bridge = fakeBridge("demo");
  const running = async () => (await bridge.call("list_sessions", {})).sessions.find(({ sessionId }) => sessionId === "orders")?.runningTurnId;
  const turnId = await running();
  expect(await bridge.call("stop_turn", { sessionId: "orders", turnId: "another" })).toEqual({ stopped: false, reaping: 0 });
  expect(await running()).toBe(turnId);
  expect(await bridge.call("stop_turn", { sessionId: "orders", turnId: turnId ?? null })).toEqual({ stopped: true, reaping: 0 });
  expect(await running()).toBeNull();
});
