// Model servers that run on this computer already.
import { useCallback, useEffect, useRef, useState } from "react";
import { asCallError } from "../bridge/bridge";
import type { LocalServer, PutProvider } from "../bridge/wire";
import { useBridge } from "../feed/hooks";

/** What was found. */
export interface Servers {
  /** Nothing until the first look has ended. */
  readonly servers: readonly LocalServer[] | null;
  /** The ports that were looked at. */
  readonly ports: readonly number[];
  readonly error: string | null;
  look(): void;
}

/** Looks once, and again when it is asked to. */
export function useServers(): Servers {
  const bridge = useBridge();
  const [servers, setServers] = useState<readonly LocalServer[] | null>(null);
  const [ports, setPorts] = useState<readonly number[]>([]);
  const [error, setError] = useState<string | null>(null);
  const last = useRef(0);
  const look = useCallback(() => {
    last.current += 1;
    const mine = last.current;
    // Only the newest look counts: an older one may have ended before a server was started.
    const isNewest = (): boolean => last.current === mine;
    bridge.call("find_servers", {}).then(
      (reply) => {
        if (!isNewest()) return;
        setServers(reply.servers);
        setPorts(reply.ports);
        setError(null);
      },
      (reason: unknown) => {
        if (!isNewest()) return;
        setServers([]);
        setError(asCallError(reason).message);
      },
    );
  }, [bridge]);
  useEffect(look, [look]);
  return { servers, ports, error, look };
}

const LIST = new Intl.ListFormat("en-GB", { type: "conjunction" });

/** "11434, 1234 and 8080". */
export function portWords(ports: readonly number[]): string {
  return LIST.format(ports.map(String));
}

/** A server as a provider; its name is free among those that are there. */
export function asProvider(server: LocalServer, taken: readonly string[]): PutProvider {
  const plain = server.kind === "other" ? `local-${server.port}` : server.kind.replaceAll("_", "-");
  const name = taken.includes(plain) ? `${plain}-${server.port}` : plain;
  return { name, kind: server.kind === "ollama" ? "ollama" : "openai-compatible", baseUrl: server.baseUrl, models: [], key: { kind: "none" } };
}
