// The first page of a window without a model: what was found here, a provider with a key, or none for now.
import { useEffect, useId, useRef, type FormEvent } from "react";
import type { LocalServer } from "../bridge/wire";
import { useText, type Translate } from "../l10n/l10n";
import { ModelFileField } from "../settings/ModelFileField";
import { chatModels } from "../settings/presets";
import { Outcome } from "../settings/probe";
import { ProviderFields } from "../settings/ProviderFields";
import { FieldError } from "../settings/Row";
import { portWords, useServers } from "../settings/servers";
import { Card } from "./Card";
import { ModelSelect } from "./ModelSelect";
import { useStart, type Start } from "./useStart";
import "../settings/settings.css";
import "./firstrun.css";

/** The page. `onDone` hears when a session is open. */
export function FirstRun({ onDone }: { onDone: () => void }) {
  const t = useText();
  const group = useId();
  const button = useRef<HTMLButtonElement>(null);
  const found = useServers();
  const start = useStart(found, onDone);
  const { choice } = start;
  const isReady = choice?.kind === "server" || choice?.kind === "starter";
  useEffect(() => {
    // Nothing is to be typed then, so Enter starts. A choice made by hand keeps the focus where it is.
    if (isReady && document.activeElement === document.body) button.current?.focus();
  }, [isReady]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    start.begin();
  };
  return (
    <main className="first" data-pane data-testid="first-run">
      <form className="first-column" onSubmit={submit}>
        <img src="/icon.svg" width={48} height={48} alt="" />
        <h1 className="first-title">{start.starter === null ? t("first-title") : t("first-title-ready")}</h1>
        <p className="first-lead">{start.starter === null ? t("first-lead") : t("first-lead-ready")}</p>
        {/* The cards come when all of them are known: one that moves is pressed by mistake. */}
        {found.servers === null ? (
          <p className="t2" role="status">
            {t("first-looking")}
          </p>
        ) : (
          <>
            <fieldset className="first-cards" aria-label={t("first-title")}>
              {start.starter === null ? null : (
                <Card group={group} testid="first-run-starter" title={t("first-starter")} fact={t("first-starter-fact")} says={t("starter-note")} chosen={choice?.kind === "starter"} onChoose={() => start.choose({ kind: "starter" })} />
              )}
              {found.servers.map((server) => (
                <ServerCard key={server.baseUrl} group={group} server={server} start={start} />
              ))}
              <KeyCard group={group} start={start} />
              <Card group={group} testid="first-run-file" title={t("first-file")} says={t("first-file-says")} chosen={choice?.kind === "file"} onChoose={() => start.choose({ kind: "file" })}>
                <ModelFileField file={start.file} />
              </Card>
              <Card group={group} testid="first-run-skip" title={t("first-none")} says={t("first-none-says")} chosen={choice?.kind === "none"} onChoose={() => start.choose({ kind: "none" })} />
            </fieldset>
            {found.servers.length === 0 ? (
              <p className="first-looked t2 num">
                <span>
                  {t("first-looked")} {found.error ?? t("first-looked-at", { count: found.ports.length, ports: portWords(found.ports) })}
                </span>
                <button type="button" className="btn sm ghost" data-testid="first-run-look-again" onClick={found.look}>
                  {t("servers-look-again")}
                </button>
              </p>
            ) : null}
            {start.error === null ? null : <FieldError>{start.error}</FieldError>}
            <div className="first-actions">
              <button type="submit" className="btn primary first-start" ref={button} data-testid="first-run-start" aria-disabled={start.busy || choice === null}>
                {choice?.kind === "none" ? t("first-start-none") : t("first-start")} <kbd>{t("key-enter")}</kbd>
              </button>
              <span className="t2" role="status">
                {note(t, start)}
              </span>
            </div>
          </>
        )}
      </form>
    </main>
  );
}

/** What the press of the button means. */
function note(t: Translate, { choice, keyModels }: Start): string {
  switch (choice?.kind) {
    case "server":
    case "starter":
    case "file":
      return t("first-stays-here");
    case "key":
      return keyModels !== null && keyModels.length > 1 ? t("first-choose-model") : t("first-goes-out");
    default:
      return "";
  }
}

function ServerCard({ group, server, start }: { group: string; server: LocalServer; start: Start }) {
  const t = useText();
  const models = chatModels(server.models);
  const port = String(server.port);
  return (
    <Card
      group={group}
      testid={`first-run-server-${server.kind}`}
      title={t("server-here", { name: server.name })}
      fact={t("first-models", { count: models.length })}
      says={models.length === 0 ? t("first-server-empty", { port }) : t("first-server-says", { port })}
      chosen={start.choice?.kind === "server" && start.choice.server.baseUrl === server.baseUrl}
      onChoose={() => start.choose({ kind: "server", server })}
    >
      {models.length === 1 ? <p className="mono">{models[0]}</p> : <ModelSelect models={models} value={start.model} onChoose={start.chooseModel} />}
    </Card>
  );
}

function KeyCard({ group, start }: { group: string; start: Start }) {
  const t = useText();
  return (
    <Card group={group} testid="first-run-key" title={t("first-key")} says={t("first-key-says")} chosen={start.choice?.kind === "key"} onChoose={() => start.choose({ kind: "key" })}>
      <ProviderFields brief fields={start.fields} onEdit={start.forget} />
      <div className="set-actions">
        <button type="button" className="btn" data-testid="provider-test" onClick={() => void start.test()}>
          {t("provider-test")}
        </button>
        <Outcome tested={start.probe.tested} />
      </div>
      {start.keyModels === null ? null : <ModelSelect models={start.keyModels} value={start.model} onChoose={start.chooseModel} />}
    </Card>
  );
}
