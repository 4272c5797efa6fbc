// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallError } from "../bridge/bridge";
import type { SearchReply } from "../bridge/wire";
import { makeStage } from "../testing/stage";
import { FindBar } from "./FindBar";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const hits = (many: number): SearchReply => ({ hits: Array.from({ length: many }, (_, n) => ({ sessionId: "s", seq: 900 - n, snippet: "" })) });
const see = (search: () => Promise<SearchReply>) => {
  const stage = makeStage({ search, list_items: async () => ({ items: [] }) });
  stage.show(<FindBar sessionId="s" asked={1} onClose={vi.fn()} />);
  return stage;
};
const type = async (words: string) => {
  fireEvent.change(screen.getByRole("textbox"), { target: { value: words } });
  await act(() => vi.advanceTimersByTimeAsync(200));
};
const said = () => screen.getByRole("status").textContent;

describe("finding in a transcript", () => {
  it.each<[number, string]>([
    [0, "Nothing found"],
    [3, "1 of 3"],
    [99, "1 of 99"],
    [100, "1 of 100 or more"],
  ])("tells of %i places how many there are, and that there may be more at the limit", async (many, words) => {
    see(async () => hits(many));
    await type("fee");
    expect(said()).toBe(words);
  });

  it("says why nothing was searched, until a search works", async () => {
    let broken = true;
    see(async () => {
      if (broken) throw new CallError("store_unavailable", "The disk is full.");
      return hits(2);
    });
    await type("fee");
    expect(said()).toBe("");
    expect(screen.getByRole("alert").textContent).toBe("Not searched. The disk is full.");
    broken = false;
    await type("fees");
    expect(screen.queryByRole("alert")).toBeNull();
    expect(said()).toBe("1 of 2");
    broken = true;
    await type("fee");
    await type("");
    expect(screen.queryByRole("alert")).toBeNull();
  });
});
