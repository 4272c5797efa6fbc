// How often a batch is asked for: once a frame while looked at, 30 times a second beside another window, once a second
// while hidden.

const UNFOCUSED_MS = 33;
const HIDDEN_MS = 1000;

/** Waits until the next batch is worth asking for. */
export function pace(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) {
      setTimeout(resolve, HIDDEN_MS);
    } else if (!document.hasFocus()) {
      setTimeout(resolve, UNFOCUSED_MS);
    } else {
      // A window that is hidden meanwhile gets no frame, so a timer ends the wait too.
      const timer = setTimeout(resolve, HIDDEN_MS);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    }
  });
}
