// Every word a person reads goes through here, by a Fluent id. Ids are literals in `t("...")`, so a test can check them.
import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import { LocalizationProvider, ReactLocalization, useLocalization } from "@fluent/react";
import { useCallback, type ReactNode } from "react";

/** Every file of the language, by its path. */
const english = import.meta.glob<string>("./en/*.ftl", { query: "?raw", import: "default", eager: true });

/** Values for a message's places. */
export type TextArgs = Record<string, FluentVariable>;
/** Looks a text up. */
export type Translate = (id: string, args?: TextArgs) => string;

function makeLocalization(): ReactLocalization {
  // Direction marks are left out: the texts are English only, and they would get into what people copy.
  const bundle = new FluentBundle("en-GB", { useIsolating: false });
  for (const source of Object.values(english)) bundle.addResource(new FluentResource(source));
  return new ReactLocalization([bundle]);
}

const localization = makeLocalization();

/** Makes the texts available below it. */
export function Texts({ children }: { children: ReactNode }) {
  return <LocalizationProvider l10n={localization}>{children}</LocalizationProvider>;
}

/** The texts, as a function. */
export function useText(): Translate {
  const { l10n } = useLocalization();
  return useCallback((id: string, args?: TextArgs) => l10n.getString(id, args), [l10n]);
}

/** The same texts where no component is at hand. */
export const text: Translate = (id, args) => localization.getString(id, args);
