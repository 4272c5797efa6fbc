// What a key press in the composer means. Enter that picks a candidate of an input method is not Enter: Chromium tells
// it by `isComposing`, WebKit ends the composition first and leaves only the key code 229.

/** The part of a key press that decides. */
export interface Press {
  key: string;
  keyCode: number;
  isComposing: boolean;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

/** The input method's own key code. */
const IN_COMPOSITION = 229;

/** Whether the press belongs to the input method. */
export function composing(press: Pick<Press, "isComposing" | "keyCode">): boolean {
  return press.isComposing || press.keyCode === IN_COMPOSITION;
}

/** What the press does; nothing for a press that the text field handles by itself. */
export function meaning(press: Press): "send" | "steer" | "newline" | null {
  if (press.key !== "Enter" || composing(press)) return null;
  if (press.altKey) return "newline";
  if (press.shiftKey) return null;
  return press.ctrlKey || press.metaKey ? "steer" : "send";
}
