// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { FakeSettings } from "../bridge/fake/settings";
import { CallError } from "../bridge/bridge";
import type { FindServersReply, TestProviderReply } from "../bridge/wire";
import { useView, type SectionName } from "../feed/hooks";
import { text } from "../l10n/l10n";
import { makeStage, type Stage } from "../testing/stage";
import { SECTIONS } from "./sections";
import { Settings } from "./Settings";
import { WarningBanner } from "./WarningBanner";

afterEach(cleanup);

/** The view as the frame shows it. */
function View() {
  const { view } = useView();
  return view === "chat" ? <p>chat</p> : <Settings section={view.settings} narrow={false} navOpen onToggleNav={() => undefined} />;
}

interface Shown extends Stage {
  fake: FakeSettings;
}

function open(section: SectionName, answers: Parameters<typeof makeStage>[0] = {}, change: (fake: FakeSettings) => void = () => undefined): Shown {
  const fake = new FakeSettings();
  change(fake);
  const stage = makeStage({
    get_settings: () => Promise.resolve(fake.settings),
    set_setting: (params) => Promise.resolve().then(() => fake.set(params)),
    put_provider: (params) => Promise.resolve(fake.putProvider(params)),
    remove_provider: ({ name }) => Promise.resolve(fake.removeProvider(name)),
    test_provider: () => Promise.resolve(fake.test),
    find_servers: () => Promise.resolve({ servers: fake.servers, ports: [11434] }),
    list_models: () => Promise.resolve(fake.models()),
    list_rules: () => Promise.resolve({ rules: fake.rules }),
    remove_rule: ({ ruleId }) => Promise.resolve({ rules: fake.rules.filter((rule) => rule.ruleId !== ruleId) }),
    ...answers,
  });
  stage.store.setup.take(fake.settings);
  stage.store.openSettings(section);
  stage.show(<View />);
  return { ...stage, fake };
}

/** A look for servers that has not ended. */
interface Look {
  resolve(reply: FindServersReply): void;
  reject(reason: unknown): void;
}

const called = (stage: Stage, command: string) => stage.calls.filter((call) => call.command === command).map((call) => call.params);
const number = () => screen.getByTestId<HTMLInputElement>("setting-limits.processes");

