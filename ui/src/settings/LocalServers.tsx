// Servers on this computer that are not among the providers yet.
import { useContext, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { LocalServer, ProviderSetting } from "../bridge/wire";
import { useBridge, useStore } from "../feed/hooks";
import { useText } from "../l10n/l10n";
import { FieldError } from "./Row";
import { SavedContext } from "./saved";
import { asProvider, portWords, useServers } from "./servers";

/** The list. */
export function LocalServers({ providers }: { providers: readonly ProviderSetting[] }) {
  const t = useText();
  const { servers, ports, error, look } = useServers();
  const fresh = servers?.filter((server) => !providers.some(({ baseUrl }) => samePlace(baseUrl, server.baseUrl))) ?? [];
  return (
    <section data-row="set-servers" aria-label={t("set-servers")}>
      <div className="set-head-row">
        <h2 className="set-group">{t("set-servers")}</h2>
        <button type="button" className="btn sm ghost" onClick={look}>
          {t("servers-look-again")}
        </button>
      </div>
      {servers !== null && fresh.length === 0 && error === null ? <p className="set-none">{servers.length > 0 ? t("servers-all-added") : t("servers-none", { count: ports.length, ports: portWords(ports) })}</p> : null}
      {error === null ? null : <FieldError>{error}</FieldError>}
      <ul>
        {fresh.map((server) => (
          <ServerRow key={server.baseUrl} server={server} taken={providers.map(({ name }) => name)} />
        ))}
      </ul>
    </section>
  );
}

function ServerRow({ server, taken }: { server: LocalServer; taken: readonly string[] }) {
  const t = useText();
  const bridge = useBridge();
  const store = useStore();
  const onSaved = useContext(SavedContext);
  const [error, setError] = useState<string | null>(null);
  const add = async (): Promise<void> => {
    try {
      const { settings } = await bridge.call("put_provider", asProvider(server, taken));
      store.setup.take(settings);
      onSaved();
    } catch (reason) {
      setError(asCallError(reason).message);
    }
  };
  return (
    <li className="set">
      <p className="set-label">{t("server-here", { name: server.name })}</p>
      <div className="set-control">
        <button type="button" className="btn sm" data-testid={`server-add-${server.kind}`} aria-label={t("server-add-of", { name: server.name })} onClick={() => void add()}>
          {t("server-add")}
        </button>
      </div>
      <p className="set-effect num">{t("server-found", { port: String(server.port), count: server.models.length })}</p>
      {error === null ? null : <FieldError>{error}</FieldError>}
    </li>
  );
}

/** Two addresses of one server: this computer has more than one name. */
function samePlace(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

function plain(address: string): string {
  return address.replace(/\/+$/, "").replace(/:\/\/(localhost|\[::1\]|127\.\d+\.\d+\.\d+)/, "://here");
}
