// @vitest-environment jsdom
import { act, cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import type { GetHealthReply } from "../bridge/wire";
import { makeStage, session } from "../testing/stage";
import { Waiting } from "./Waiting";

afterEach(cleanup);

const HEALTH: GetHealthReply = {
  protocol: 1,
  version: "0.1.0",
  profiles: ["default"],
  processes: { running: 0 },
  turns: { running: 1 },
  incidents: 0,
  model: "built-in/starter",
  modelLocal: true,
  modelChatOnly: true,
  approvals: "ask",
};
const LOADING = { installed: true, starter: true, state: "loading", provider: "built-in", model: "starter", percent: 42 };

it("how much of the model is there is said while a turn waits for it, and only then", () => {
  const stage = makeStage();
  const answering = (model: string): void =>
    act(() => {
      stage.store.setup.state = { ...stage.store.setup.state, health: { ...HEALTH, model } };
      stage.store.openProcess(null);
    });
  answering("built-in/starter");
  stage.show(<Waiting sessionId="s" />);
  const shown = () => screen.queryByRole<HTMLProgressElement>("progressbar");
  stage.feed({ sessions: new Map([["s", session({ runningTurnId: null })]]), engine: LOADING });
  expect(shown()).toBeNull();
  stage.feed({ sessions: new Map([["s", session({ runningTurnId: "turn" })]]) });
  expect([shown()?.value, screen.getByText(/Loading the model/).textContent]).toEqual([42, "Loading the model, 42\u00a0%"]);
  answering("lab/qwen3-4b");
  expect(shown()).toBeNull();
  answering("built-in/starter");
  stage.feed({ engine: { ...LOADING, state: "ready", percent: null } });
  expect(shown()).toBeNull();
});
