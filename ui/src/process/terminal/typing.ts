// What is typed reaches the process in its order: one write at a time, and what comes meanwhile goes together with the
// next one.

/** See the file's head. */
export class Typing {
  readonly #write: (data: string) => Promise<unknown>;
  readonly #trouble: (reason: unknown) => void;
  #waiting = "";
  #busy = false;

  constructor(write: (data: string) => Promise<unknown>, trouble: (reason: unknown) => void) {
    this.#write = write;
    this.#trouble = trouble;
  }

  /** Types something. */
  push(data: string): void {
    this.#waiting += data;
    if (!this.#busy) void this.#flush();
  }

  async #flush(): Promise<void> {
    this.#busy = true;
    try {
      while (this.#waiting !== "") {
        const data = this.#waiting;
        this.#waiting = "";
        await this.#write(data);
      }
    } catch (reason) {
      // Half of a line that was typed on is worth nothing without its beginning.
      this.#waiting = "";
      this.#trouble(reason);
    } finally {
      this.#busy = false;
    }
  }
}
