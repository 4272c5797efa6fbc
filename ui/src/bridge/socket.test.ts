import { waitFor } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { socketBridge, takePass } from "./socket";

/** The other end of a socket, driven by the test. */
class Wire {
  static readonly OPEN = 1;
  static all: Wire[] = [];
  readyState = 0;
  sent: unknown[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(readonly url: string) {
    Wire.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  close(): void {
    this.end(1005);
  }

  open(): void {
    this.readyState = Wire.OPEN;
    this.onopen?.();
  }

  say(value: unknown): void {
    this.onmessage?.({ data: JSON.stringify(value) });
  }

  end(code: number): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

beforeEach(() => {
  Wire.all = [];
  vi.stubGlobal("WebSocket", Wire);
});

afterEach(() => vi.unstubAllGlobals());

async function greeted(): Promise<{ bridge: ReturnType<typeof socketBridge>; wire: Wire; first: Promise<unknown> }> {
  const bridge = socketBridge("ws://127.0.0.1:1/ws", { token: "secret", profile: null });
  const first = bridge.call("list_sessions", {});
  const wire = Wire.all.at(-1);
  if (wire === undefined) throw new Error("no socket was opened");
  wire.open();
  wire.say({ ok: true });
  await waitFor(() => expect(wire.sent).toHaveLength(2));
  return { bridge, wire, first };
}

describe("the socket", () => {
  it("says the token first, and nothing else before it is let in", async () => {
    const { wire, first } = await greeted();
    expect(wire.sent).toEqual([{ token: "secret" }, { id: 1, command: "list_sessions", params: {} }]);
    wire.say({ id: 1, reply: { sessions: [] } });
    await expect(first).resolves.toEqual({ sessions: [] });
  });

  it("says with the token which profile it is about", () => {
    void socketBridge("ws://127.0.0.1:1/ws", { token: "secret", profile: "work" }).call("list_sessions", {});
    Wire.all[0]?.open();
    expect(Wire.all[0]?.sent).toEqual([{ token: "secret", profile: "work" }]);
  });

  it("says of a gateway that it never reached that it was not reached, and of one that it had that it was lost", async () => {
    const call = socketBridge("ws://127.0.0.1:1/ws", { token: "secret", profile: null }).call("list_sessions", {});
    Wire.all[0]?.end(1006);
    await expect(call).rejects.toMatchObject({ code: "unreachable", message: "No connection to the gateway could be made." });
    const { wire, first } = await greeted();
    wire.end(1006);
    await expect(first).rejects.toMatchObject({ code: "unreachable", message: expect.stringContaining("was lost") });
  });

  it("is told of a profile that is not there, and does not ask for it again", async () => {
    sessionStorage.setItem("gatehouse.profile", "gone");
    const call = socketBridge("ws://127.0.0.1:1/ws", { token: "secret", profile: "gone" }).call("list_sessions", {});
    Wire.all[0]?.open();
    Wire.all[0]?.say({ ok: false, error: { code: "not_found", message: 'There is no profile "gone" here.' } });
    Wire.all[0]?.end(1005);
    await expect(call).rejects.toMatchObject({ code: "unauthorized", message: 'There is no profile "gone" here.' });
    expect(takePass().profile).toBeNull();
  });

  it("gives every answer to the call that asked", async () => {
    const { bridge, wire, first } = await greeted();
    const second = bridge.call("get_health", {});
    await waitFor(() => expect(wire.sent).toHaveLength(3));
    wire.say({ id: 2, error: { code: "shutting_down", message: "Soon back." } });
    wire.say({ id: 1, reply: { sessions: [] } });
    await expect(second).rejects.toMatchObject({ code: "shutting_down", message: "Soon back." });
    await expect(first).resolves.toEqual({ sessions: [] });
  });

  it("fails what was under way when it is lost, and opens anew for the next call", async () => {
    const { bridge, wire, first } = await greeted();
    wire.end(1006);
    await expect(first).rejects.toMatchObject({ code: "unreachable" });
    const next = bridge.call("list_sessions", {});
    expect(Wire.all).toHaveLength(2);
    Wire.all[1]?.end(1006);
    await expect(next).rejects.toMatchObject({ code: "unreachable" });
  });

  it("tells a wrong token from a lost line", async () => {
    const bridge = socketBridge("ws://127.0.0.1:1/ws", { token: "wrong", profile: null });
    const call = bridge.call("list_sessions", {});
    Wire.all[0]?.open();
    Wire.all[0]?.end(1005);
    await expect(call).rejects.toMatchObject({ code: "unauthorized" });
  });
});

describe("the token and the profile", () => {
  it.each([
    ["/?a=1#token=abc", { token: "abc", profile: null }],
    ["/?a=1#token=abc&profile=work", { token: "abc", profile: "work" }],
  ])("move from %s into the tab, and are found there after a reload", (address, pass) => {
    sessionStorage.clear();
    history.replaceState(null, "", address);
    expect(takePass()).toEqual(pass);
    expect(location.href.endsWith("/?a=1")).toBe(true);
    expect(takePass()).toEqual(pass);
  });
});
