// The types of everything that goes over the wire. Views read them here; only the bridge knows where they are made.
export type * from "./bindings";
