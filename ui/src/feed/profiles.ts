// The profiles of this Gatehouse and how each stands. No feed tells of them, because a profile that cannot be opened has
// none: they are read with every attach, and when somebody looks at them.
import type { Bridge } from "../bridge/bridge";
import type { Profile } from "../bridge/wire";

/** What is known of them. */
export interface ProfilesState {
  readonly rows: readonly Profile[];
  /** The one that this window shows; nothing before they were read. */
  readonly here: string | null;
}

/** See the file's head. One per window, beside the store. */
export class Profiles {
  state: ProfilesState;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly bridge: Bridge,
    private readonly publish: () => void,
  ) {
    this.state = { rows: [], here: bridge.profile };
  }

  /** Reads them; a call during a read is answered by that one. */
  readonly read = (): Promise<void> => {
    this.reading ??= this.readOnce().finally(() => {
      this.reading = null;
    });
    return this.reading;
  };

  private async readOnce(): Promise<void> {
    try {
      const { profiles, first } = await this.bridge.call("list_profiles", {});
      this.state = { rows: profiles, here: this.bridge.profile ?? first };
      this.publish();
    } catch {
      // What was known stays; a gateway that does not answer fails the feed too, and that is shown.
    }
  }
}
