// Changing one key of the settings. Nothing waits for a Save: what is changed is sent, and the reply is what is shown.
import { createContext, useContext, useRef, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { SettingValue } from "../bridge/wire";
import { useBridge, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";

/** Hears that something was saved. */
export const SavedContext = createContext<() => void>(() => undefined);

/** One setting as a control has it. */
export interface Setting<T> {
  /** What is set, or what was asked for and not answered yet. */
  readonly value: T;
  /** Why the last change was not taken. */
  readonly error: string | null;
  /** Sends a new value, or with `null` goes back to the default; answers whether it was taken. */
  change(value: T | null): Promise<boolean>;
  /** Says that what was typed cannot be sent at all. */
  refuse(error: string | null): void;
}

/** A key of the file, and what is set now. */
export function useSetting<T extends SettingValue>(key: string, held: T): Setting<T> {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const onSaved = useContext(SavedContext);
  const [asked, setAsked] = useState<T | null>(null);
  const [error, refuse] = useState<string | null>(null);
  const last = useRef(0);
  const change = async (value: T | null): Promise<boolean> => {
    last.current += 1;
    const mine = last.current;
    // What became of an older wish is no answer to the one that is shown.
    const isNewest = (): boolean => last.current === mine;
    setAsked(value);
    try {
      const settings = await bridge.call("set_setting", { key, value });
      if (isNewest()) {
        store.setup.take(settings);
        refuse(null);
      }
      onSaved();
      return true;
    } catch (reason) {
      const { code, message } = asCallError(reason);
      // Who refuses a value says what applies; of anything else only this place knows.
      if (isNewest()) refuse(code === "invalid_request" ? message : t("settings-not-saved", { reason: message, old: spoken(held) }));
      return false;
    } finally {
      if (isNewest()) setAsked(null);
    }
  };
  return { value: asked ?? held, error, change, refuse };
}

function spoken(value: SettingValue): string {
  return Array.isArray(value) ? value.join(", ") : String(value);
}
