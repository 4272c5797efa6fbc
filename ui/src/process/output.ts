// What the bar above an output needs of it, whichever way the output is drawn.

/** One output, from outside. */
export interface OutputHandle {
  /** Whether there was something yet to take the focus. */
  focus(): boolean;
  /** Goes to the next place of some words, upwards with 1; 0 looks anew. Places are counted from the newest. */
  find(words: string, step: 1 | 0 | -1): { readonly at: number; readonly count: number };
  endFind(): void;
  /** What is held, as text. */
  text(): string;
}
