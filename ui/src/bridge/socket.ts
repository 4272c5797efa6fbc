// The browser's twin: one WebSocket to the server shell. The first frame authenticates; then every request carries a
// number and its answer carries the same one. A lost socket fails what was under way; the next call opens a new one.
import type { ApiError } from "./bindings";
import { asCallError, CallError, type Bridge, type CommandName, type Commands } from "./bridge";

interface Waiting {
  resolve(reply: unknown): void;
  reject(reason: CallError): void;
}

/** What the first frame is answered with. */
interface Hello {
  ok: boolean;
  error?: ApiError;
}

interface Answer {
  id: number;
  reply?: unknown;
  error?: ApiError;
}

const TOKEN = "gatehouse.token";
const PROFILE = "gatehouse.profile";
const OPEN_MS = 10_000;
/** The code of a socket that broke instead of being closed. */
const ABNORMAL = 1006;

/** What a page was opened with: the right to be let in, and the profile that it shows. */
export interface Pass {
  readonly token: string | null;
  readonly profile: string | null;
}

/** The gateway behind `url`. */
export function socketBridge(url: string, pass: Pass): Bridge {
  const line = new Line(url, pass);
  return {
    async call<K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]> {
      // The reply's shape is the wire's promise; the protocol tests hold it.
      return (await line.request(command, params)) as Commands[K]["reply"];
    },
    openLink(target) {
      window.open(target, "_blank", "noopener,noreferrer");
      return Promise.resolve();
    },
    profile: pass.profile,
    showProfile,
    desktop: null,
  };
}

/** Moves what the address says into this tab's storage, so that the token is not copied with the address. */
export function takePass(): Pass {
  const given = new URLSearchParams(location.hash.slice(1));
  const take = (name: string, key: string): string | null => {
    const value = given.get(name);
    if (value !== null) sessionStorage.setItem(key, value);
    return value ?? sessionStorage.getItem(key);
  };
  const pass = { token: take("token", TOKEN), profile: take("profile", PROFILE) };
  if (given.size > 0) history.replaceState(null, "", location.pathname + location.search);
  return pass;
}

/** The tab remembers it, and its page begins anew. */
export function showProfile(name: string): Promise<void> {
  sessionStorage.setItem(PROFILE, name);
  location.reload();
  return Promise.resolve();
}

class Line {
  private readonly waiting = new Map<number, Waiting>();
  private socket: Promise<WebSocket> | null = null;
  private lastId = 0;

  constructor(
    private readonly url: string,
    private readonly pass: Pass,
  ) {}

  async request(command: string, params: unknown): Promise<unknown> {
    this.socket ??= this.open();
    const socket = await this.socket;
    this.lastId += 1;
    const id = this.lastId;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      if (socket.readyState !== WebSocket.OPEN) this.lose(lost());
      else socket.send(JSON.stringify({ id, command, params }));
    });
  }

  private open(): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.url);
      const timer = setTimeout(() => socket.close(), OPEN_MS);
      let asked = false;
      let opened = false;
      let unserved: ApiError | undefined;
      socket.onopen = () => {
        asked = true;
        const { token, profile } = this.pass;
        socket.send(JSON.stringify({ token: token ?? "", ...(profile === null ? {} : { profile }) }));
      };
      socket.onmessage = (event) => {
        const answer: unknown = JSON.parse(String(event.data));
        if (opened) {
          this.settle(answer as Answer);
          return;
        }
        const { error } = answer as Hello;
        if (error !== undefined) {
          unserved = error;
          return;
        }
        opened = true;
        clearTimeout(timer);
        resolve(socket);
      };
      socket.onclose = (event) => {
        clearTimeout(timer);
        // The gateway sends away who does not have the token: an orderly end in place of a greeting.
        const sentAway = asked && !opened && event.code !== ABNORMAL;
        const reason = sentAway ? refused(unserved) : opened ? lost() : unreached();
        this.socket = null;
        this.lose(reason);
        if (!opened) reject(reason);
      };
    });
  }

  private settle(answer: Answer): void {
    const waiting = this.waiting.get(answer.id);
    if (waiting === undefined) return;
    this.waiting.delete(answer.id);
    if (answer.error === undefined) waiting.resolve(answer.reply);
    else waiting.reject(asCallError(answer.error));
  }

  private lose(reason: CallError): void {
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const call of waiting) call.reject(reason);
  }
}

function lost(): CallError {
  return new CallError("unreachable", "The connection to the gateway was lost. What you had sent is kept there.");
}

function unreached(): CallError {
  return new CallError("unreachable", "No connection to the gateway could be made.");
}

/** A profile that is not there any more is not asked for again: who opens the page once more sees the first one. */
function refused(unserved: ApiError | undefined): CallError {
  if (unserved === undefined) return new CallError("unauthorized", "The gateway does not accept this address's token. Open the address it printed.");
  sessionStorage.removeItem(PROFILE);
  return new CallError("unauthorized", unserved.message);
}
