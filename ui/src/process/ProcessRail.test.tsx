// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { GetHealthReply, Process, ReadOutputReply, StopProcessReply } from "../bridge/wire";
import { everythingVisible, makeStage, process, session } from "../testing/stage";
import { ProcessRail } from "./ProcessRail";

beforeEach(everythingVisible);
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const rows = (...all: Process[]) => ({ processes: new Map(all.map((one) => [one.processId, one])) });
const names = (list: string) => within(screen.getByRole("list", { name: list })).getAllByRole("listitem").map((row) => row.querySelector(".process-name")?.textContent);
const output = (text: string): ReadOutputReply => ({ from: 0, next: text.length, total: text.length, text });

let made = 0;
/** A process of its own for every test: a stop that was pressed is remembered. */
const fresh = (more: Partial<Process> = {}) => {
  made += 1;
  return process({ processId: `p-${made}`, ...more });
};

describe("the list", () => {
  it("puts who needs a person first, then who is being stopped, then the newest", () => {
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(
      rows(
        fresh({ command: "old", startedAtMs: 1 }),
        fresh({ command: "new", startedAtMs: 9 }),
        fresh({ command: "stopping", state: "stopping", startedAtMs: 2 }),
        fresh({ command: "asks", attention: "needs_input", startedAtMs: 1 }),
        fresh({ command: "gone", state: "exited", exitCode: 0, endedAtMs: Date.now() }),
      ),
    );
    expect(names("Live processes")).toEqual(["asks", "stopping", "new", "old"]);
    expect(names("Ended today")).toEqual(["gone"]);
  });

  it("offers Stop on every live row, and on an ended one whose tree lives on", () => {
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(
      rows(
        fresh({ command: "starts", state: "starting" }),
        fresh({ command: "left", state: "exited", exitCode: 0, descendants: 2 }),
        fresh({ command: "gone", state: "exited", exitCode: 0, endedAtMs: Date.now() }),
      ),
    );
    expect(screen.getByRole("button", { name: "Stop starts" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Stop left" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Stop gone" })).toBeNull();
    expect(screen.getByText("exited 0, 2 still running")).toBeTruthy();
  });

  it.each<[Partial<Process>, string, string]>([
    [{ state: "starting" }, "starting", "starting"],
    [{}, "running", "running"],
    [{ attention: "ready" }, "ready", "ready"],
    [{ attention: "quiet" }, "quiet", "quiet"],
    [{ attention: "needs_input" }, "needs input", "needs"],
    [{ state: "exited", exitCode: 0 }, "exited 0", "complete"],
    [{ state: "exited", exitCode: 137 }, "exited 137", "failed"],
    [{ state: "exited", signal: "SIGKILL" }, "ended by SIGKILL", "failed"],
    [{ state: "killed", stoppedBy: "turn_stop" }, "stopped with its turn", "stopped"],
    [{ state: "lost" }, "lost, exit code unknown", "lost"],
    [{ state: "failed_start" }, "not started", "failed"],
  ])("tells %o in words and by outline", (more, words, glyph) => {
    const stage = makeStage();
    const { container } = stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh({ ...more, endedAtMs: more.state === undefined || more.state === "starting" ? null : Date.now() })));
    expect(screen.getByText(words)).toBeTruthy();
    expect(container.querySelector(`[data-glyph="${glyph}"]`)).not.toBeNull();
  });

  it("keeps the end of a long command in sight: rows that begin alike can be told apart", () => {
    const stage = makeStage();
    const { container } = stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh({ command: "node worker.js --shard 17" }), fresh({ command: "a\nb" })));
    const name = container.querySelector("[title='node worker.js --shard 17']");
    expect([...(name?.children ?? [])].map((part) => part.textContent)).toEqual(["node worker.js --", "shard 17"]);
    expect(name?.textContent).toBe("node worker.js --shard 17");
    expect(screen.getByText("a b").children).toHaveLength(0);
  });

  it("names the session of a foreign process", () => {
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed({ ...rows(fresh({ sessionId: "other" })), sessions: new Map([["other", session({ sessionId: "other", title: "Photos" })]]) });
    expect(screen.getByText("in Photos")).toBeTruthy();
  });
});

