// The types of everything that goes over the wire. Views read them here; only the bridge knows where they are made.
export type * from "./bindings";

/** One profile and how it stands. */
export interface ProfileRow {
  name: string;
  state: string;
  problem?: string | null;
  processes?: number | null;
  unread?: number | null;
}

/** Every profile. */
export interface ListProfilesReply {
  profiles: ProfileRow[];
  first: string;
}

/** Makes a profile. */
export interface CreateProfile {
  name: string;
}
