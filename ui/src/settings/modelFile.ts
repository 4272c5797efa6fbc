// A model by its file: a provider of the embedded engine that has this one.
import { useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { ProviderSetting, PutProvider } from "../bridge/wire";
import { useBridge } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { shortModel } from "../shared/model";

/** The longest name of a provider. */
const MAX_NAME = 64;

/** The path while it is being chosen. */
export interface ModelFile {
  readonly path: string;
  set(path: string): void;
  /** Opens the system's dialog; absent in a browser, which sees another disk. */
  readonly browse: (() => void) | null;
  readonly error: string | null;
}

/** A path to choose; `onEdit` hears when it is another one. */
export function useModelFile(held: string, onEdit: () => void): ModelFile {
  const t = useText();
  const { desktop } = useBridge();
  const [path, setPath] = useState(held);
  const [error, setError] = useState<string | null>(null);
  const set = (next: string): void => {
    setError(null);
    setPath(next);
    onEdit();
  };
  const browse = async (): Promise<void> => {
    try {
      const chosen = await desktop?.chooseModelFile({ title: t("model-file-choose-title"), kind: t("model-file-kind") });
      if (chosen != null) set(chosen);
    } catch (reason) {
      setError(asCallError(reason).message);
    }
  };
  return { path, set, error, browse: desktop === null ? null : () => void browse() };
}

/** The provider to save; `held` is the one that is changed. */
export function asFileProvider(path: string, held: ProviderSetting | null, taken: readonly string[]): PutProvider {
  const file = path.trim();
  const name = held?.name ?? freeName(shortModel(file).replace(/\.gguf$/i, "").slice(0, MAX_NAME) || "file", taken);
  return { name, kind: "embedded", baseUrl: "", models: [file, ...(held?.models.slice(1) ?? [])], key: { kind: "none" } };
}

function freeName(plain: string, taken: readonly string[]): string {
  let name = plain;
  for (let n = 2; taken.includes(name); n += 1) name = `${plain.slice(0, MAX_NAME - 4)}-${n}`;
  return name;
}
