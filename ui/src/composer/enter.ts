// What Enter in the composer means, once it is known that no input method is using it.

/** The part of a key press that decides. */
export interface Press {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** What the press does; nothing for a press that the text field handles by itself. */
export function meaning(press: Press): "send" | "steer" | "newline" | null {
  if (press.key !== "Enter") return null;
  if (press.altKey) return "newline";
  if (press.shiftKey) return null;
  return press.ctrlKey || press.metaKey ? "steer" : "send";
}
