import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Item } from "../bridge/wire";
import { CallError, type Bridge, type CommandName, type Commands } from "../bridge/bridge";
import { fakeBridge, newSession } from "../bridge/fake/fake";
import { FakeGateway } from "../bridge/fake/gateway";
import { Store } from "./store";

let stop: () => void = () => undefined;

beforeEach(() => {
  sessionStorage.clear();
  vi.spyOn(document, "hasFocus").mockReturnValue(true);
});

afterEach(() => {
  stop();
  vi.useRealTimers();
});

function gatewayOf(store: Store): FakeGateway {
  const { fake } = window;
  if (fake === undefined) throw new Error(`no gateway behind ${store.connection.kind}`);
  return fake.gateway;
}

async function open(scene: string, wrap: (bridge: Bridge) => Bridge = (bridge) => bridge): Promise<Store> {
  const store = new Store(wrap(fakeBridge(scene)));
  stop = store.start();
  await until(store, () => store.connection.kind === "open");
  return store;
}

function until(store: Store, test: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!test()) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = store.subscribe(check);
    check();
  });
}

function seqs(store: Store, sessionId: string): number[] {
  return store.state.stretches.get(sessionId)?.items.map((item) => item.seq) ?? [];
}

function message(sessionId: string, itemId: string): Omit<Item, "rev" | "seq"> {
  return { itemId, sessionId, author: "human", kind: "message", text: itemId, atMs: 0, streaming: false };
}

describe("opening", () => {
  it("reads the sessions and the newest page of the first one", async () => {
    const store = await open("demo");
    expect(store.state.sessions.size).toBe(12);
    expect(store.selection.sessionId).toBe("certificate");
  });

  it("begins at the present, whatever happened before", async () => {
    const answers: { reset: boolean; changes: number }[] = [];
    const store = await open("demo", (bridge) => ({
      ...bridge,
      async call<K extends CommandName>(command: K, params: Commands[K]["params"]) {
        const reply = await bridge.call(command, params);
        if ("reset" in reply) answers.push({ reset: reply.reset, changes: reply.changes.length });
        return reply;
      },
    }));
    expect(answers[0]).toEqual({ reset: true, changes: 0 });
    expect(store.state.rev).toBe(gatewayOf(store).rev);
  });

  it("opens the session that was open before a reload", async () => {
    sessionStorage.setItem("gatehouse.session", "orders");
    const store = await open("demo");
    expect(store.selection.sessionId).toBe("orders");
    expect(seqs(store, "orders").length).toBeGreaterThan(5);
  });

  it("holds a session whose row comes after it was opened", async () => {
    const store = await open("empty");
    store.openSession("late");
    gatewayOf(store).putSession(newSession("late", "Late"));
    gatewayOf(store).putItem(message("late", "first"));
    await until(store, () => seqs(store, "late").length === 1);
  });
});

describe("pages", () => {
  it("never holds more of a million items than a thousand around the view", async () => {
    const store = await open("million");
    expect(seqs(store, "million")).toHaveLength(200);
    for (let n = 0; n < 8; n += 1) await store.pages.loadBefore("million");
    const held = seqs(store, "million");
    expect(held).toHaveLength(1000);
    expect(held.at(0)).toBe(1_000_000 - 9 * 200 + 1);
    expect(store.state.stretches.get("million")?.atEnd).toBe(false);
    for (let n = 0; n < 8; n += 1) await store.pages.loadAfter("million");
    expect(seqs(store, "million").at(-1)).toBe(1_000_000);
    await store.pages.jumpTo("million", 500_000, () => undefined);
    expect(seqs(store, "million")).toContain(500_000);
    await store.pages.jumpToEnd("million");
    expect(store.state.stretches.get("million")).toMatchObject({ atEnd: true });
  });

  it("shows a change that came while the page that holds its item was being read", async () => {
    const late: (() => void)[] = [];
    let hold = false;
    const store = await open("million", (bridge) => ({
      ...bridge,
      async call<K extends CommandName>(command: K, params: Commands[K]["params"]) {
        const reply = await bridge.call(command, params);
        if (command === "list_items" && hold) await new Promise<void>((resolve) => late.push(resolve));
        return reply;
      },
    }));
    hold = true;
    store.openSession("other");
    await waitFor(() => expect(late).toHaveLength(1));
    // The page is read and on its way; now its last item changes, and a new one comes.
    const gateway = gatewayOf(store);
    gateway.putItem({ ...message("other", "other-40"), text: "changed" });
    gateway.putItem(message("other", "other-41"));
    await until(store, () => store.state.sessions.get("other")?.lastSeq === 41);
    late[0]?.();
    await until(store, () => seqs(store, "other").at(-1) === 41);
    expect(store.state.stretches.get("other")?.items.at(-2)?.text).toBe("changed");
  });

  it("says why a page could not be read, and reads it when asked again", async () => {
    let broken = false;
    const store = await open("million", (bridge) => ({
      ...bridge,
      call: (command, params) =>
        broken && command === "list_items"
          ? Promise.reject(new CallError("store_unavailable", "The disk is full."))
          : bridge.call(command, params),
    }));
    broken = true;
    store.openSession("other");
    await until(store, () => store.pages.errors.get("other")?.code === "store_unavailable");
    broken = false;
    store.pages.readAgain("other");
    await until(store, () => seqs(store, "other").length === 40);
    expect(store.pages.errors.size).toBe(0);
  });
});