describe("a change", () => {
  it("is sent at once, shown, and said", async () => {
    const stage = open("processes");
    fireEvent.change(screen.getByTestId("setting-gateway.on_quit"), { target: { value: "stop" } });
    expect(await screen.findByText("Saved in config.toml, comments kept")).toBeTruthy();
    expect(called(stage, "set_setting")).toEqual([{ key: "gateway.on_quit", value: "stop" }]);
    expect(stage.store.setup.state.settings?.onQuit).toBe("stop");
    expect(screen.getByLabelText<HTMLSelectElement>("When I quit Gatehouse").value).toBe("stop");
  });

  it("that was refused says why under its field, with the old value, and keeps what was typed", async () => {
    const stage = open("processes");
    fireEvent.change(number(), { target: { value: "640" } });
    fireEvent.keyDown(number(), { key: "Enter" });
    const why = await screen.findByText("Use a number from 1 to 256. The old value, 64, still applies.");
    expect(number().value).toBe("640");
    expect(number().getAttribute("aria-invalid")).toBe("true");
    expect(number().getAttribute("aria-describedby")?.split(" ")).toContain(why.closest("p")?.id);
    expect(stage.store.setup.state.settings?.processes).toBe(64);
    fireEvent.keyDown(number(), { key: "Escape" });
    expect(number().value).toBe("64");
    expect(screen.queryByText(/still applies/)).toBeNull();
  });

  it("of how long a turn may stand still can be never", async () => {
    const stage = open("processes");
    const field = screen.getByLabelText<HTMLInputElement>("Seconds until a still turn is given up");
    expect(field.value).toBe("1800");
    fireEvent.change(field, { target: { value: "0" } });
    fireEvent.keyDown(field, { key: "Enter" });
    await waitFor(() => expect(stage.store.setup.state.settings?.inactivityTimeoutS).toBe(0));
    expect(called(stage, "set_setting")).toEqual([{ key: "gateway.inactivity_timeout_s", value: 0 }]);
  });

  it("that is no number is not sent", () => {
    const stage = open("processes");
    fireEvent.change(number(), { target: { value: "many" } });
    fireEvent.blur(number());
    expect(screen.getByText("Use a whole number. The old value, 64, still applies.")).toBeTruthy();
    expect(called(stage, "set_setting")).toEqual([]);
  });

  it("that nobody heard goes back, and names what applies", async () => {
    open("appearance", { set_setting: () => Promise.reject(new CallError("unreachable", "Nothing answers.")) });
    const theme = screen.getByTestId<HTMLSelectElement>("setting-look.theme");
    fireEvent.change(theme, { target: { value: "dark" } });
    expect(await screen.findByText("Not saved. Nothing answers. The old value, system, still applies.")).toBeTruthy();
    expect(theme.value).toBe("system");
  });

  describe("that a newer one follows", () => {
    const theme = () => screen.getByTestId<HTMLSelectElement>("setting-look.theme");
    const begin = () => {
      const replies: { resolve: () => void; reject: (reason: unknown) => void }[] = [];
      const stage = open("appearance", {
        set_setting: (params) =>
          new Promise((resolve, reject) => {
            const settings = structuredClone(fake.set(params));
            replies.push({ resolve: () => resolve(settings), reject });
          }),
      });
      const fake = stage.fake;
      const answer = (nth: number, reason?: unknown) => act(async () => (reason === undefined ? replies[nth]?.resolve() : replies[nth]?.reject(reason)));
      fireEvent.change(theme(), { target: { value: "dark" } });
      fireEvent.change(theme(), { target: { value: "light" } });
      return { stage, answer };
    };

    it("does not show itself when it is answered", async () => {
      const { answer } = begin();
      expect(theme().value).toBe("light");
      await answer(0);
      expect(theme().value).toBe("light");
      await answer(1);
      expect(theme().value).toBe("light");
    });

    it("does not come back when it is answered last", async () => {
      const { stage, answer } = begin();
      await answer(1);
      await answer(0);
      expect(theme().value).toBe("light");
      expect(stage.store.setup.state.settings?.look.theme).toBe("light");
    });

    it("has no failure of its own", async () => {
      const { answer } = begin();
      await answer(0, new CallError("unreachable", "Nothing answers."));
      expect(theme().value).toBe("light");
      await answer(1);
      expect(theme().value).toBe("light");
      expect(screen.queryByText(/Not saved/)).toBeNull();
    });
  });

  it("of the approvals says what each choice means", async () => {
    const stage = open("approvals");
    expect(screen.getByLabelText<HTMLInputElement>("Ask first").checked).toBe(true);
    const off = screen.getByLabelText("Never ask");
    const means = document.getElementById(off.getAttribute("aria-describedby") ?? "");
    expect(means?.textContent).toMatch(/runs any command at once/);
    fireEvent.click(off);
    await waitFor(() => expect(stage.store.setup.state.settings?.approvals).toBe("off"));
  });
});

describe("the navigation", () => {
  it("goes from room to room, and back to the chat", () => {
    open("models");
    fireEvent.click(screen.getByTestId("settings-nav-appearance"));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Appearance");
    fireEvent.click(screen.getByTestId("settings-back"));
    expect(screen.getByText("chat")).toBeTruthy();
  });

  it("finds a row by its label and goes there", async () => {
    open("models");
    fireEvent.change(screen.getByTestId("settings-find"), { target: { value: "quiet h" } });
    fireEvent.click(screen.getByRole("button", { name: /^Quiet hours/ }));
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Notices");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByTestId("setting-notifications.quiet_from")));
  });

  it.each(SECTIONS)("knows every row of $name", ({ name, title, rows }) => {
    open(name);
    const shown = [...document.querySelectorAll<HTMLElement>("[data-row]")].map((row) => row.dataset["row"]);
    expect(shown.toSorted()).toEqual([...rows].sort());
    for (const id of [title, ...rows]) expect(text(id)).not.toBe(id);
  });
});

