import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { useSecondTick } from "./tick";

const START = new Date(2026, 4, 15, 14, 0, 30, 250).getTime();
let hidden = false;

beforeEach(() => {
  vi.useFakeTimers({ now: START });
  vi.spyOn(document, "hidden", "get").mockImplementation(() => hidden);
});

afterEach(() => {
  hidden = false;
  vi.useRealTimers();
});

function setHidden(value: boolean): void {
  hidden = value;
  document.dispatchEvent(new Event("visibilitychange"));
}

it("beats on the whole second, with one timer for all", () => {
  const views = [renderHook(() => useSecondTick(true)), renderHook(() => useSecondTick(true))];
  expect(vi.getTimerCount()).toBe(1);
  act(() => vi.advanceTimersByTime(749));
  expect(views[0]?.result.current).toBe(START);
  act(() => vi.advanceTimersByTime(1));
  expect(views.map((view) => view.result.current)).toEqual([START + 750, START + 750]);
  for (const view of views) view.unmount();
  expect(vi.getTimerCount()).toBe(0);
});

it("rests while the window is hidden, and is right at once when it is seen again", () => {
  const view = renderHook(() => useSecondTick(true));
  act(() => setHidden(true));
  expect(vi.getTimerCount()).toBe(0);
  vi.setSystemTime(START + 60_000);
  act(() => setHidden(false));
  expect(view.result.current).toBe(START + 60_000);
  view.unmount();
});

it("asks for no timer where nothing counts, and knows the minute all the same", () => {
  const view = renderHook(() => useSecondTick(false));
  expect(vi.getTimerCount()).toBe(0);
  expect(view.result.current).toBe(new Date(2026, 4, 15, 14, 0).getTime());
  view.unmount();
});
