// The terminal's library writes <style> elements and `style` attributes, which the page's policy refuses. Here both go
// another way: rules into sheets that the page adopts, single properties through the object model.
import type { Terminal } from "@xterm/xterm";

type AddStyle = (element: HTMLElement, declaration: string) => void;

/** The part of the library's inside that writes `style` attributes: colours that are no class. */
interface Inside {
  readonly _core?: { readonly _renderService?: { readonly _renderer?: { readonly value?: { readonly _rowFactory?: { _addStyle?: AddStyle } } } } };
}

/** A cursor that blinks is a loop that never ends; the rule of the house is that a still window draws nothing. */
const LOOPS = /animation:[^;}]*;?|@keyframes[^{]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/g;

/** Opens a terminal inside `parent`; the answer takes its sheets away again. */
export function openStrictly(terminal: Terminal, parent: HTMLElement): () => void {
  const sheets: CSSStyleSheet[] = [];
  const create = document.createElement.bind(document);
  // All of its style elements are made while it opens.
  Object.defineProperty(document, "createElement", {
    configurable: true,
    value: (name: string, options?: ElementCreationOptions) => (name === "style" ? standIn(create("template"), sheets) : create(name, options)),
  });
  try {
    terminal.open(parent);
  } finally {
    // The one of the prototype stands again.
    Reflect.deleteProperty(document, "createElement");
  }
  const rows = (terminal as unknown as Inside)._core?._renderService?._renderer?.value?._rowFactory;
  if (rows?._addStyle === undefined) throw new Error("the terminal draws in another way than this window knows");
  rows._addStyle = (element, declaration) => {
    const colon = declaration.indexOf(":");
    element.style.setProperty(declaration.slice(0, colon), declaration.slice(colon + 1).replace(/;$/, ""));
  };
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

/** Takes the place of a style element: its text becomes the rules of a sheet. */
function standIn(element: HTMLElement, sheets: CSSStyleSheet[]): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.push(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", {
    set(rules: string) {
      sheet.replaceSync(rules.replaceAll(LOOPS, ""));
    },
  });
  return element;
}
