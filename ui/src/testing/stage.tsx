// A stage for component tests: the real store and the real texts around one view, and a gateway whose answers a test
// writes itself.
import { act, render, type RenderResult } from "@testing-library/react";
import type { ReactNode } from "react";
import type { Card, Item, NoteUnit, Process, Session } from "../bridge/wire";
import { type Bridge, CallError, type CommandName, type Commands } from "../bridge/bridge";
import { StoreContext } from "../feed/hooks";
import type { FeedState } from "../feed/state";
import { Store } from "../feed/store";
import { Texts } from "../l10n/l10n";

type Answers = { [K in CommandName]?: (params: Commands[K]["params"]) => Promise<Commands[K]["reply"]> };

/** What a test sees of the window. */
export interface Stage {
  store: Store;
  calls: { command: CommandName; params: unknown }[];
  opened: string[];
  /** Profiles that were gone to. */
  profiles: string[];
  answers: Answers;
  /** Shows a view. */
  show(view: ReactNode): RenderResult;
  /** Changes what the store holds, as the feed would. */
  feed(change: Partial<FeedState>): void;
}

/** An empty window. */
export function makeStage(answers: Answers = {}): Stage {
  const calls: Stage["calls"] = [];
  const opened: string[] = [];
  const profiles: string[] = [];
  const bridge: Bridge = {
    call(command, params) {
      calls.push({ command, params });
      const answer = answers[command];
      if (answer === undefined) return Promise.reject(new CallError("unknown_command", `nothing answers ${command}`));
      return answer(params);
    },
    openLink(url) {
      opened.push(url);
      return Promise.resolve();
    },
    profile: null,
    showProfile(name) {
      profiles.push(name);
      return Promise.resolve();
    },
    desktop: null,
  };
  const store = new Store(bridge);
  const wrap = (view: ReactNode) => (
    <Texts>
      <StoreContext value={store}>{view}</StoreContext>
    </Texts>
  );
  return {
    store,
    calls,
    opened,
    profiles,
    answers,
    show: (view) => {
      const shown = render(wrap(view));
      return { ...shown, rerender: (next) => shown.rerender(wrap(next)) };
    },
    feed: (change) => {
      act(() => {
        store.state = { ...store.state, ...change };
        // Any selection tells the views to look again.
        store.openProcess(store.selection.processId);
      });
    },
  };
}

/** Every element counts as fully in sight. */
export function everythingVisible(): void {
  globalThis.IntersectionObserver = class {
    readonly root = null;
    readonly rootMargin = "";
    readonly scrollMargin = "";
    readonly thresholds = [];
    readonly #seen: IntersectionObserverCallback;
    constructor(seen: IntersectionObserverCallback) {
      this.#seen = seen;
    }
    observe(target: Element): void {
      const entry = { target, intersectionRatio: 1, isIntersecting: true } as unknown as IntersectionObserverEntry;
      this.#seen([entry], this);
    }
    unobserve(): void {}
    disconnect(): void {}
    takeRecords(): IntersectionObserverEntry[] {
      return [];
    }
  };
}

const AT = new Date(2031, 4, 6, 14, 1, 0).getTime();

/** An item, as far as a test does not care. */
export function item(more: Partial<Item>): Item {
  const seq = more.seq ?? 1;
  return { itemId: `item-${seq}`, sessionId: "s", seq, rev: seq, turnId: "turn", author: "model", kind: "message", atMs: AT, streaming: false, ...more };
}

/** A finished command's card. */
export function card(more: Partial<Card>): Card {
  return {
    id: "call-1",
    tool: "terminal",
    title: "npm test",
    status: "complete",
    details: "",
    output: "",
    outputBytes: 0,
    sources: [],
    background: false,
    startedAtMs: AT,
    endedAtMs: AT + 4200,
    ...more,
  };
}

/** A report about a command that went well. */
export function unit(more: Partial<NoteUnit>): NoteUnit {
  return {
    producer: "process",
    processId: "p",
    state: "exited",
    exitCode: 0,
    durationMs: 192_000,
    outputTail: "",
    outputBytes: 0,
    command: "npm run e2e",
    turnId: "turn",
    turnNumber: 12,
    ...more,
  };
}

/** A running process. */
export function process(more: Partial<Process>): Process {
  return {
    processId: "p",
    sessionId: "s",
    rev: 1,
    command: "npm run dev",
    cwd: "/home/me/src",
    state: "running",
    pid: 48213,
    startedAtMs: AT,
    outputBytes: 0,
    descendants: 0,
    notify: true, muted: false, pty: false, stdin: false,
    ...more,
  };
}

/** A quiet session. */
export function session(more: Partial<Session>): Session {
  return {
    sessionId: "s",
    rev: 1,
    title: "Orders",
    group: "running",
    unread: 0,
    summary: "",
    lastAtMs: AT,
    reaping: 0,
    pendingApprovals: 0,
    runningProcesses: 0,
    failed: false,
    queued: [], queuePaused: false, muted: false,
    lastSeq: 0,
    ...more,
  };
}
