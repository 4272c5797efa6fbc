// @vitest-environment jsdom
import { cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallError, type Desktop } from "../bridge/bridge";
import type { AnswerFile } from "../bridge/wire";
import { everythingVisible, item, makeStage } from "../testing/stage";
import { ItemView } from "./ItemView";

beforeEach(everythingVisible);
afterEach(cleanup);

const PLAN: AnswerFile = { name: "plan.pdf", path: "/w/plan.pdf", bytes: 418 * 1024, kind: "document" };
const REFUSED: AnswerFile = { name: "passwd", path: "/etc/passwd", bytes: 0, kind: "document", refused: "it is part of the system" };

function show(files: AnswerFile[] | null, desktop: Partial<Desktop> | null = null) {
  const stage = makeStage();
  Object.assign(stage.store.bridge, { desktop });
  return stage.show(<ItemView item={item({ itemId: "answer", author: "model", text: "Here.", files })} />);
}

describe("the files of an answer", () => {
  it("are not there where it names none", () => {
    for (const files of [null, []]) {
      show(files);
      expect(screen.queryByRole("list", { name: "Files" })).toBeNull();
      cleanup();
    }
  });

  it("are opened in the desktop, and shown in their folder", () => {
    const openFile = vi.fn(async () => undefined);
    show([PLAN], { openFile });
    const row = within(screen.getByRole("list", { name: "Files" }));
    row.getByText("plan.pdf");
    row.getByText(/^418\sKB$/);
    fireEvent.click(row.getByRole("button", { name: "Open plan.pdf" }));
    fireEvent.click(row.getByRole("button", { name: "Show plan.pdf in its folder" }));
    expect(openFile.mock.calls).toEqual([[{ itemId: "answer", path: "/w/plan.pdf", inFolder: false }], [{ itemId: "answer", path: "/w/plan.pdf", inFolder: true }]]);
    expect(row.queryByRole("button", { name: "Copy path" })).toBeNull();
  });

  it("say in their row why one was not opened, until it is tried again", async () => {
    const openFile = vi.fn<Desktop["openFile"]>().mockRejectedValueOnce(new CallError("invalid_request", "The file was not opened: there is no such file."));
    show([PLAN], { openFile: openFile.mockResolvedValue(undefined) });
    fireEvent.click(screen.getByRole("button", { name: "Open plan.pdf" }));
    await screen.findByText("The file was not opened: there is no such file.");
    fireEvent.click(screen.getByRole("button", { name: "Open plan.pdf" }));
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("can only be copied as a path in a browser", () => {
    const copied: string[] = [];
    Object.defineProperty(navigator, "clipboard", { configurable: true, value: { writeText: async (words: string) => void copied.push(words) } });
    show([PLAN]);
    fireEvent.click(screen.getByRole("button", { name: "Copy path" }));
    expect(copied).toEqual(["/w/plan.pdf"]);
    expect(screen.queryByRole("button", { name: /Open/ })).toBeNull();
  });

  it("say of a refused one why, and offer nothing", () => {
    show([REFUSED], { openFile: vi.fn() });
    const row = within(screen.getByRole("list", { name: "Files" }));
    row.getByText("passwd is not offered: it is part of the system.");
    expect(row.queryByRole("button")).toBeNull();
  });

  it.each(["image", "audio", "video", "document", "anything"])("have a sign for %s", (kind) => {
    const { container } = show([{ ...PLAN, kind }]);
    expect(container.querySelectorAll(".file svg.file-icon")).toHaveLength(1);
  });
});