/** A gateway whose pages of a transcript can be held back, or fail. */
function pages(bridge: Bridge): { bridge: Bridge; asked: Commands["list_items"]["params"][]; hold: () => () => void; fail: (why: boolean) => void } {
  const asked: Commands["list_items"]["params"][] = [];
  let held = Promise.resolve();
  let broken = false;
  const call = async <K extends CommandName>(command: K, params: Commands[K]["params"]): Promise<Commands[K]["reply"]> => {
    if (command !== "list_items") return bridge.call(command, params);
    asked.push(params as Commands["list_items"]["params"]);
    await held;
    if (broken) throw new CallError("store_unavailable", "The disk is full.");
    return bridge.call(command, params);
  };
  return {
    bridge: { ...bridge, call },
    asked,
    hold: () => {
      let release: () => void = () => undefined;
      held = new Promise((resolve) => {
        release = resolve;
      });
      return release;
    },
    fail: (why) => {
      broken = why;
    },
  };
}

async function openPages(): Promise<{ store: Store } & ReturnType<typeof pages>> {
  let made: ReturnType<typeof pages> | null = null;
  const store = await open("million", (bridge) => (made = pages(bridge)).bridge);
  if (made === null) throw new Error("the store asked for no bridge");
  return { store, ...(made as ReturnType<typeof pages>) };
}

describe("a jump", () => {
  it("is made after the page that was being read", async () => {
    const { store, hold } = await openPages();
    const release = hold();
    const found: number[] = [];
    const page = store.pages.loadBefore("million");
    const jump = store.pages.jumpTo("million", 5000, (seq) => found.push(seq));
    release();
    await Promise.all([page, jump]);
    expect(found).toEqual([5000]);
    expect(seqs(store, "million")).toContain(5000);
  });

  it("gives way to one that was asked for later", async () => {
    const { store, hold } = await openPages();
    const release = hold();
    const found: number[] = [];
    const jumps = [5000, 9000, 7000].map((seq) => store.pages.jumpTo("million", seq, (at) => found.push(at)));
    release();
    await Promise.all(jumps);
    expect(found).toEqual([7000]);
    const end = store.pages.jumpTo("million", 100, (at) => found.push(at));
    await Promise.all([end, store.pages.jumpToEnd("million")]);
    expect(found).toEqual([7000]);
    expect(store.state.stretches.get("million")).toMatchObject({ atEnd: true });
  });

  it("is made although everything is read anew on the way", async () => {
    const { store, hold } = await openPages();
    const release = hold();
    const jump = store.pages.jumpTo("million", 5000, () => undefined);
    // Only the jump's own page is held back.
    hold()();
    gatewayOf(store).renewEpoch();
    await until(store, () => store.state.epoch === gatewayOf(store).epoch);
    release();
    await jump;
    expect(seqs(store, "million")).toContain(5000);
  });

  it("that failed is made when asked again", async () => {
    const { store, fail } = await openPages();
    const found: number[] = [];
    fail(true);
    await store.pages.jumpTo("million", 5000, (seq) => found.push(seq));
    expect(store.pages.errors.get("million")?.code).toBe("store_unavailable");
    fail(false);
    store.pages.readAgain("million");
    await until(store, () => seqs(store, "million").includes(5000));
    expect(store.pages.errors.size).toBe(0);
  });
});

describe("a page that failed", () => {
  it("is not asked for again and again", async () => {
    const { store, fail, asked } = await openPages();
    fail(true);
    await store.pages.loadBefore("million");
    const { length } = asked;
    await store.pages.loadBefore("million");
    await store.pages.loadAfter("million");
    expect(asked).toHaveLength(length);
    fail(false);
    store.pages.readAgain("million");
    await store.pages.loadBefore("million");
    expect(seqs(store, "million")).toHaveLength(400);
  });

  it("is forgotten once everything was read anew", async () => {
    const { store, fail } = await openPages();
    fail(true);
    await store.pages.loadBefore("million");
    expect(store.pages.errors.size).toBe(1);
    fail(false);
    gatewayOf(store).renewEpoch();
    await until(store, () => store.pages.errors.size === 0);
    await store.pages.loadBefore("million");
    expect(seqs(store, "million")).toHaveLength(400);
  });
});

