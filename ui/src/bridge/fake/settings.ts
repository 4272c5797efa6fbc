// What is set, in memory.
import type { ListModelsReply, LocalServer, ModelChoice, ProviderSetting, Rule, Settings, TestProviderReply } from "../wire";
import { CallError, type Commands } from "../bridge";

/** A server as it is found; one of its models does not chat. */
export const OLLAMA: LocalServer = {
  kind: "ollama",
  name: "Ollama",
  baseUrl: "http://127.0.0.1:11434/v1",
  port: 11434,
  models: ["nomic-embed-text", "qwen3-4b", "gemma3-4b"],
};

/** A file that can chat. */
export const MODEL_FILE = "/home/ada/models/qwen3-4b-instruct.gguf";

/** What answers where nothing else is set up. */
const BUILT_IN: ProviderSetting = { name: "built-in", kind: "embedded", baseUrl: "", key: "none", models: ["starter"], builtIn: true };

/** What is set, the rules, and what servers there are. */
export class FakeSettings {
  settings: Settings = {
    path: "/home/ada/.local/share/gatehouse/profiles/default/config.toml",
    dataDir: "/home/ada/.local/share/gatehouse",
    profile: "default",
    warnings: [],
    providers: [
      { name: "lab", kind: "openai-compatible", baseUrl: "http://127.0.0.1:8080/v1", key: "none", models: ["qwen3-4b"] },
      { name: "cloud", kind: "openai-compatible", baseUrl: "https://models.example/v1", key: "stored", models: [] },
    ],
    model: "lab/qwen3-4b",
    approvals: "ask",
    deny: [],
    onQuit: "ask",
    keepRunning: true,
    processes: 64,
    processesPerSession: 32,
    inactivityTimeoutS: 1800,
    processNotices: "concise",
    notifications: { completions: true, approvals: true, turns: true, approveFromToast: false },
    look: { theme: "system", contrast: "system", density: "normal", motion: "system" },
    keys: { kind: "secret_service" },
  };
  rules: Rule[] = [];
  servers: LocalServer[] = [];
  /** What the next tests of a provider say. */
  test: TestProviderReply = { latencyMs: 412, models: ["qwen3-4b", "qwen3-8b", "gemma3-4b"] };
  readonly uiState = new Map<string, string>();

  /** Nothing is set up: what a first start finds. */
  empty(): void {
    const { model: _model, ...rest } = this.settings;
    this.settings = { ...rest, providers: [] };
  }

  /** Nothing is set up, and the embedded engine answers. */
  builtIn(): void {
    this.settings = { ...this.settings, providers: [BUILT_IN], model: "built-in/starter" };
  }

  isLocal(model: string): boolean {
    return this.isChatOnly(model) || model.startsWith("lab/");
  }

  isChatOnly(model: string): boolean {
    return this.settings.providers.some(({ name, kind }) => kind === "embedded" && model.startsWith(`${name}/`));
  }

  /** Something of everything: what the settings look like after some use. */
  fill(): void {
    const createdAtMs = Date.now() - 9 * 86_400_000;
    this.servers = [OLLAMA];
    this.rules = [
      { ruleId: "rule-1", kind: "exact", text: "npm run migrate -- --to 42", cwd: "~/src/orders", createdAtMs, uses: 12 },
      { ruleId: "rule-2", kind: "session", text: "rm -rf ./tmp/e2e-cache", cwd: "~/src/orders", sessionId: "orders", createdAtMs, uses: 1 },
      { ruleId: "rule-3", kind: "pattern", text: "git status *", createdAtMs, uses: 0 },
    ];
    this.settings = {
      ...this.settings,
      deny: ["git push *", "npm publish *"],
      warnings: [
        { key: "limits.processes", line: 14, message: "900 is not a number from 1 to 256. The default, 64, applies." },
        { key: "look.theme", line: 21, message: '"darkk" is none of system, light, dark. The default, system, applies.' },
      ],
    };
  }

  set({ key, value }: Commands["set_setting"]["params"]): Settings {
    const put = SETTERS[key];
    if (put === undefined) throw new CallError("invalid_request", `There is no setting "${key}".`);
    if ((key === "limits.processes" || key === "limits.processes_per_session") && typeof value === "number" && (value < 1 || value > 256)) {
      const old = key === "limits.processes" ? this.settings.processes : this.settings.processesPerSession;
      throw new CallError("invalid_request", `Use a number from 1 to 256. The old value, ${old}, still applies.`);
    }
    this.settings = put(this.settings, value ?? undefined);
    return this.settings;
  }