const WRONG_KEY: TestProviderReply = {
  latencyMs: 90,
  models: [],
  problem: { code: "wrong_key", message: "cloud refused the key.", mend: "Copy it again from the provider's page." },
};

describe("a provider", () => {
  it("says how a test went", async () => {
    const stage = open("models");
    const row = within(screen.getByTestId("provider-lab"));
    fireEvent.click(row.getByTestId("provider-test"));
    expect(await row.findByText("Answered in 412 ms, 3 models")).toBeTruthy();
    expect(called(stage, "test_provider")).toEqual([{ name: "lab" }]);
  });

  it("with a wrong key says what is wrong and what mends it", async () => {
    open("models", {}, (fake) => {
      fake.test = WRONG_KEY;
    });
    const row = within(screen.getByTestId("provider-cloud"));
    fireEvent.click(row.getByTestId("provider-test"));
    expect((await row.findByTestId("provider-problem")).textContent).toBe("cloud refused the key. Copy it again from the provider's page.");
  });

  it("is added with its key, and the key is never shown again", async () => {
    const stage = open("models");
    fireEvent.click(screen.getByTestId("provider-add"));
    const key = screen.getByTestId<HTMLInputElement>("provider-key");
    expect(key.type).toBe("password");
    expect(screen.getAllByText("Kept in the system's keyring.")).toHaveLength(2);
    fireEvent.change(screen.getByTestId("provider-preset"), { target: { value: "anthropic" } });
    expect(screen.getByTestId<HTMLInputElement>("provider-address").value).toBe("https://api.anthropic.com/v1");
    fireEvent.change(screen.getByTestId("provider-key"), { target: { value: "sk-secret" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    expect(await screen.findByTestId("provider-anthropic")).toBeTruthy();
    expect(called(stage, "put_provider")).toEqual([
      { name: "anthropic", kind: "openai-compatible", baseUrl: "https://api.anthropic.com/v1", models: [], key: { kind: "stored", value: "sk-secret" } },
    ]);
    expect(screen.getByText("Has a stored key. Kept in the system's keyring.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Edit anthropic" }));
    expect(screen.queryByTestId("provider-key")).toBeNull();
    fireEvent.change(screen.getByTestId("provider-key-source"), { target: { value: "stored" } });
    expect(screen.getByTestId<HTMLInputElement>("provider-key").value).toBe("");
    expect(document.body.innerHTML).not.toContain("sk-secret");
  });

  it("keeps its stored key when something else is changed", async () => {
    const stage = open("models");
    fireEvent.click(screen.getByRole("button", { name: "Edit cloud" }));
    fireEvent.change(screen.getByTestId("provider-name"), { target: { value: "far" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    await screen.findByTestId("provider-far");
    expect(called(stage, "put_provider")).toEqual([{ name: "cloud", newName: "far", kind: "openai-compatible", baseUrl: "https://models.example/v1", models: [] }]);
  });

  it("keeps its stored key when a new one was meant but not typed", async () => {
    const stage = open("models");
    fireEvent.click(screen.getByRole("button", { name: "Edit cloud" }));
    fireEvent.change(screen.getByTestId("provider-key-source"), { target: { value: "stored" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    await waitFor(() => expect(called(stage, "put_provider")).toHaveLength(1));
    expect(called(stage, "put_provider")[0]).not.toHaveProperty("key");
  });

  it("says that its key lies in a file, and why", () => {
    open("models", {}, (fake) => {
      fake.settings = { ...fake.settings, keys: { kind: "file", reason: "no Secret Service answers on this session's bus" } };
    });
    expect(screen.getByText("Kept in a file that only your account can read, not in the system's keyring: no Secret Service answers on this session's bus.")).toBeTruthy();
  });

  it("takes its key from the environment", async () => {
    const stage = open("models");
    fireEvent.click(screen.getByTestId("provider-add"));
    fireEvent.change(screen.getByTestId("provider-key-source"), { target: { value: "env" } });
    fireEvent.change(screen.getByTestId("provider-env"), { target: { value: "OPENAI_API_KEY" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    expect(await screen.findByText("Key from OPENAI_API_KEY.")).toBeTruthy();
    expect(called(stage, "put_provider")).toMatchObject([{ key: { kind: "env", name: "OPENAI_API_KEY" } }]);
  });

  it("is not saved without a name, or without the name of its variable", () => {
    const stage = open("models");
    fireEvent.click(screen.getByTestId("provider-add"));
    fireEvent.change(screen.getByTestId("provider-name"), { target: { value: " " } });
    fireEvent.change(screen.getByTestId("provider-key-source"), { target: { value: "env" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    expect(screen.getByText("Give it a name; models are chosen by it.")).toBeTruthy();
    expect(screen.getByText("Name the variable that holds the key.")).toBeTruthy();
    expect(called(stage, "put_provider")).toEqual([]);
  });

  it("does not take another one's name", () => {
    const stage = open("models");
    fireEvent.click(screen.getByTestId("provider-add"));
    fireEvent.change(screen.getByTestId("provider-name"), { target: { value: "lab" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    expect(screen.getByText("There is a provider called lab already. Use another name.")).toBeTruthy();
    expect(called(stage, "put_provider")).toEqual([]);
  });

  it("that is refused says so in its form, and nothing typed is lost", async () => {
    open("models", { put_provider: () => Promise.reject(new CallError("invalid_request", "An address begins with http:// or https://.")) });
    fireEvent.click(screen.getByTestId("provider-add"));
    fireEvent.change(screen.getByTestId("provider-address"), { target: { value: "models.example" } });
    fireEvent.click(screen.getByTestId("provider-save"));
    expect(await screen.findByText("An address begins with http:// or https://.")).toBeTruthy();
    expect(screen.getByTestId<HTMLInputElement>("provider-address").value).toBe("models.example");
  });

  it("is removed after a second press that names it", async () => {
    const stage = open("models");
    const row = within(screen.getByTestId("provider-cloud"));
    fireEvent.click(row.getByRole("button", { name: "Remove cloud" }));
    expect(called(stage, "remove_provider")).toEqual([]);
    expect(row.getByText("Remove cloud and its stored key?")).toBeTruthy();
    fireEvent.click(row.getByTestId("provider-remove"));
    await waitFor(() => expect(screen.queryByTestId("provider-cloud")).toBeNull());
  });

  it("that runs here already is offered, and added", async () => {
    const stage = open("models", {}, (fake) => {
      fake.servers = [{ kind: "lm_studio", name: "LM Studio", baseUrl: "http://127.0.0.1:1234/v1", port: 1234, models: ["phi-4"] }];
    });
    fireEvent.click(await screen.findByTestId("server-add-lm_studio"));
    expect(await screen.findByTestId("provider-lm-studio")).toBeTruthy();
    expect(called(stage, "put_provider")).toEqual([{ name: "lm-studio", kind: "openai-compatible", baseUrl: "http://127.0.0.1:1234/v1", models: [], key: { kind: "none" } }]);
    expect(screen.queryByTestId("server-add-lm_studio")).toBeNull();
  });

  it("that did not list its models is named beside the choice", async () => {
    open("models", { list_models: () => Promise.resolve({ models: [], failures: [{ provider: "cloud", message: "It did not answer in time." }] }) });
    expect(await screen.findByText("cloud did not list its models. It did not answer in time.")).toBeTruthy();
    expect(screen.getByTestId<HTMLSelectElement>("setting-agent.model").value).toBe("lab/qwen3-4b");
  });
});

describe("lists", () => {
  it("show rules exactly as they are, and take them back", async () => {
    const stage = open("approvals", {}, (fake) => fake.fill());
    expect(await screen.findByText("rm -rf ./tmp/e2e-cache")).toBeTruthy();
    expect(screen.getByText(/^Exactly this command, in every session. Folder ~\/src\/orders. Used 12 times./)).toBeTruthy();
    fireEvent.click(within(screen.getByTestId("rule-rule-2")).getByRole("button"));
    await waitFor(() => expect(screen.queryByText("rm -rf ./tmp/e2e-cache")).toBeNull());
    expect(called(stage, "remove_rule")).toEqual([{ ruleId: "rule-2" }]);
  });

  it("write out what cannot be seen in a rule", async () => {
    open("approvals", {}, (fake) => {
      fake.rules = [{ ruleId: "r", kind: "pattern", text: "git log \u202e*", createdAtMs: 0, uses: 0 }];
    });
    expect(await screen.findByText("git log \\u202E*")).toBeTruthy();
  });

  it("add and remove what is never allowed", async () => {
    const stage = open("approvals");
    const field = screen.getByTestId<HTMLInputElement>("setting-agent.deny");
    fireEvent.change(field, { target: { value: " git push * " } });
    fireEvent.submit(field);
    fireEvent.click(await screen.findByRole("button", { name: "Remove git push *" }));
    await waitFor(() => expect(screen.queryByText("git push *")).toBeNull());
    expect(called(stage, "set_setting").map((params) => (params as { value: unknown }).value)).toEqual([["git push *"], []]);
  });

  it("let a muted source speak again, and end the quiet", async () => {
    const stage = open("notices", {
      set_muted: () => Promise.resolve({}),
      set_quiet: () => Promise.resolve({}),
      get_health: () => Promise.reject(new CallError("internal", "not needed")),
      list_notices: () => Promise.reject(new CallError("internal", "not needed")),
    });
    act(() => {
      stage.store.setup.state = { ...stage.store.setup.state, quietUntilMs: Date.now() + 3_600_000, muted: [{ sessionId: "s", command: "npm test", title: "npm test" }] };
      stage.store.openProcess(null);
    });
    fireEvent.click(screen.getByRole("button", { name: "Unmute npm test" }));
    fireEvent.click(screen.getByRole("button", { name: "End quiet" }));
    await waitFor(() => expect(called(stage, "set_quiet")).toEqual([{ untilMs: null }]));
    expect(called(stage, "set_muted")).toEqual([{ sessionId: "s", command: "npm test", muted: false }]);
  });
});

describe("the servers of this computer", () => {
  const found = (port: number): FindServersReply => ({ servers: [{ kind: "ollama", name: "Ollama", baseUrl: `http://127.0.0.1:${port}/v1`, port, models: [] }], ports: [port] });

  it.each<[string, (look: Look) => void]>([
    ["finds others", ({ resolve }) => resolve(found(1111))],
    ["fails", ({ reject }) => reject(new CallError("unreachable", "Nothing answers."))],
  ])("are those of the last look, also when an older one %s after it", async (_, end) => {
    const looks: Look[] = [];
    open("models", { find_servers: () => new Promise((resolve, reject) => looks.push({ resolve, reject })) });
    fireEvent.click(screen.getByRole("button", { name: "Look again" }));
    await act(async () => looks[1]?.resolve(found(2222)));
    await act(async () => looks[0] && end(looks[0]));
    expect(screen.getByText(/2222/)).toBeTruthy();
    expect(screen.queryByText(/1111|Nothing answers/)).toBeNull();
  });
});

describe("what of the file was not taken", () => {
  it("is said one at a time, with its key and line, until it is put away", () => {
    const fake = new FakeSettings();
    fake.fill();
    const stage = makeStage();
    stage.show(<WarningBanner />);
    expect(screen.queryByTestId("settings-warning")).toBeNull();
    act(() => stage.store.setup.take(fake.settings));
    expect(screen.getByText("limits.processes, line 14:")).toBeTruthy();
    expect(screen.getByText(/One more stands in the settings/)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Put this away" }));
    expect(screen.getByText("look.theme, line 21:")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Open settings" }));
    expect(stage.store.selection.view).toEqual({ settings: "about" });
    fireEvent.click(screen.getByRole("button", { name: "Put this away" }));
    expect(screen.queryByTestId("settings-warning")).toBeNull();
  });
});
