// A scene of what Gatehouse itself says in a transcript: ends that nobody asked for, what a job has written so far, a list.
import { calm } from "./everything";
import type { FakeGateway } from "./gateway";

const MINUTE = 60 * 1000;

/** See the file's head. */
export function lines(gateway: FakeGateway): void {
  const now = Date.now();
  calm(gateway);
  gateway.patchSession("release", { unread: 2 });
  const say = (itemId: string, ago: number, text: string) =>
    gateway.putItem({ itemId, sessionId: "release", streaming: false, author: "system", kind: "notice", atMs: now - ago * MINUTE, text });
  say("l-well", 8, "make docs exited with code 0 after 41 s.");
  say("l-failed", 6, `make release exited with code 2 after 3 m 12 s.\n${FAILED}`);
  say("l-runs", 4, `photo-index still runs, after 1 h 12 m.\n${RUNS}`);
  say("l-help", 1, HELP);
}

const FAILED = `ld: warning: directory not found for option -L/opt/lib
src/orders/fees.c:214:31: error: use of undeclared identifier 'fee_cents'; did you mean 'fee_cent'?
    total += order->lines[i].fee_cents;
                             ^~~~~~~~~
make: *** [release] Error 2`;
const RUNS = "41,208 of 96,000 files";
const HELP = `What the chat box understands besides words:
/approve [once | session | always] [all | the beginning of a question's id]: allow the oldest question, all, or that one
/deny [reason]: refuse the oldest question; the agent is told the reason
/stop: stop the running turn and what it started
!command: run a command of your own in the background`;
