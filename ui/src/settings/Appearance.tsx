// How the window looks.
import type { Settings } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { SelectRow } from "./controls";

/** The room. */
export function Appearance({ settings: { look } }: { settings: Settings }) {
  const t = useText();
  return (
    <>
      <SelectRow
        name="look.theme"
        label="set-theme"
        effect={t("set-theme-effect")}
        held={look.theme}
        choices={[
          ["system", t("as-system")],
          ["light", t("theme-light")],
          ["dark", t("theme-dark")],
        ]}
      />
      <SelectRow
        name="look.contrast"
        label="set-contrast"
        effect={t("set-contrast-effect")}
        held={look.contrast}
        choices={[
          ["system", t("as-system")],
          ["normal", t("contrast-normal")],
          ["high", t("contrast-high")],
        ]}
      />
      <SelectRow
        name="look.density"
        label="set-density"
        effect={t("set-density-effect")}
        held={look.density}
        choices={[
          ["verbose", t("density-verbose")],
          ["normal", t("density-normal")],
          ["summary", t("density-summary")],
        ]}
      />
      <SelectRow
        name="look.motion"
        label="set-motion"
        effect={t("set-motion-effect")}
        held={look.motion}
        choices={[
          ["system", t("as-system")],
          ["normal", t("motion-normal")],
          ["reduced", t("motion-reduced")],
        ]}
      />
    </>
  );
}
