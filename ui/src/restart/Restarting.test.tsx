import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { makeStage, type Stage } from "../testing/stage";
import { Restarting } from "./Restarting";

let stage: Stage;

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  stage = makeStage({ restart_gateway: async () => ({}) });
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

it("counts down, says who is waited for, and need not wait", () => {
  stage.show(<Restarting restarting={{ latestAtMs: 1_012_000, turns: 1 }} isHere />);
  expect(screen.getByTestId("restarting").textContent).toBe("Restarting in 12 s. 1 turn is still at work.");
  fireEvent.click(screen.getByRole("button", { name: "Restart now" }));
  expect(stage.calls).toEqual([{ command: "restart_gateway", params: { now: true } }]);
});

it("says no number once nobody is waited for", () => {
  stage.show(<Restarting restarting={{ latestAtMs: 1_012_000, turns: 2 }} isHere={false} />);
  expect(document.body.textContent).toBe("Restarting");
  cleanup();
  stage.show(<Restarting restarting={{ latestAtMs: 1_012_000, turns: 0 }} isHere />);
  expect(document.body.textContent).toBe("Restarting");
});
