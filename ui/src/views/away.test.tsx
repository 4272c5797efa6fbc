// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { FrameActions } from "../actions/actions";
import type { CallCode, Desktop } from "../bridge/bridge";
import type { Connection } from "../feed/hooks";
import { makeStage, process, type Stage } from "../testing/stage";
import type { Panes } from "./panes";
import { SessionPane } from "./SessionPane";
import { StatusBar } from "./StatusBar";

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const PANES: Panes = { layout: "three", sidebar: true, rail: true, toggleSidebar: vi.fn(), toggleRail: vi.fn(), showRail: vi.fn(), closeOverlays: vi.fn() };
const retrying = (code: CallCode, message: string): Connection => ({ kind: "retrying", atMs: Date.now() + 4000, code, message });
const become = (stage: Stage, connection: Connection) =>
  act(() => {
    stage.store.connection = connection;
    stage.store.openProcess(null);
  });

describe("the number of processes", () => {
  const number = () => screen.getByTestId("processes").textContent;
  const see = () => {
    const stage = makeStage();
    stage.show(<StatusBar frame={{} as FrameActions} noticesOpen={false} incidentsOpen={false} />);
    return stage;
  };

  it("is not told while nobody knows it: they outlive the gateway", () => {
    const stage = see();
    expect(number()).toBe("Processes");
    become(stage, retrying("unreachable", ""));
    expect(number()).toBe("Processes");
    become(stage, { kind: "open" });
    expect(number()).toBe("No processes");
  });

  it("is the last that was known once the gateway went away", () => {
    const stage = see();
    stage.feed({ processes: new Map([["p", process({})]]) });
    become(stage, retrying("unreachable", ""));
    expect(number()).toBe("1 process");
  });

  it.each<[CallCode, string, string]>([
    ["unreachable", "Gateway not answering, retrying in 4", "Gateway not answering, trying now"],
    ["store_unavailable", "Gateway not started, retrying in 4", "Gateway not started, trying now"],
  ])("stands beside how long it is until the next try, which a press makes at once (%s)", (code, words, then) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const stage = see();
    const tryNow = vi.fn();
    Object.assign(stage.store, { tryNow });
    become(stage, retrying(code, ""));
    fireEvent.click(screen.getByRole("button", { name: new RegExp(`^${words}`) }));
    expect(tryNow).toHaveBeenCalledOnce();
    become(stage, { kind: "retrying", atMs: null, code, message: "" });
    expect(screen.getByRole("button", { name: then }).getAttribute("aria-disabled")).toBe("true");
  });
});

describe("a gateway that never answered", () => {
  const see = (desktop: Desktop | null) => {
    const stage = makeStage();
    (stage.store.bridge as { desktop: Desktop | null }).desktop = desktop;
    stage.show(<SessionPane sessionId={null} panes={PANES} finding={0} onFound={vi.fn()} />);
    return stage;
  };

  it.each<[string, Desktop | null, string]>([
    ["a browser", null, "Gatehouse asks again by itself. If it stays like this, start the gateway on its computer."],
    ["the app", {} as Desktop, "Gatehouse asks again by itself. If it stays like this, quit Gatehouse and open it again."],
  ])("is named in %s with the cause and what to do", (_name, desktop, next) => {
    become(see(desktop), retrying("unreachable", "No connection to the gateway could be made."));
    expect(screen.getByText("The gateway does not answer yet")).toBeTruthy();
    expect(screen.getByText("No connection to the gateway could be made.")).toBeTruthy();
    expect(screen.getByText(next)).toBeTruthy();
  });

  it.each<CallCode>(["unreachable", "store_unavailable"])("is asked at once by a press (%s)", (code) => {
    const stage = makeStage();
    const tryNow = vi.fn();
    Object.assign(stage.store, { tryNow });
    stage.show(<SessionPane sessionId={null} panes={PANES} finding={0} onFound={vi.fn()} />);
    become(stage, retrying(code, "No connection to the gateway could be made."));
    fireEvent.click(screen.getByRole("button", { name: "Try now" }));
    expect(tryNow).toHaveBeenCalledOnce();
  });

  it("leaves what to do to the words about the data, where those are the cause", () => {
    become(see(null), retrying("store_unavailable", "The data file is damaged. Restore a backup."));
    expect(screen.getByRole("button", { name: "Show the backups" })).toBeTruthy();
    expect(screen.queryByText(/asks again by itself/)).toBeNull();
  });
});
