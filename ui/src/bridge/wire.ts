// The types of everything that goes over the wire. Views read them here; only the bridge knows where they are made.
import type * as generated from "./bindings";

export type * from "./bindings";

/** What is set, with defaults filled in. */
export type Settings = generated.Settings & {
  /** A turn in which nothing happens for so many seconds is given up; 0 = never. Absent: this gateway does not tell it. */
  inactivityTimeoutS?: number;
};
