// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { FakeSettings, MODEL_FILE } from "../bridge/fake/settings";
import type { Desktop } from "../bridge/bridge";
import type { Engine } from "../bridge/wire";
import { useSetup } from "../feed/hooks";
import { makeStage } from "../testing/stage";
import { Models } from "./Models";

afterEach(cleanup);

function Room() {
  const { settings } = useSetup();
  return settings === null ? null : <Models settings={settings} />;
}

function open(change: (fake: FakeSettings) => void = () => undefined) {
  const fake = new FakeSettings();
  change(fake);
  const stage = makeStage({
    put_provider: (params) => Promise.resolve().then(() => fake.putProvider(params)),
    find_servers: () => Promise.resolve({ servers: [], ports: [11434] }),
    list_models: () => Promise.resolve(fake.models()),
    test_provider: () => Promise.resolve({ latencyMs: 0, models: ["starter"] }),
  });
  stage.store.setup.take(fake.settings);
  stage.show(<Room />);
  const put = () => stage.calls.filter(({ command }) => command === "put_provider").map(({ params }) => params);
  return { ...stage, put };
}

const HERE: Engine = { installed: true, starter: true, state: "asleep" };
const state = () => screen.getByTestId("engine-built-in").textContent;
const path = () => screen.getByTestId<HTMLInputElement>("model-file-path");

describe("the embedded engine", () => {
  it("says how far its model is, what it takes, and when it sleeps", () => {
    const stage = open((fake) => fake.builtIn());
    const mine = { ...HERE, provider: "built-in", model: "starter" };
    stage.feed({ engine: { ...mine, state: "loading", percent: 42 } });
    expect(state()).toBe("Loading the model, 42\u00a0%");
    stage.feed({ engine: { ...mine, state: "ready", takes: { memoryBytes: 205_520_896, context: 8192, threads: 2 } } });
    expect(state()).toBe("Ready. 196\u00a0MB of memory, 8,192 tokens of conversation, 2 threads.");
    stage.feed({ engine: { ...mine, provider: "another", state: "ready", takes: { memoryBytes: 1, context: 1, threads: 1 } } });
    expect(state()).toBe("Asleep. It takes no memory until you write.");
    stage.feed({ engine: { ...HERE, installed: false } });
    expect(state()).toMatch(/npm run engine builds it/);
  });

  it("is looked at, not asked, by a test", async () => {
    open((fake) => fake.builtIn());
    fireEvent.click(screen.getByTestId("provider-test"));
    expect(await screen.findByText("The file can be used.")).toBeTruthy();
  });

  it("says what the starter is, and offers no change of what stands in no file", async () => {
    open((fake) => fake.builtIn());
    expect(screen.getByText("Starter model: it chats a little; it can't run commands and gets facts wrong.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Edit built-in" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove built-in" })).toBeNull();
    expect(await screen.findByRole("option", { name: "starter: chats a little, no tools" })).toBeTruthy();
  });
});

describe("a model by its file", () => {
  it("is typed where there is no dialog, and its fault is named under the field", async () => {
    const stage = open();
    fireEvent.click(screen.getByTestId("model-file-add"));
    expect(screen.queryByTestId("model-file-browse")).toBeNull();
    expect(screen.getByText(/on the computer where the gateway runs/)).toBeTruthy();
    fireEvent.click(screen.getByTestId("model-file-save"));
    expect(screen.getByText("No file is named. Type its whole path, from / on.")).toBeTruthy();
    expect(stage.put()).toEqual([]);
    fireEvent.change(path(), { target: { value: "/home/ada/notes.txt" } });
    fireEvent.click(screen.getByTestId("model-file-save"));
    expect(await screen.findByText(/It is no GGUF file/)).toBeTruthy();
    expect(path().value).toBe("/home/ada/notes.txt");
    fireEvent.change(path(), { target: { value: `${MODEL_FILE} ` } });
    expect(screen.queryByText(/It is no GGUF file/)).toBeNull();
    fireEvent.click(screen.getByTestId("model-file-save"));
    expect(await screen.findByTestId("provider-qwen3-4b-instruct")).toBeTruthy();
    expect(stage.put().at(-1)).toEqual({ name: "qwen3-4b-instruct", kind: "embedded", baseUrl: "", models: [MODEL_FILE], key: { kind: "none" } });
    expect(screen.getByText("It chats; it can't run commands.")).toBeTruthy();
  });

  it("is chosen in the system's dialog, and another one later", async () => {
    const stage = open();
    const chosen = [null, MODEL_FILE];
    const desktop: Pick<Desktop, "chooseModelFile"> = { chooseModelFile: () => Promise.resolve(chosen.shift() ?? null) };
    (stage.store.bridge as { desktop: Pick<Desktop, "chooseModelFile"> | null }).desktop = desktop;
    fireEvent.click(screen.getByTestId("model-file-add"));
    fireEvent.click(screen.getByTestId("model-file-browse"));
    await waitFor(() => expect(chosen).toHaveLength(1));
    expect(path().value).toBe("");
    fireEvent.click(screen.getByTestId("model-file-browse"));
    await waitFor(() => expect(path().value).toBe(MODEL_FILE));
    fireEvent.click(screen.getByTestId("model-file-save"));
    fireEvent.click(await screen.findByRole("button", { name: "Edit qwen3-4b-instruct" }));
    fireEvent.change(path(), { target: { value: "/m/other.gguf" } });
    fireEvent.click(screen.getByTestId("model-file-save"));
    await waitFor(() => expect(stage.put()).toHaveLength(2));
    expect(stage.put().at(-1)).toMatchObject({ name: "qwen3-4b-instruct", models: ["/m/other.gguf"] });
  });

  it("tells how to get the engine while it is not there", () => {
    const stage = open();
    stage.feed({ engine: { installed: false, starter: false, state: "asleep" } });
    fireEvent.click(screen.getByTestId("model-file-add"));
    expect(screen.getByText(/It is found without a restart\./)).toBeTruthy();
  });
});
