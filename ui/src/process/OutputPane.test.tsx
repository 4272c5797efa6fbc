// @vitest-environment jsdom
import { cleanup, screen } from "@testing-library/react";
import { afterEach, it, vi } from "vitest";
import { everythingVisible, makeStage, process } from "../testing/stage";
import { OutputPane } from "./OutputPane";

vi.mock("./terminal/TerminalView", () => ({
  get TerminalView() {
    throw new Error("it cannot be loaded");
  },
}));
afterEach(cleanup);

it("shows lines where the terminal's view cannot be loaded, and the rest of the window stays", async () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  everythingVisible();
  const stage = makeStage({ read_output: () => Promise.resolve({ from: 0, next: 6, total: 6, text: "hello\n" }) });
  stage.show(
    <>
      <p>the rest</p>
      <OutputPane process={process({ pty: true, outputBytes: 6 })} reader={false} zoomed={false} onZoom={() => undefined} onLeave={() => undefined} />
    </>,
  );
  await screen.findByText("hello");
  screen.getByText("the rest");
});
