// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FakeSettings, OLLAMA } from "../bridge/fake/settings";
import type { LocalServer, TestProviderReply } from "../bridge/wire";
import { useView } from "../feed/hooks";
import { chatModels } from "../settings/presets";
import { makeStage, session, type Stage } from "../testing/stage";
import { FirstRun } from "./FirstRun";
import { useFirstRun } from "./useFirstRun";

beforeEach(() => sessionStorage.clear());
afterEach(cleanup);

/** The frame, as far as it matters here. */
function Window() {
  const { view } = useView();
  const { phase, close } = useFirstRun();
  if (view !== "chat") return <p>settings</p>;
  return phase === "open" ? <FirstRun onDone={close} /> : <p>{phase === "asking" ? "nothing yet" : "chat"}</p>;
}

interface Shown extends Stage {
  fake: FakeSettings;
}

function begin({ servers = [] as LocalServer[], worked = false, put = (fake: FakeSettings) => fake.empty() } = {}): Shown {
  const fake = new FakeSettings();
  put(fake);
  fake.servers = servers;
  const stage = makeStage({
    find_servers: () => Promise.resolve({ servers: fake.servers, ports: [11434, 1234, 8080, 8000] }),
    test_provider: () => Promise.resolve(fake.test),
    put_provider: (params) => Promise.resolve(fake.putProvider(params)),
    set_setting: (params) => Promise.resolve(fake.set(params)),
    create_session: () => Promise.resolve({ sessionId: "first" }),
    get_ui_state: () => Promise.resolve({ entries: [...fake.uiState].map(([key, value]) => ({ key, value })) }),
    set_ui_state: ({ key, value }) => {
      fake.uiState.set(key, value ?? "");
      return Promise.resolve({});
    },
  });
  stage.store.setup.take(fake.settings);
  stage.store.connection = { kind: "open" };
  if (worked) stage.feed({ sessions: new Map([["s", session({})]]) });
  stage.show(<Window />);
  return { ...stage, fake };
}

const params = (stage: Stage, command: string) => stage.calls.filter((call) => call.command === command).map((call) => call.params);
const start = () => screen.getByTestId<HTMLButtonElement>("first-run-start");

