// What of config.toml was not taken, said in the same words everywhere.
import type { SettingWarning } from "../bridge/wire";
import type { Translate } from "../l10n/l10n";

/** Where: "limits.processes, line 14". */
export function warningPlace(t: Translate, { key, line }: SettingWarning): string {
  const name = key === "" ? t("warning-file") : key;
  return line == null ? t("warning-at", { name }) : t("warning-at-line", { name, line: String(line) });
}
