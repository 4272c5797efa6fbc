import { describe, expect, it } from "vitest";
import { Typing } from "./typing";

const stage = () => {
  const sent: string[] = [];
  const waiting: { done: () => void; fail: (reason: Error) => void }[] = [];
  const troubles: unknown[] = [];
  const typing = new Typing(
    (data) => {
      sent.push(data);
      return new Promise<void>((done, fail) => waiting.push({ done, fail }));
    },
    (reason) => troubles.push(reason),
  );
  return { typing, sent, waiting, troubles };
};

const turn = () => new Promise((later) => setTimeout(later));

describe("typing", () => {
  it("sends one write at a time, and what comes meanwhile together", async () => {
    const { typing, sent, waiting } = stage();
    for (const letter of "vim!") typing.push(letter);
    expect(sent).toEqual(["v"]);
    waiting[0]?.done();
    await turn();
    expect(sent).toEqual(["v", "im!"]);
    waiting[1]?.done();
    await turn();
    typing.push("\r");
    expect(sent).toEqual(["v", "im!", "\r"]);
  });

  it("drops what stood behind a write that was not taken, says so, and goes on", async () => {
    const { typing, sent, waiting, troubles } = stage();
    typing.push("a");
    typing.push("b");
    waiting[0]?.fail(new Error("it has ended"));
    await turn();
    expect(sent).toEqual(["a"]);
    expect(troubles).toEqual([new Error("it has ended")]);
    typing.push("c");
    expect(sent).toEqual(["a", "c"]);
  });
});