describe("stopping", () => {
  it("takes two presses: the first asks, the second kills at once", async () => {
    vi.useFakeTimers();
    vi.setSystemTime(new Date(2031, 4, 6, 14, 1));
    const replies: ((reply: StopProcessReply) => void)[] = [];
    const stage = makeStage({ stop_process: () => new Promise((resolve) => replies.push(resolve)) });
    stage.show(<ProcessRail sessionId="s" />);
    const one = fresh();
    stage.feed(rows(one));
    fireEvent.click(screen.getByRole("button", { name: "Stop npm run dev" }));
    expect(screen.getByText("stopping")).toBeTruthy();
    expect(screen.getByRole("button", { name: /^Kill now, 4.s$/ })).toBeTruthy();
    act(() => void vi.advanceTimersByTime(1000));
    fireEvent.click(screen.getByRole("button", { name: /^Kill now, 3.s$/ }));
    expect(stage.calls.map((call) => call.params)).toEqual([
      { processId: one.processId, force: false },
      { processId: one.processId, force: true },
    ]);
    await act(async () => {
      for (const reply of replies) reply({ state: "killed", survivors: [] });
      await Promise.resolve();
    });
    stage.feed(rows({ ...one, state: "killed", stoppedBy: "user", endedAtMs: Date.now() }));
    expect(screen.getByText("stopped by you")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Kill|Stop/ })).toBeNull();
  });

  it("names who survived, and offers to kill them", async () => {
    const stage = makeStage({
      stop_process: () => Promise.resolve({ state: "running", survivors: [48213, 48219] }),
      read_output: () => Promise.resolve(output("")),
    });
    stage.show(<ProcessRail sessionId="s" />);
    const one = fresh();
    stage.feed(rows(one));
    stage.store.openProcess(one.processId);
    fireEvent.click((await screen.findAllByRole("button", { name: "Stop npm run dev" }))[0] as HTMLElement);
    expect(await screen.findByText("2 processes survived the stop")).toBeTruthy();
    expect(screen.getByText("48213 and 48219 ignore every signal so far.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Kill both" }));
    expect(stage.calls.at(-1)?.params).toEqual({ processId: one.processId, force: true });
  });

  it.each<[string, () => Promise<StopProcessReply>, RegExp]>([
    ["survivors", () => Promise.resolve({ state: "killed", survivors: [48213] }), /survived the stop/],
    ["a stop that went wrong", () => Promise.reject(new Error("the shim is gone")), /the shim is gone/],
  ])("says nothing more of %s once they have ended by themselves", async (_name, stop_process, words) => {
    const stage = makeStage({ stop_process, read_output: () => Promise.resolve(output("")) });
    stage.show(<ProcessRail sessionId="s" />);
    const one = fresh();
    stage.feed(rows(one));
    stage.store.openProcess(one.processId);
    fireEvent.click((await screen.findAllByRole("button", { name: "Stop npm run dev" }))[0] as HTMLElement);
    stage.feed(rows({ ...one, state: "killed", stoppedBy: "user", endedAtMs: Date.now(), descendants: 1 }));
    expect((await screen.findByRole("alert")).textContent).toMatch(words);
    stage.feed(rows({ ...one, state: "killed", stoppedBy: "user", endedAtMs: Date.now() }));
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.queryByRole("button", { name: /^Kill/ })).toBeNull();
  });

  it("takes a button that is held down for one press", () => {
    const stage = makeStage({ stop_process: () => new Promise(() => undefined) });
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh()));
    // What a browser does with a held Enter: each repeat is a click, unless its key was taken.
    const press = (more: object = {}) => {
      const button = screen.getByRole("button", { name: /^(Stop npm|Kill)/ });
      if (fireEvent.keyDown(button, { key: "Enter", ...more })) fireEvent.click(button);
    };
    press();
    press({ repeat: true });
    expect(stage.calls.map((call) => call.params)).toMatchObject([{ force: false }]);
    press();
    expect(stage.calls.map((call) => call.params)).toMatchObject([{ force: false }, { force: true }]);
  });
});

