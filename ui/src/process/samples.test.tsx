// @vitest-environment jsdom
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Process } from "../bridge/wire";
import { everythingVisible, makeStage, process } from "../testing/stage";
import { ProcessRail } from "./ProcessRail";
import { share } from "./samples";

let hidden = false;

beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2031, 4, 6, 14, 1) });
  vi.spyOn(document, "hidden", "get").mockImplementation(() => hidden);
  everythingVisible();
});

afterEach(() => {
  cleanup();
  hidden = false;
  vi.useRealTimers();
});

const rows = (...all: Process[]) => ({ processes: new Map(all.map((one) => [one.processId, one])) });
const seconds = (many: number) => act(() => vi.advanceTimersByTimeAsync(many * 1000));
const sampled = (stage: ReturnType<typeof makeStage>) => stage.calls.filter((call) => call.command === "sample_processes");

const open = () => {
  const stage = makeStage({
    sample_processes: ({ processIds }) =>
      Promise.resolve({ samples: processIds.map((processId) => ({ processId, cpuPercent: 1.24, rssBytes: 224_395_264, descendants: 2 })) }),
  });
  stage.store.connection = { kind: "open" };
  return stage;
};

describe("measuring", () => {
  it("asks once a second for what lives and can be seen, and shows it", async () => {
    const stage = open();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(process({ processId: "live" }), process({ processId: "gone", state: "exited", exitCode: 0, endedAtMs: Date.now() })));
    await seconds(0);
    expect(sampled(stage).map((call) => call.params)).toEqual([{ processIds: ["live"] }]);
    expect(screen.getByText("1.2 %")).toBeTruthy();
    expect(screen.getByText("214 MB")).toBeTruthy();
    expect(screen.getByText("3 in tree")).toBeTruthy();
    await seconds(3);
    expect(sampled(stage)).toHaveLength(4);
  });

  it("asks nothing while nothing lives", async () => {
    const stage = open();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(process({ state: "exited", exitCode: 0, endedAtMs: Date.now() })));
    await seconds(5);
    expect(sampled(stage)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("asks nothing while the window is hidden, or the rail is gone", async () => {
    const stage = open();
    const { unmount } = stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(process({})));
    await seconds(0);
    hidden = true;
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    await seconds(5);
    expect(sampled(stage)).toHaveLength(1);
    hidden = false;
    act(() => void document.dispatchEvent(new Event("visibilitychange")));
    await seconds(0);
    expect(sampled(stage)).toHaveLength(2);
    unmount();
    await seconds(5);
    expect(sampled(stage)).toHaveLength(2);
  });

  it("asks nothing for rows that are scrolled out of sight", async () => {
    const Seen = globalThis.IntersectionObserver;
    globalThis.IntersectionObserver = class extends Seen {
      override observe(): void {}
    };
    const stage = open();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(process({})));
    await seconds(5);
    expect(sampled(stage)).toEqual([]);
  });

  it("asks one thing at a time, and forgets figures that cannot be had any more", async () => {
    let answer = (): void => undefined;
    const stage = open();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(process({})));
    await seconds(0);
    stage.answers.sample_processes = () => new Promise((_, reject) => (answer = () => reject(new Error("gone"))));
    await seconds(4);
    expect(sampled(stage)).toHaveLength(2);
    await act(async () => {
      answer();
      await Promise.resolve();
    });
    expect(screen.queryByText("1.2 %")).toBeNull();
  });
});

it.each([
  [0, "0.0 %"],
  [1.24, "1.2 %"],
  [9.96, "10 %"],
  [88.4, "88 %"],
  [412, "412 %"],
])("%d is %s", (percent, words) => {
  expect(share(percent).replace("\u00a0", " ")).toBe(words);
});
