// Providers that people know, with the address of their compatible API.

/** One of them. */
export interface Preset {
  readonly id: string;
  /** The Fluent id of its name. */
  readonly label: string;
  /** What it is called in the file. */
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string;
}

/** The last one is any other address. */
export const PRESETS: readonly Preset[] = [
  { id: "openai", label: "preset-openai", name: "openai", kind: "openai", baseUrl: "https://api.openai.com/v1" },
  { id: "anthropic", label: "preset-anthropic", name: "anthropic", kind: "openai-compatible", baseUrl: "https://api.anthropic.com/v1" },
  { id: "gemini", label: "preset-gemini", name: "gemini", kind: "openai-compatible", baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai" },
  { id: "openrouter", label: "preset-openrouter", name: "openrouter", kind: "openai-compatible", baseUrl: "https://openrouter.ai/api/v1" },
  { id: "other", label: "preset-other", name: "", kind: "openai-compatible", baseUrl: "" },
];

/** Parts of names of models that do not chat: they embed, listen, speak, draw or judge. */
const NOT_CHAT = /embed|\bbge\b|whisper|\btts\b|rerank|moderation|dall-e|gpt-image|\bsora\b|transcribe|davinci|babbage|\be5\b|\bgte\b|minilm|\bclip\b|stable-diffusion|\bflux\b/i;

/** Models that can answer in a conversation, by their names: servers seldom say it. */
export function chatModels(models: readonly string[]): readonly string[] {
  return models.filter((model) => !NOT_CHAT.test(model));
}