describe("the detail", () => {
  it("shows the facts, and output in which links are only words", async () => {
    const stage = makeStage({ read_output: () => Promise.resolve(output("\u001b]8;;https://evil.example\u0007\u001b[31mred\u001b[0m\u001b]8;;\u0007\n")) });
    const { container } = stage.show(<ProcessRail sessionId="s" />);
    const one = fresh({ turnNumber: 12, outputBytes: 40 });
    stage.feed(rows(one));
    fireEvent.click(screen.getByText("npm run dev"));
    expect((await screen.findByText("red")).className).toBe("ansi-1");
    expect(screen.getByText(/, turn 12$/)).toBeTruthy();
    expect(screen.getByText("48213")).toBeTruthy();
    expect(container.querySelector("a")).toBeNull();
  });

  it("has no line to type into where nobody listens", () => {
    const stage = makeStage({ read_output: () => Promise.resolve(output("")) });
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh()));
    fireEvent.click(screen.getByText("npm run dev"));
    expect(screen.queryByRole("textbox")).toBeNull();
    expect(screen.getByText("No input: it runs without a terminal.")).toBeTruthy();
  });

  it.each(["starting", "failed_start"])("shows no terminal before there is one (%s)", (state) => {
    const stage = makeStage({ read_output: () => Promise.resolve(output("")) });
    const { container } = stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh({ pty: true, state })));
    fireEvent.click(screen.getByText("npm run dev"));
    expect(container.querySelector("[role=log]")).not.toBeNull();
    expect(screen.queryByRole("textbox")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "More" }));
    expect(screen.queryByText("Help a screen reader")).toBeNull();
  });

  it("says of a restart that it was given no terminal, and shows none", () => {
    const stage = makeStage({ read_output: () => Promise.resolve(output("")) });
    const { container } = stage.show(<ProcessRail sessionId="s" />);
    const before = fresh({ command: "bash", pty: true, state: "killed", stoppedBy: "user", endedAtMs: Date.now() });
    const after = fresh({ command: "bash again", stdin: true, restartOf: before.processId });
    stage.feed(rows(before, after));
    fireEvent.click(screen.getByText("bash again"));
    expect(screen.getByText("No terminal could be made this time: it runs without one.")).toBeTruthy();
    expect(container.querySelector("[role=log]")).not.toBeNull();
    expect(screen.getByRole("textbox", { name: "Type into bash again" })).toBeTruthy();
  });

  it("says in the gateway's words why a restart was given no terminal", async () => {
    const before = fresh({ command: "bash", pty: true, state: "killed", stoppedBy: "user", endedAtMs: Date.now() });
    const after = fresh({ command: "bash", stdin: true, restartOf: before.processId });
    const note = "no terminal could be had, so it runs without one";
    const stage = makeStage({
      read_output: () => Promise.resolve(output("")),
      restart_process: async () => {
        stage.feed(rows(before, after));
        return { processId: after.processId, note };
      },
    });
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(before));
    fireEvent.click(screen.getByText("bash"));
    fireEvent.click(screen.getByRole("button", { name: "Run again" }));
    expect(await screen.findByText(note)).toBeTruthy();
    expect(screen.queryByText("No terminal could be made this time: it runs without one.")).toBeNull();
  });

  it("sends a typed line and gives it back when it was not taken", async () => {
    const stage = makeStage({ read_output: () => Promise.resolve(output("")), write_input: () => Promise.reject(new Error("it takes no input")) });
    stage.show(<ProcessRail sessionId="s" />);
    const one = fresh({ attention: "needs_input" });
    stage.feed(rows(one));
    fireEvent.click(screen.getByText("npm run dev"));
    const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Type into npm run dev" });
    field.value = "yes";
    fireEvent.submit(field);
    expect(stage.calls.at(-1)?.params).toEqual({ processId: one.processId, data: "yes\n" });
    expect(await screen.findByText("it takes no input")).toBeTruthy();
    expect(field.value).toBe("yes");
  });
});

describe("the list's head", () => {
  it("keeps to this session, and sorts by name", () => {
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(
      rows(
        fresh({ command: "b", startedAtMs: 9 }),
        fresh({ command: "a", startedAtMs: 1 }),
        fresh({ command: "c", sessionId: "other", startedAtMs: 5 }),
      ),
    );
    expect(names("Live processes")).toEqual(["b", "c", "a"]);
    fireEvent.change(screen.getByRole("combobox", { name: "Sort by" }), { target: { value: "name" } });
    expect(names("Live processes")).toEqual(["a", "b", "c"]);
    fireEvent.change(screen.getByRole("combobox", { name: "Which processes" }), { target: { value: "session" } });
    expect(names("Live processes")).toEqual(["a", "b"]);
  });
});