describe("the first run", () => {
  it("is none where somebody has worked before", async () => {
    begin({ worked: true });
    expect(await screen.findByText("chat")).toBeTruthy();
  });

  it("shows no card before all of them are known, so that none moves under a press", async () => {
    const stage = begin({ servers: [OLLAMA] });
    type Reply = { servers: LocalServer[]; ports: number[] };
    const waiting: ((reply: Reply) => void)[] = [];
    stage.answers.find_servers = () => new Promise<Reply>((resolve) => waiting.push(resolve));
    cleanup();
    stage.show(<Window />);
    expect(await screen.findByText("Looking for model servers on this computer")).toBeTruthy();
    expect(screen.queryByTestId("first-run-skip")).toBeNull();
    act(() => waiting[0]?.({ servers: [], ports: [1] }));
    expect(await screen.findByTestId("first-run-skip")).toBeTruthy();
  });

  it("is one press away from a chat when a server runs here", async () => {
    const stage = begin({ servers: [OLLAMA] });
    expect((await screen.findByTestId<HTMLInputElement>("first-run-server-ollama")).checked).toBe(true);
    expect(screen.getByText("Found on port 11434. Used only if you choose it.")).toBeTruthy();
    // Nothing else has to be touched: Enter starts.
    await waitFor(() => expect(document.activeElement).toBe(start()));
    fireEvent.click(start());
    expect(await screen.findByText("chat")).toBeTruthy();
    expect(params(stage, "put_provider")).toEqual([{ name: "ollama", kind: "ollama", baseUrl: OLLAMA.baseUrl, models: [], key: { kind: "none" } }]);
    // The first of its models only embeds.
    expect(params(stage, "set_setting")).toEqual([{ key: "agent.model", value: "ollama/qwen3-4b" }]);
    expect(stage.store.selection.sessionId).toBe("first");
    expect(stage.fake.uiState.get("first-run")).toBe("done");
  });

  it("says that the built-in model is ready, and one press begins the chat", async () => {
    const stage = begin({ put: (fake) => fake.builtIn() });
    expect(await screen.findByText("The built-in model is ready")).toBeTruthy();
    const cards = await screen.findAllByRole<HTMLInputElement>("radio");
    expect([cards[0]?.dataset["testid"], cards[0]?.checked]).toEqual(["first-run-starter", true]);
    expect(screen.getByText("Starter model: it chats a little; it can't run commands and gets facts wrong.")).toBeTruthy();
    await waitFor(() => expect(document.activeElement).toBe(start()));
    fireEvent.click(start());
    expect(await screen.findByText("chat")).toBeTruthy();
    expect([params(stage, "put_provider"), params(stage, "set_setting")]).toEqual([[], []]);
    expect(stage.store.selection.sessionId).toBe("first");
  });

  it("takes up a built-in model that comes while it stands open", async () => {
    const stage = begin();
    expect((await screen.findByTestId<HTMLInputElement>("first-run-key")).checked).toBe(true);
    stage.fake.builtIn();
    act(() => stage.store.setup.take(stage.fake.settings));
    expect(screen.getByTestId<HTMLInputElement>("first-run-starter").checked).toBe(true);
    stage.fake.empty();
    act(() => stage.store.setup.take(stage.fake.settings));
    expect(screen.getByTestId<HTMLInputElement>("first-run-key").checked).toBe(true);
  });

  it("keeps the starter first beside a server, two presses away", async () => {
    const stage = begin({ servers: [OLLAMA], put: (fake) => fake.builtIn() });
    expect((await screen.findByTestId<HTMLInputElement>("first-run-server-ollama")).checked).toBe(true);
    fireEvent.click(screen.getByTestId("first-run-starter"));
    fireEvent.click(start());
    expect(await screen.findByText("chat")).toBeTruthy();
    expect(params(stage, "put_provider")).toEqual([]);
  });

  it("takes a model by its file", async () => {
    const stage = begin();
    fireEvent.click(await screen.findByTestId("first-run-file"));
    fireEvent.click(start());
    expect(await screen.findByText("No file is named. Type its whole path, from / on.")).toBeTruthy();
    await waitFor(() => expect(start().getAttribute("aria-disabled")).toBe("false"));
    fireEvent.change(screen.getByTestId("model-file-path"), { target: { value: "/m/small.gguf" } });
    fireEvent.click(start());
    expect(await screen.findByText("chat")).toBeTruthy();
    expect(params(stage, "put_provider")).toMatchObject([{ name: "small", kind: "embedded", models: ["/m/small.gguf"] }]);
    expect(params(stage, "set_setting")).toEqual([{ key: "agent.model", value: "small//m/small.gguf" }]);
  });

  it("lets another of the server's models be chosen, and none that does not chat", async () => {
    const stage = begin({ servers: [OLLAMA] });
    const select = await screen.findByTestId<HTMLSelectElement>("first-run-model");
    expect([...select.options].map((option) => option.value)).toEqual(["qwen3-4b", "gemma3-4b"]);
    fireEvent.change(select, { target: { value: "gemma3-4b" } });
    fireEvent.click(start());
    await screen.findByText("chat");
    expect(params(stage, "set_setting")).toEqual([{ key: "agent.model", value: "ollama/gemma3-4b" }]);
  });

  it("says where was looked when nothing was found, and looks again", async () => {
    const stage = begin();
    expect(await screen.findByText(/Looked on ports 11434, 1234, 8080 and 8000\./)).toBeTruthy();
    expect(screen.getByTestId<HTMLInputElement>("first-run-key").checked).toBe(true);
    stage.fake.servers = [OLLAMA];
    fireEvent.click(screen.getByTestId("first-run-look-again"));
    expect((await screen.findByTestId<HTMLInputElement>("first-run-server-ollama")).checked).toBe(true);
  });

  it("goes on without a model, and does not come back", async () => {
    const stage = begin();
    fireEvent.click(await screen.findByTestId("first-run-skip"));
    expect(start().textContent).toMatch(/^Start without a model/);
    fireEvent.click(start());
    expect(await screen.findByText("chat")).toBeTruthy();
    expect(params(stage, "put_provider")).toEqual([]);
    expect(stage.store.selection.sessionId).toBe("first");
    cleanup();
    stage.show(<Window />);
    expect(await screen.findByText("chat")).toBeTruthy();
  });

  it("does not show itself to whoever has a provider, or put it away", async () => {
    begin({ put: () => undefined });
    expect(screen.getByText("chat")).toBeTruthy();
    cleanup();
    begin({
      put: (fake) => {
        fake.empty();
        fake.uiState.set("first-run", "done");
      },
    });
    expect(screen.getByText("nothing yet")).toBeTruthy();
    expect(await screen.findByText("chat")).toBeTruthy();
  });

  it("is over for whoever set a provider up in the settings meanwhile", async () => {
    const stage = begin();
    await screen.findByTestId("first-run");
    stage.store.openSettings();
    expect(await screen.findByText("settings")).toBeTruthy();
    stage.store.setup.take(new FakeSettings().settings);
    stage.store.closeSettings();
    expect(await screen.findByText("chat")).toBeTruthy();
  });
});