describe("an item that is shown", () => {
  it("opens its transcript there, not at the end", async () => {
    const { store } = await openPages();
    for (let n = 41; n <= 900; n += 1) gatewayOf(store).putItem(message("other", `other-${n}`));
    store.showItem("other", 300);
    await until(store, () => seqs(store, "other").includes(300));
    expect(store.pages.reading("other")).toEqual({ atEnd: false, seq: 300, offset: 0 });
    expect(seqs(store, "other")).not.toContain(900);
  });
});

describe("the connection", () => {
  it("is tried again after it was lost, and nothing is doubled", async () => {
    const store = await open("million");
    store.openSession("other");
    await until(store, () => seqs(store, "other").length === 40);
    const { fake } = window;
    if (fake === undefined) throw new Error("no gateway");
    fake.away = true;
    // Wakes the question that is under way; the next one finds nobody.
    fake.gateway.patchSession("other", { unread: 1 });
    await until(store, () => store.connection.kind === "retrying");
    fake.gateway.putItem(message("other", "meanwhile"));
    fake.away = false;
    await until(store, () => store.connection.kind === "open" && seqs(store, "other").length === 41);
    expect(new Set(seqs(store, "other")).size).toBe(41);
  });

  it("is tried at once when somebody asks for it", async () => {
    // Time stands still: nothing is tried again by itself.
    vi.useFakeTimers();
    const store = new Store(fakeBridge("away"));
    stop = store.start();
    const said: string[] = [];
    const waits = (): boolean => store.connection.kind === "retrying" && store.connection.atMs !== null;
    await until(store, waits);
    store.subscribe(() => said.push(store.connection.kind === "retrying" ? (waits() ? "waits" : "tries") : store.connection.kind));
    store.tryNow();
    await until(store, () => said.includes("waits"));
    expect(said[0]).toBe("tries");
    if (window.fake !== undefined) window.fake.away = false;
    store.tryNow();
    await until(store, () => store.connection.kind === "open");
  });

  it("knows what the engine did before it came, and hears what it does then", async () => {
    const store = await open("loading");
    expect(store.state.engine?.percent).toBe(42);
    gatewayOf(store).setEngine({ installed: true, starter: true, state: "loading", provider: "built-in", model: "starter", percent: 43 });
    await until(store, () => store.state.engine?.percent === 43);
  });

  it("knows the incidents that came before it, and reads them again when they change", async () => {
    const store = await open("incidents");
    expect(store.state.incidents.map(({ incidentId }) => incidentId)).toEqual(["gone", "stop", "config", "restored", "held"]);
    await store.bridge.call("resolve_incident", { incidentId: "config" });
    await until(store, () => store.state.incidents.length === 4);
    gatewayOf(store).renewEpoch();
    await until(store, () => store.state.epoch === "fake-1+");
    expect(store.state.incidents.length).toBe(4);
  });

  it("shows the newest answer about incidents, in whatever order answers come", async () => {
    const late: (() => void)[] = [];
    let hold = false;
    const store = await open("incidents", (bridge) => ({
      ...bridge,
      call: async (command, params) => {
        const reply = await bridge.call(command, params);
        if (command === "list_incidents" && hold && late.length === 0) await new Promise<void>((resolve) => late.push(resolve));
        return reply;
      },
    }));
    const gateway = gatewayOf(store);
    hold = true;
    gateway.setIncidents(gateway.incidents.slice(0, 3));
    await waitFor(() => expect(late).toHaveLength(1));
    gateway.setIncidents(gateway.incidents.slice(0, 1));
    await until(store, () => store.state.incidents.length === 1);
    late[0]?.();
    await new Promise((resolve) => setTimeout(resolve));
    expect(store.state.incidents.length).toBe(1);
  });

  it("ends where another reader took over", async () => {
    const store = new Store({
      call: () => Promise.reject(new CallError("superseded", "A newer call took over.")),
      openLink: () => Promise.resolve(),
      profile: null,
      showProfile: () => Promise.resolve(),
      desktop: null,
    });
    stop = store.start();
    await until(store, () => store.connection.kind === "closed");
  });
});

describe("profiles", () => {
  it("are known although the data of this one cannot be opened", async () => {
    const store = new Store(fakeBridge("refused"));
    stop = store.start();
    await until(store, () => store.connection.kind === "retrying");
    await until(store, () => store.profiles.state.here !== null);
    expect(store.profiles.state).toMatchObject({ here: "personal", rows: [{ name: "personal" }] });
  });

  it("each remember the session that was open in this window", async () => {
    const gone: string[] = [];
    const as = (profile: string | null) => (bridge: Bridge): Bridge => ({ ...bridge, profile, showProfile: async (name) => void gone.push(name) });
    const first = await open("demo", as(null));
    await until(first, () => first.profiles.state.here !== null);
    first.openSession("orders");
    await first.showProfile("work");
    expect(gone).toEqual(["work"]);
    const other = await open("demo", as("work"));
    expect(other.selection.sessionId).toBe("certificate");
    const back = await open("demo", as("personal"));
    expect(back.selection.sessionId).toBe("orders");
  });
});
