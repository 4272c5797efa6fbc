// @vitest-environment jsdom
import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import { CallError } from "../bridge/bridge";
import type { Backup, ListBackupsReply } from "../bridge/wire";
import { makeStage, type Stage } from "../testing/stage";
import { Data } from "./Data";

afterEach(cleanup);

const AT = new Date(2031, 4, 6, 14, 1, 0).getTime();
const backup = (name: string, ago = 0): Backup => ({ name, atMs: AT - ago, bytes: 4_194_304 });
const listed = (more: Partial<ListBackupsReply> = {}): ListBackupsReply => ({ backups: [], profile: "/data", dir: "/data/backups", kept: 7, running: false, ...more });

async function open(answers: Parameters<typeof makeStage>[0] = {}): Promise<Stage> {
  const stage = makeStage({ list_backups: () => Promise.resolve(listed()), ...answers });
  stage.show(<Data />);
  await act(() => Promise.resolve());
  return stage;
}

const called = (stage: Stage, command: string) => stage.calls.filter((call) => call.command === command).map((call) => call.params);
const one = { list_backups: () => Promise.resolve(listed({ backups: [backup("b.db")] })) };

describe("backups", () => {
  it("say when the last one was made and how many are kept where", async () => {
    await open(one);
    expect(screen.getByTestId("backup-last").textContent).toContain("Last: Tuesday, 6 May 2031 at 14:01:00, 4.0\u00a0MB.");
    expect(screen.getByTestId("backup-last").textContent).toContain("The newest 7 are kept in /data/backups.");
  });

  it("say that there is none, and why the last one was not made", async () => {
    await open({ list_backups: () => Promise.resolve(listed({ failure: { atMs: AT, message: "The disk is full." } })) });
    screen.getByText(/^No backup yet/);
    expect(screen.getByRole("alert").textContent).toContain("was not made. The disk is full.");
  });

  it("are made when asked, once, and listed", async () => {
    let finish: () => void = () => undefined;
    const made: Backup[] = [];
    const stage = await open({
      list_backups: () => Promise.resolve(listed({ backups: [...made] })),
      backup_now: () =>
        new Promise((resolve) => {
          finish = () => {
            made.push(backup("new.db"));
            resolve({ backup: backup("new.db") });
          };
        }),
    });
    const button = screen.getByTestId("backup-now");
    fireEvent.click(button);
    fireEvent.click(button);
    expect(button.textContent).toBe("Backing up");
    await act(async () => finish());
    await screen.findByTestId("backup-new.db");
    expect(button.textContent).toBe("Back up now");
    expect(called(stage, "backup_now")).toEqual([{}]);
  });

  it("that were not made say why", async () => {
    await open({ backup_now: () => Promise.reject(new CallError("store_unavailable", "There is no space left.")) });
    fireEvent.click(screen.getByTestId("backup-now"));
    await screen.findByText("No backup was made. There is no space left.");
  });
});

describe("a restore", () => {
  it("asks first, says what becomes of reports and of the program, and can be left", async () => {
    const stage = await open(one);
    fireEvent.click(screen.getByRole("button", { name: /^Restore the backup of/ }));
    const question = screen.getByRole("group");
    expect(question.textContent).toMatch(/not yet delivered are held for you.*Gatehouse restarts/);
    expect(document.activeElement?.textContent).toBe("Restore and restart");
    fireEvent.click(within(question).getByRole("button", { name: "Keep the data as it is" }));
    expect(screen.queryByRole("group")).toBeNull();
    expect(called(stage, "restore_backup")).toEqual([]);
  });

  it("is ordered, and then the program restarts", async () => {
    const done = () => Promise.resolve({});
    const stage = await open({ ...one, restore_backup: done, restart_gateway: done });
    fireEvent.click(screen.getByRole("button", { name: /^Restore the backup of/ }));
    fireEvent.click(screen.getByRole("button", { name: "Restore and restart" }));
    await screen.findByText("Gatehouse restarts and restores it.");
    expect(stage.calls.slice(-2)).toEqual([
      { command: "restore_backup", params: { name: "b.db" } },
      { command: "restart_gateway", params: {} },
    ]);
  });

  it("waits for the next start where the program cannot restart by itself", async () => {
    await open({ ...one, restore_backup: () => Promise.resolve({}) });
    fireEvent.click(screen.getByRole("button", { name: /^Restore the backup of/ }));
    fireEvent.click(screen.getByRole("button", { name: "Restore and restart" }));
    await screen.findByText("Ordered. The next start of Gatehouse restores it.");
  });

  it("is carried out at once where the data cannot be opened, and then the window goes back", async () => {
    const stage = await open({ ...one, restore_backup: () => Promise.resolve({}) });
    stage.store.openSettings("data");
    stage.store.connection = { kind: "retrying", atMs: AT, code: "store_unavailable", message: "The data file is damaged." };
    stage.feed({});
    expect(screen.queryByTestId("backup-now")).toBeNull();
    expect(screen.queryByTestId("export-profile")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: /^Restore the backup of/ }));
    expect(screen.getByRole("group").textContent).toContain("opens the restored data at once");
    fireEvent.click(within(screen.getByRole("group")).getByRole("button", { name: "Restore" }));
    await act(() => Promise.resolve());
    expect(called(stage, "restore_backup")).toEqual([{ name: "b.db" }]);
    expect(stage.store.selection.view).toBe("chat");
    expect(called(stage, "restart_gateway")).toEqual([]);
  });

  it("that was not taken restarts nothing and says why", async () => {
    const stage = await open({ ...one, restore_backup: () => Promise.reject(new CallError("not_found", "There is no such backup.")) });
    fireEvent.click(screen.getByRole("button", { name: /^Restore the backup of/ }));
    fireEvent.click(screen.getByRole("button", { name: "Restore and restart" }));
    await screen.findByText("Not restored, and nothing was changed. There is no such backup.");
    expect(called(stage, "restart_gateway")).toEqual([]);
  });
});

describe("the export", () => {
  it("says where it lies", async () => {
    await open({ export_profile: () => Promise.resolve({ path: "/data/exports/x.jsonl", bytes: 1_048_576, sessions: 12, items: 900 }) });
    fireEvent.click(screen.getByTestId("export-profile"));
    const done = await screen.findByText("/data/exports/x.jsonl");
    expect(done.closest("p")?.textContent).toBe("Exported 12 sessions, 1.0\u00a0MB, to /data/exports/x.jsonl");
  });

  it("says why not", async () => {
    await open({ export_profile: () => Promise.reject(new CallError("invalid_request", "The disk is full.")) });
    fireEvent.click(screen.getByTestId("export-profile"));
    await screen.findByText("Not exported. The disk is full.");
  });
});