describe("the detail's head", () => {
  it("mutes its command, tells so in the list, and copies it", () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (words: string) => Promise.resolve(copied.push(words)) } });
    const stage = makeStage({ read_output: () => Promise.resolve(output("")), set_muted: () => Promise.resolve({}) });
    stage.show(<ProcessRail sessionId="s" />);
    const one = fresh();
    stage.feed(rows(one));
    fireEvent.click(screen.getByText("npm run dev"));
    const more = (name: string) => {
      fireEvent.click(screen.getByRole("button", { name: "More" }));
      fireEvent.click(screen.getByRole("menuitem", { name }));
    };
    more("Mute");
    expect(stage.calls.at(-1)).toEqual({ command: "set_muted", params: { sessionId: "s", command: "npm run dev", muted: true } });
    stage.feed(rows({ ...one, muted: true }));
    expect(screen.getByText("Muted")).toBeTruthy();
    more("Unmute");
    expect(stage.calls.at(-1)?.params).toMatchObject({ muted: false });
    more("Copy command");
    more("Copy its id");
    expect(copied).toEqual(["npm run dev", one.processId]);
  });
});

describe("the list's letters", () => {
  const focusRow = () => (screen.getByText("npm run dev").closest("button") as HTMLElement).focus();
  const press = (key: string, more: object = {}) => fireEvent.keyDown(document.activeElement as HTMLElement, { key, ...more });

  // Caps Lock makes a capital of a letter, and of one with Shift a small one.
  it.each<[string, boolean, string, object]>([
    ["x", false, "stop_process", { force: false }],
    ["X", false, "stop_process", { force: false }],
    ["X", true, "stop_process", { force: true }],
    ["x", true, "stop_process", { force: true }],
    ["r", false, "restart_process", { force: false }],
    ["R", false, "restart_process", { force: false }],
    ["R", true, "restart_process", { force: true }],
    ["r", true, "restart_process", { force: true }],
    ["m", false, "set_muted", { sessionId: "s", command: "npm run dev", muted: true }],
    ["M", false, "set_muted", { sessionId: "s", command: "npm run dev", muted: true }],
  ])("%s (with Shift: %s) is %s", (key, shiftKey, command, params) => {
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh()));
    focusRow();
    press(key, { shiftKey, ctrlKey: true });
    expect(stage.calls).toEqual([]);
    expect(press(key, { shiftKey })).toBe(false);
    expect(stage.calls[0]).toMatchObject({ command, params });
  });

  it("are one press however long they are held down", () => {
    const stage = makeStage({ stop_process: () => new Promise(() => undefined) });
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh({ startedAtMs: 2 }), fresh({ command: "other", startedAtMs: 1 })));
    focusRow();
    press("x");
    press("x", { repeat: true });
    press("m", { repeat: true });
    expect(stage.calls.map((call) => call.params)).toMatchObject([{ force: false }]);
    press("x");
    expect(stage.calls.map((call) => call.params)).toMatchObject([{ force: false }, { force: true }]);
    press("j", { repeat: true });
    expect(document.activeElement?.textContent).toContain("other");
  });

  it("y copies, j and k move, and what did not work is said", async () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: (words: string) => Promise.resolve(copied.push(words)) } });
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh({ startedAtMs: 2 }), fresh({ command: "other", startedAtMs: 1 })));
    focusRow();
    press("y");
    expect(copied).toEqual(["npm run dev"]);
    press("j");
    expect(document.activeElement?.textContent).toContain("other");
    press("k");
    expect(document.activeElement?.textContent).toContain("npm run dev");
    press("m");
    expect(await screen.findByText("Not done: nothing answers set_muted")).toBeTruthy();
  });

  it("do nothing to what has ended", () => {
    const stage = makeStage();
    stage.show(<ProcessRail sessionId="s" />);
    stage.feed(rows(fresh({ state: "exited", exitCode: 0, endedAtMs: Date.now() })));
    focusRow();
    expect(press("x")).toBe(true);
    expect(stage.calls).toEqual([]);
  });
});

describe("an empty list", () => {
  const HEALTH: GetHealthReply = { protocol: 1, version: "0", profiles: [], processes: { running: 0 }, turns: { running: 0 }, incidents: 0, modelLocal: true, approvals: "ask" };

  it.each<[boolean, string]>([
    [false, "Start one with !npm run dev or ask the agent."],
    [true, "Start one with !npm run dev."],
  ])("sends nobody to a model that only chats (%s)", (modelChatOnly, words) => {
    const stage = makeStage();
    stage.store.setup.state = { ...stage.store.setup.state, health: { ...HEALTH, modelChatOnly } };
    stage.show(<ProcessRail sessionId="s" />);
    act(() => {
      stage.store.connection = { kind: "open" };
      stage.store.openProcess(null);
    });
    expect(screen.getByText(words)).toBeTruthy();
  });
});
