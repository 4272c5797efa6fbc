import { cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { dismissTrouble } from "../actions/trouble";
import type { Settings } from "../bridge/wire";
import { CallError } from "../bridge/bridge";
import { makeStage, type Stage } from "../testing/stage";
import { ApprovalMenu, ModelMenu } from "./HeadMenus";
import { Trouble } from "./Trouble";

const SETTINGS: Settings = {
  path: "/home/ada/config.toml",
  dataDir: "/home/ada",
  profile: "default",
  warnings: [],
  providers: [],
  model: "lab/small",
  approvals: "ask",
  deny: [],
  onQuit: "ask",
  keepRunning: true,
  processes: 64,
  processesPerSession: 32,
  processNotices: "concise", inactivityTimeoutS: 1800,
  notifications: { completions: true, approvals: true, turns: true, approveFromToast: false },
  look: { theme: "system", contrast: "system", density: "normal", motion: "system" },
  keys: { kind: "file" },
};

let stage: Stage;

beforeEach(() => {
  dismissTrouble();
  stage = makeStage({
    set_setting: async ({ key, value }) => (key === "agent.model" ? { ...SETTINGS, model: String(value) } : { ...SETTINGS, approvals: String(value) }),
    list_models: async () => ({
      models: [
        { id: "lab/small", provider: "lab", name: "small", local: true },
        { id: "cloud/large", provider: "cloud", name: "large", local: false },
      ],
      failures: [],
    }),
  });
  stage.store.setup.state = {
    ...stage.store.setup.state,
    settings: SETTINGS,
    health: { protocol: 1, version: "0", profiles: [], processes: { running: 0 }, turns: { running: 0 }, incidents: 0, modelLocal: true, approvals: "ask" },
  };
});
afterEach(cleanup);

function show() {
  stage.show(
    <>
      <ModelMenu />
      <ApprovalMenu />
      <Trouble />
    </>,
  );
}
const sent = () => stage.calls.filter(({ command }) => command === "set_setting").map(({ params }) => params);

describe("the menus of the header", () => {
  it("change the model, and show the new one at once", async () => {
    show();
    fireEvent.click(screen.getByRole("button", { name: "Model: small" }));
    fireEvent.click(await screen.findByRole("menuitemradio", { name: /large/ }));
    expect(sent()).toEqual([{ key: "agent.model", value: "cloud/large" }]);
    await screen.findByRole("button", { name: "Model: large" });
  });

  it("mark what applies, and say where a model runs", async () => {
    show();
    fireEvent.click(screen.getByRole("button", { name: "Model: small" }));
    const here = await screen.findByRole("menuitemradio", { name: /lab, on this computer/ });
    expect(here.getAttribute("aria-checked")).toBe("true");
    expect(document.activeElement).toBe(here);
  });

  it("lead to the settings for more models", () => {
    show();
    fireEvent.click(screen.getByRole("button", { name: "Model: small" }));
    fireEvent.click(screen.getByRole("menuitemradio", { name: "More in Settings" }));
    expect(stage.store.selection.view).toEqual({ settings: "models" });
    expect(sent()).toEqual([]);
  });

  it("change when a person is asked", () => {
    show();
    fireEvent.click(screen.getByRole("button", { name: /^When to ask/ }));
    fireEvent.click(screen.getByRole("menuitemradio", { name: /^Risky only/ }));
    expect(sent()).toEqual([{ key: "agent.approvals", value: "risky" }]);
  });

  it("say why a change was refused, until it is put away", async () => {
    stage.answers.set_setting = () => Promise.reject(new CallError("invalid_request", "The file cannot be written."));
    show();
    fireEvent.click(screen.getByRole("button", { name: /^When to ask/ }));
    fireEvent.click(screen.getByRole("menuitemradio", { name: /^Risky only/ }));
    expect((await screen.findByTestId("trouble")).textContent).toContain("The file cannot be written.");
    fireEvent.click(screen.getByRole("button", { name: "Put away" }));
    expect(screen.queryByTestId("trouble")).toBe(null);
  });

  it("close on Escape, with the focus on their button", () => {
    show();
    const button = screen.getByRole("button", { name: /^When to ask/ });
    fireEvent.click(button);
    fireEvent.keyDown(screen.getByRole("menu"), { key: "Escape" });
    expect(screen.queryByRole("menu")).toBe(null);
    expect(document.activeElement).toBe(button);
  });
});