  putProvider({ name, newName, kind, baseUrl, models, key }: Commands["put_provider"]["params"]): Commands["put_provider"]["reply"] {
    const held = this.settings.providers.find((provider) => provider.name === name);
    const unfit = kind === "embedded" ? models?.find((model) => !model.endsWith(".gguf")) : undefined;
    if (unfit !== undefined) throw new CallError("invalid_request", `${unfit} cannot be used. It is no GGUF file: its first bytes are not those of a GGUF file. Choose another model file.`);
    const provider: ProviderSetting = {
      name: newName ?? name,
      kind,
      baseUrl,
      key: key == null ? (held?.key ?? "none") : key.kind,
      ...(key?.kind === "env" ? { keyEnv: key.name } : {}),
      models: models ?? [],
    };
    // What answers because nothing else is set up goes when something is.
    const others = this.settings.providers.filter((row) => row.builtIn !== true);
    const providers = held === undefined ? [...others, provider] : this.settings.providers.map((row) => (row === held ? provider : row));
    this.settings = { ...this.settings, providers };
    return { settings: this.settings, ...(key?.kind === "stored" ? { keyPlace: this.settings.keys } : {}) };
  }

  removeProvider(name: string): Settings {
    this.settings = { ...this.settings, providers: this.settings.providers.filter((provider) => provider.name !== name) };
    return this.settings;
  }

  models(): ListModelsReply {
    const models: ModelChoice[] = this.settings.providers.flatMap((provider) =>
      (provider.models.length > 0 ? provider.models : ["large", "small"]).map((name) => ({
        id: `${provider.name}/${name}`,
        provider: provider.name,
        name,
        local: provider.kind === "embedded" || provider.baseUrl.includes("127.0.0.1"),
        ...(provider.kind === "embedded" ? { chatOnly: true } : {}),
      })),
    );
    return { models, failures: [] };
  }
}

type Value = Commands["set_setting"]["params"]["value"];
type Setter = (settings: Settings, value: Value) => Settings;

const text = (value: Value, usual: string): string => (typeof value === "string" ? value : usual);
const flag = (value: Value, usual: boolean): boolean => (typeof value === "boolean" ? value : usual);
const number = (value: Value, usual: number): number => (typeof value === "number" ? value : usual);
const look = (patch: (value: Value) => Partial<Settings["look"]>): Setter => (settings, value) => ({ ...settings, look: { ...settings.look, ...patch(value) } });
const told = (patch: (value: Value) => Partial<Settings["notifications"]>): Setter => (settings, value) => ({
  ...settings,
  notifications: { ...settings.notifications, ...patch(value) },
});

const SETTERS: Record<string, Setter> = {
  "agent.model": (settings, value) => ({ ...settings, model: text(value, "") }),
  "agent.approvals": (settings, value) => ({ ...settings, approvals: text(value, "ask") }),
  "agent.deny": (settings, value) => ({ ...settings, deny: Array.isArray(value) ? value : [] }),
  "gateway.on_quit": (settings, value) => ({ ...settings, onQuit: text(value, "ask") }),
  "display.background_process_notifications": (settings, value) => ({ ...settings, processNotices: text(value, "concise") }),
  "desktop.keep_running": (settings, value) => ({ ...settings, keepRunning: flag(value, true) }),
  "gateway.inactivity_timeout_s": (settings, value) => ({ ...settings, inactivityTimeoutS: number(value, 1800) }),
  "limits.processes": (settings, value) => ({ ...settings, processes: number(value, 64) }),
  "limits.processes_per_session": (settings, value) => ({ ...settings, processesPerSession: number(value, 32) }),
  "notifications.completions": told((value) => ({ completions: flag(value, true) })),
  "notifications.approvals": told((value) => ({ approvals: flag(value, true) })),
  "notifications.turns": told((value) => ({ turns: flag(value, true) })),
  "notifications.approve_from_toast": told((value) => ({ approveFromToast: flag(value, false) })),
  "notifications.quiet_from": told((value) => ({ quietFrom: typeof value === "string" ? value : null })),
  "notifications.quiet_to": told((value) => ({ quietTo: typeof value === "string" ? value : null })),
  "look.theme": look((value) => ({ theme: text(value, "system") })),
  "look.contrast": look((value) => ({ contrast: text(value, "system") })),
  "look.density": look((value) => ({ density: text(value, "normal") })),
  "look.motion": look((value) => ({ motion: text(value, "system") })),
};
