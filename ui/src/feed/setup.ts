// What is set up around the conversations: settings, the gateway's health, who is silenced. Read at the attach, and again
// whenever the feed says that it changed.
import { asCallError, type Bridge, type CallError } from "../bridge/bridge";
import type { GetHealthReply, Muted, Settings } from "../bridge/wire";

/** What is known of it. */
export interface SetupState {
  readonly settings: Settings | null;
  readonly health: GetHealthReply | null;
  readonly muted: readonly Muted[];
  readonly quietUntilMs: number | null;
  /** Why it could not be read the last time. */
  readonly error: CallError | null;
}

const NOTHING: SetupState = { settings: null, health: null, muted: [], quietUntilMs: null, error: null };

/** See the file's head. One per window, beside the store. */
export class Setup {
  state: SetupState = NOTHING;
  private reading: Promise<void> | null = null;
  private again = false;
  private taken = 0;

  constructor(
    private readonly bridge: Bridge,
    private readonly publish: () => void,
  ) {}

  /** Takes what a command has just answered: nobody waits for the feed to see their own change. */
  readonly take = (settings: Settings): void => {
    this.taken += 1;
    this.state = { ...this.state, settings };
    this.publish();
  };

  /** Reads everything; a call during a read makes that read be followed by one more. */
  readonly read = (): Promise<void> => {
    this.again = this.reading !== null;
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
      if (this.again) void this.read();
    });
    return this.reading;
  };

  private async readOnce(): Promise<void> {
    this.again = false;
    const { taken } = this;
    try {
      const [read, health, notices] = await Promise.all([
        this.bridge.call("get_settings", {}),
        this.bridge.call("get_health", {}),
        this.bridge.call("list_notices", { limit: 1 }),
      ]);
      // What was read may be older than what a command answered meanwhile.
      const overtaken = this.taken !== taken;
      this.again ||= overtaken;
      const settings = overtaken ? this.state.settings : read;
      this.state = { settings, health, muted: notices.muted, quietUntilMs: notices.quietUntilMs ?? null, error: null };
    } catch (reason) {
      // What was known stays; a gateway that does not answer fails the feed too, and that is shown.
      this.state = { ...this.state, error: asCallError(reason) };
    }
    this.publish();
  }
}
