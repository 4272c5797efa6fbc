// @vitest-environment node
import { describe, expect, it } from "vitest";
import { age, count, duration, size, when } from "./format";

const plain = (words: string): string => words.replaceAll("\u00a0", " ");

describe("durations", () => {
  it.each([
    [-5, "0 s"],
    [999, "0 s"],
    [48_000, "48 s"],
    [59_999, "59 s"],
    [60_000, "1 m"],
    [192_000, "3 m 12 s"],
    [4_320_000, "1 h 12 m"],
    [3_600_000, "1 h"],
    [187_200_000, "2 d 4 h"],
  ])("%i ms is %s", (ms, words) => {
    expect(plain(duration(ms))).toBe(words);
  });

  it("keeps tenths of short ones when asked", () => {
    expect(plain(duration(4200, { exact: true }))).toBe("4.2 s");
    expect(plain(duration(9960, { exact: true }))).toBe("9 s");
  });

  it("has one unit in a narrow column", () => {
    expect(plain(age(192_000))).toBe("3 m");
    expect(plain(age(4_320_000))).toBe("1 h 12 m");
  });

  it("does not let a number part from its unit", () => {
    expect(duration(192_000)).toBe("3\u00a0m 12\u00a0s");
  });
});

describe("sizes", () => {
  it.each([
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1 KB"],
    [428_032, "418 KB"],
    [1_048_575, "1.0 MB"],
    [1_258_291, "1.2 MB"],
    [2_684_354_560, "2.5 GB"],
  ])("%i bytes are %s", (bytes, words) => {
    expect(plain(size(bytes))).toBe(words);
  });
});

describe("times", () => {
  const now = new Date(2026, 4, 15, 14, 0).getTime();

  it("says the hour today, the day this week, the date before", () => {
    expect(when(new Date(2026, 4, 15, 9, 5).getTime(), now)).toBe("09:05");
    expect(when(new Date(2026, 4, 13, 9, 5).getTime(), now)).toBe("Wed");
    expect(when(new Date(2026, 3, 3).getTime(), now)).toBe("3 Apr");
  });

  it("parts thousands", () => {
    expect(count(1_204_311)).toBe("1,204,311");
  });
});