const refused: TestProviderReply = { latencyMs: 90, models: [], problem: { code: "wrong_key", message: "openai refused the key.", mend: "Copy it again." } };

describe("a provider with a key", () => {
  it("that refuses the key says so, and nothing is set up", async () => {
    const stage = begin();
    stage.fake.test = refused;
    fireEvent.change(await screen.findByTestId("provider-key"), { target: { value: "sk-wrong" } });
    fireEvent.click(start());
    expect((await screen.findByTestId("provider-problem")).textContent).toBe("openai refused the key. Copy it again.");
    expect(params(stage, "put_provider")).toEqual([]);
    await waitFor(() => expect(start().getAttribute("aria-disabled")).toBe("false"));
    stage.fake.test = { latencyMs: 80, models: ["gpt-5"] };
    fireEvent.change(screen.getByTestId("provider-key"), { target: { value: "sk-right" } });
    expect(screen.queryByTestId("provider-problem")).toBeNull();
    fireEvent.click(start());
    await screen.findByText("chat");
    expect(params(stage, "put_provider")).toMatchObject([{ name: "openai", key: { kind: "stored", value: "sk-right" } }]);
    expect(params(stage, "set_setting")).toEqual([{ key: "agent.model", value: "openai/gpt-5" }]);
  });

  it("with several models waits for the choice", async () => {
    const stage = begin();
    stage.fake.test = { latencyMs: 80, models: ["text-embedding-3", "gpt-5", "gpt-5-mini"] };
    await screen.findByTestId("provider-key");
    fireEvent.click(start());
    fireEvent.change(await screen.findByTestId("first-run-model"), { target: { value: "gpt-5-mini" } });
    expect(params(stage, "put_provider")).toEqual([]);
    await waitFor(() => expect(start().getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(start());
    await screen.findByText("chat");
    expect(params(stage, "set_setting")).toEqual([{ key: "agent.model", value: "openai/gpt-5-mini" }]);
  });

  it("that lists no models takes a typed name", async () => {
    const stage = begin();
    stage.fake.test = { latencyMs: 80, models: [] };
    fireEvent.click(await screen.findByTestId("provider-test"));
    const field = await screen.findByTestId("first-run-model");
    fireEvent.click(start());
    expect(await screen.findByText("No model is chosen. Type the name that the provider uses.")).toBeTruthy();
    fireEvent.change(field, { target: { value: "claude" } });
    await waitFor(() => expect(start().getAttribute("aria-disabled")).toBe("false"));
    fireEvent.click(start());
    await screen.findByText("chat");
    expect(params(stage, "set_setting")).toEqual([{ key: "agent.model", value: "openai/claude" }]);
  });
});

describe("models that chat", () => {
  it("are told by their names from those that do something else", () => {
    const others = ["nomic-embed-text", "bge-m3:latest", "text-embedding-3-large", "whisper-1", "tts-1-hd", "gpt-4o-mini-tts", "dall-e-3", "omni-moderation-latest", "all-minilm", "jina-reranker-v2"];
    expect(chatModels(others)).toEqual([]);
    const chat = ["qwen3-4b", "llama3.2:3b", "gpt-5", "claude-sonnet", "gemini-2.5-pro", "gemma3-4b", "deepseek-r1:8b", "mistral-small", "eclipse-7b"];
    expect(chatModels(chat)).toEqual(chat);
  });
});
