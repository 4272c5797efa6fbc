// A provider while it is being written down: nothing of it is kept before it is saved, and its key never comes back.
import { useState } from "react";
import type { ProviderKey, ProviderSetting, PutProvider, TestProvider } from "../bridge/wire";
import { PRESETS, type Preset } from "./presets";

/** Where its key comes from; `keep` leaves the one that is stored. */
export type KeyChoice = "keep" | "stored" | "env" | "none";

/** The fields. */
export interface Draft {
  readonly preset: string;
  readonly name: string;
  readonly kind: string;
  readonly baseUrl: string;
  readonly keyChoice: KeyChoice;
  readonly key: string;
  readonly env: string;
  /** Known models, as typed. */
  readonly models: string;
}

/** The fields, and how they change. */
export interface DraftFields {
  readonly draft: Draft;
  /** The provider that is changed; a new one otherwise. */
  readonly held: ProviderSetting | null;
  set(change: Partial<Draft>): void;
  choosePreset(id: string): void;
}

/** A draft of a new provider, or of a change. */
export function useDraft(held: ProviderSetting | null): DraftFields {
  const [draft, setDraft] = useState(() => (held === null ? fromPreset(PRESETS[0]) : fromHeld(held)));
  return {
    draft,
    held,
    set: (change) => setDraft((before) => ({ ...before, ...change })),
    choosePreset: (id) => setDraft((before) => ({ ...fromPreset(PRESETS.find((preset) => preset.id === id)), key: before.key })),
  };
}

function fromPreset(preset: Preset | undefined): Draft {
  const { id = "other", name = "", kind = "openai-compatible", baseUrl = "" } = preset ?? {};
  return { preset: id, name, kind, baseUrl, keyChoice: "stored", key: "", env: "", models: "" };
}

function fromHeld({ name, kind, baseUrl, key, keyEnv, models }: ProviderSetting): Draft {
  const keyChoice = key === "stored" ? "keep" : key === "env" ? "env" : "none";
  return { preset: "other", name, kind, baseUrl, keyChoice, key: "", env: keyEnv ?? "", models: models.join(", ") };
}

/** The key as it is sent; nothing when it stays as it is. */
function keyOf({ draft: { keyChoice, key, env }, held }: DraftFields): ProviderKey | undefined {
  switch (keyChoice) {
    case "keep":
      return undefined;
    case "stored":
      if (key.trim() !== "") return { kind: "stored", value: key.trim() };
      // Nothing typed is no key, for servers at home want none; but it does not take away one that is there.
      return held?.key === "stored" ? undefined : { kind: "none" };
    case "env":
      return { kind: "env", name: env.trim() };
    case "none":
      return { kind: "none" };
  }
}

/** What a test of the draft asks. */
export function toTest(fields: DraftFields): TestProvider {
  const { draft, held } = fields;
  const key = keyOf(fields);
  const name = held?.name ?? draft.name.trim();
  // A name says whose trouble it is.
  return { ...(name === "" ? {} : { name }), baseUrl: draft.baseUrl.trim(), ...(key === undefined ? {} : { key }) };
}

/** What saving the draft sends. */
export function toPut(fields: DraftFields): PutProvider {
  const { draft, held } = fields;
  const key = keyOf(fields);
  const name = draft.name.trim();
  return {
    name: held?.name ?? name,
    ...(held !== null && held.name !== name ? { newName: name } : {}),
    kind: draft.kind,
    baseUrl: draft.baseUrl.trim(),
    models: draft.models.split(/[,\n]/).map((model) => model.trim()).filter((model) => model !== ""),
    ...(key === undefined ? {} : { key }),
  };
}
