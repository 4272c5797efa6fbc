import { describe, expect, it } from "vitest";
import { visible } from "./visible";

describe("what cannot be seen", () => {
  it.each([
    ["a\u202Eb", "a\\u202Eb"],
    ["rm\u200B -rf", "rm\\u200B -rf"],
    ["a\u2066b\u2069", "a\\u2066b\\u2069"],
    ["bell\u0007", "bell\\u0007"],
    ["back\rspace\u0008", "back\\u000Dspace\\u0008"],
    ["no\u00A0break", "no\\u00A0break"],
    ["tag\u{E0041}", "tag\\u{E0041}"],
    ["\uFEFFmark", "\\uFEFFmark"],
    ["em\u2003space", "em\\u2003space"],
    ["variant\uFE0F", "variant\\uFE0F"],
    ["hangul\u3164", "hangul\\u3164"],
  ])("%j is written out", (words, seen) => {
    expect(visible(words)).toBe(seen);
  });

  it.each(["echo a\n\tb", "\u65e5\u672c \u00fc \u{1F600}", "\u05d0\u05d1", "a -- b"])("%j stays as it is", (words) => {
    expect(visible(words)).toBe(words);
  });
});
