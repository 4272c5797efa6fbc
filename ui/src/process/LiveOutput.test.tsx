// @vitest-environment jsdom
import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { afterEach, expect, it } from "vitest";
import { makeStage, process } from "../testing/stage";
import { LiveOutput } from "./LiveOutput";

afterEach(cleanup);

function View({ total }: { total: number }) {
  const [following, setFollowing] = useState(true);
  return (
    <>
      <output>{following ? "follows" : "rests"}</output>
      <LiveOutput process={process({ outputBytes: total })} following={following} onFollowing={setFollowing} onNote={() => undefined} ref={null} />
    </>
  );
}

/** A view that has fallen far behind what is written. */
async function rush() {
  const text = `${"x".repeat(99)}\n`;
  const total = 1_000_000;
  // It looks when a hundred bytes are written, and at once there are many more.
  let looked = false;
  const stage = makeStage({
    read_output: async ({ from, max }) => {
      const start = from ?? (looked ? total - (max ?? 0) : 0);
      looked = true;
      return { from: start, next: Math.min(total, start + (max ?? 0)), total, text: text.repeat(10) };
    },
  });
  const shown = stage.show(<View total={100} />);
  await waitFor(() => expect(screen.getByRole("log").className).toContain("output-rushing"));
  return shown;
}

it("is no scroller of its own while more is written than can be read, and is one again afterwards", async () => {
  await rush();
  await waitFor(() => expect(screen.getByRole("log").className).toBe("output"));
});

it.each<[string, (box: HTMLElement) => void]>([
  ["a wheel", (box) => fireEvent.wheel(box, { deltaY: -100 })],
  ["a key", (box) => fireEvent.keyDown(box, { key: "ArrowUp" })],
])("lets %s out of a rush", async (_, up) => {
  await rush();
  const box = screen.getByRole("log");
  fireEvent.wheel(box, { deltaY: 100 });
  fireEvent.keyDown(box, { key: "ArrowDown" });
  screen.getByText("follows");
  up(box);
  screen.getByText("rests");
  expect(box.className).toBe("output");
});
