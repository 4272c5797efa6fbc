// The profiles of the in-memory gateway. A page holds the rows of one of them only; which one, and what was made, the tab
// remembers.
import { CallError } from "../bridge";
import type { ListProfilesReply, Profile } from "../wire";
import { takePass } from "../socket";
import type { FakeGateway, Handlers } from "./gateway";
import { calm } from "./everything";
import { OLLAMA, type FakeSettings } from "./settings";

const MADE = "fake.profiles";
/** The scene with several. */
export const SEVERAL = "profiles";
const FIRST = "personal";
/** Why some data cannot be opened. */
export const DAMAGED = "The data file is damaged. Restore a backup. The damaged file is kept aside, never deleted.";
const ROWS: readonly Profile[] = [
  { name: FIRST, state: "running", processes: 1, unread: 0 },
  { name: "work", state: "running", processes: 2, unread: 3 },
  { name: "archive", state: "refused", problem: DAMAGED },
];

/** The profiles around one page. */
export class FakeProfiles {
  rows: readonly Profile[];
  /** The one of this page; absent where a page was told none. */
  readonly chosen: string | null;

  constructor(scene: string) {
    this.chosen = scene === SEVERAL ? takePass().profile : null;
    this.rows = scene === SEVERAL ? [...ROWS, ...made()] : ROWS.slice(0, 1);
  }

  /** Why the profile of this page cannot be opened. */
  problem(): string | null {
    return this.rows.find((row) => row.name === (this.chosen ?? FIRST))?.problem ?? null;
  }

  list(): ListProfilesReply {
    return { profiles: [...this.rows], first: FIRST };
  }

  create(name: string): void {
    if (!/^[\w-]{1,64}$/.test(name)) throw new CallError("invalid_request", "A profile's name has letters, digits, - and _, at most 64 of them. Nothing was made.");
    if (this.rows.some((row) => row.name.toLowerCase() === name.toLowerCase())) throw new CallError("invalid_request", `There is a profile ${name} already; big and small letters are one here. Nothing was made. Choose another name.`);
    this.rows = [...this.rows, { name, state: "running" }];
    sessionStorage.setItem(MADE, JSON.stringify(this.rows.slice(ROWS.length).map((row) => row.name)));
  }

  /** What the profile of this page holds. */
  fill(gateway: FakeGateway, settings: FakeSettings): void {
    if (this.chosen === null || this.chosen === FIRST) calm(gateway);
    else if (this.chosen === "work") work(gateway);
    else fresh(settings);
  }
}

/** The commands about all of them. */
export type ProfileCommand = "list_profiles" | "create_profile";

/** Their handlers. */
export function profileHandlers(profiles: FakeProfiles): Pick<Handlers, ProfileCommand> {
  return {
    list_profiles: () => profiles.list(),
    create_profile: ({ name }) => {
      profiles.create(name);
      return {};
    },
  };
}

function made(): Profile[] {
  const names = JSON.parse(sessionStorage.getItem(MADE) ?? "[]") as string[];
  return names.map((name) => ({ name, state: "running" }));
}

function work(gateway: FakeGateway): void {
  const atMs = Date.now();
  const base = { unread: 0, summary: "", reaping: 0, pendingApprovals: 0, runningProcesses: 0, failed: false, queued: [], queuePaused: false, muted: false };
  gateway.putSession({ ...base, sessionId: "quarter", title: "Figures of the quarter", group: "done_today", lastAtMs: atMs, lastSeq: 0 });
  gateway.putItem({ itemId: "quarter-1", sessionId: "quarter", author: "human", kind: "message", text: "Add up the figures of the quarter.", atMs, streaming: false });
}

/** Nothing was ever done there. */
function fresh(settings: FakeSettings): void {
  settings.empty();
  settings.servers = [OLLAMA];
}
