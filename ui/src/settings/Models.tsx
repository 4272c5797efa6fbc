// Which model answers, who runs it, and what was found on this computer.
import { useState } from "react";
import type { KeyPlace, Settings } from "../bridge/wire";
import { useText } from "../l10n/l10n";
import { LocalServers } from "./LocalServers";
import { ModelFileForm } from "./ModelFileForm";
import { ModelRow } from "./ModelRow";
import { ProviderForm } from "./ProviderForm";
import { KeyPlaceWords } from "./ProviderFields";
import { ProviderRow } from "./ProviderRow";

/** What the one open form is about. */
type Open = { readonly kind: "add" } | { readonly kind: "file" } | { readonly kind: "edit"; readonly name: string } | null;

/** The room. */
export function Models({ settings }: { settings: Settings }) {
  const t = useText();
  const [open, setOpen] = useState<Open>(null);
  const [stored, setStored] = useState<{ name: string; place: KeyPlace } | null>(null);
  const onDone = (name: string | null, place: KeyPlace | null): void => {
    setOpen(null);
    if (name !== null) setStored(place === null ? null : { name, place });
  };
  return (
    <>
      <ModelRow settings={settings} />
      <section data-row="set-providers" aria-label={t("set-providers")}>
        <div className="set-head-row">
          <h2 className="set-group">{t("set-providers")}</h2>
          <span className="grow" />
          <button type="button" className="btn sm" data-testid="model-file-add" aria-expanded={open?.kind === "file"} onClick={() => setOpen({ kind: "file" })}>
            {t("model-file-add")}
          </button>
          <button type="button" className="btn sm" data-testid="provider-add" aria-expanded={open?.kind === "add"} onClick={() => setOpen({ kind: "add" })}>
            {t("provider-add")}
          </button>
        </div>
        {settings.providers.length === 0 && open === null ? <p className="set-none">{t("providers-none")}</p> : null}
        <ul>
          {settings.providers.map((provider) => (
            <ProviderRow
              key={provider.name}
              provider={provider}
              editing={open?.kind === "edit" && open.name === provider.name}
              keyPlace={stored?.name === provider.name ? stored.place : null}
              onEdit={() => setOpen({ kind: "edit", name: provider.name })}
              onDone={onDone}
            />
          ))}
          {open?.kind === "file" ? (
            <li className="set">
              <ModelFileForm held={null} onDone={() => setOpen(null)} />
            </li>
          ) : null}
          {open?.kind === "add" ? (
            <li className="set">
              <ProviderForm held={null} onSaved={onDone} onCancel={() => setOpen(null)} />
            </li>
          ) : null}
        </ul>
      </section>
      <LocalServers providers={settings.providers} />
      <section data-row="set-keys" tabIndex={-1} aria-label={t("set-keys")}>
        <h2 className="set-group">{t("set-keys")}</h2>
        <p className="set-none">
          <KeyPlaceWords />
        </p>
      </section>
    </>
  );
}
