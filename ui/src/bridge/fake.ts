import type { Bridge } from "./bridge";
export function fakeBridge(_scene: string): Bridge {
  throw new Error("no scene");
}
