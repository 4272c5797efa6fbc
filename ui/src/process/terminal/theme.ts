// The terminal's colours, from the tokens of the window's theme.
import type { ITheme } from "@xterm/xterm";

/** How far a program's colours are moved until they can be read: as text in the theme that is chosen. */
const RATIO = 4.5;
const RATIO_HIGH = 7;

/** What is set of a terminal's looks. */
export interface Looks {
  readonly theme: ITheme;
  readonly minimumContrastRatio: number;
}

/** The looks of now. */
export function looksNow(): Looks {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const [quiet, fail, done, need, live, machine, text] = ["text-3", "fail", "done", "need", "live", "machine", "text"].map(token);
  const high = document.documentElement.dataset["theme"]?.startsWith("hc-") === true;
  const eight = { black: quiet, red: fail, green: done, yellow: need, blue: live, magenta: live, cyan: machine, white: text };
  const bright = Object.fromEntries(Object.entries(eight).map(([name, colour]) => [`bright${name.charAt(0).toUpperCase()}${name.slice(1)}`, colour]));
  return {
    theme: {
      ...eight,
      ...bright,
      background: token("term"),
      foreground: text,
      cursor: text,
      cursorAccent: token("term"),
      selectionBackground: token("live-line"),
      selectionInactiveBackground: token("selected"),
      scrollbarSliderBackground: token("line-strong"),
      scrollbarSliderHoverBackground: token("control"),
      scrollbarSliderActiveBackground: token("control"),
    } as ITheme,
    minimumContrastRatio: high ? RATIO_HIGH : RATIO,
  };
}

/** Tells every change of the window's theme, until the answer is called. */
export function onLooks(tell: (looks: Looks) => void): () => void {
  const observer = new MutationObserver(() => tell(looksNow()));
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}
