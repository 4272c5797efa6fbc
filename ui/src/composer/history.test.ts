import { describe, expect, it } from "vitest";
import { item } from "../testing/stage";
import { historyOf, NOWHERE, step } from "./history";

const human = (seq: number, text: string, kind = "message") => item({ seq, author: "human", kind, text });

describe("history", () => {
  it("holds only what a person said, the newest first and no echo", () => {
    const items = [human(1, "one"), item({ seq: 2, text: "a model" }), human(3, "!ls", "tool_call"), human(4, "two"), human(5, "two"), human(6, " ")];
    expect(historyOf(items)).toEqual(["two", "!ls", "one"]);
  });

  it("goes back to the oldest and forward to nothing", () => {
    const history = ["b", "a"];
    const b = step(history, NOWHERE, "", 1);
    expect(b).toEqual({ at: 0, text: "b" });
    const a = step(history, b ?? NOWHERE, "b", 1);
    expect(a).toEqual({ at: 1, text: "a" });
    expect(step(history, a ?? NOWHERE, "a", 1)).toBeNull();
    expect(step(history, b ?? NOWHERE, "b", -1)).toEqual(NOWHERE);
    expect(step(history, NOWHERE, "", -1)).toBeNull();
  });

  it("leaves words alone that were typed or changed", () => {
    expect(step(["b"], NOWHERE, "half a", 1)).toBeNull();
    expect(step(["b", "a"], { at: 0, text: "b" }, "b!", 1)).toBeNull();
    expect(step(["b", "a"], { at: 1, text: "a" }, "", 1)).toEqual({ at: 0, text: "b" });
  });
});
