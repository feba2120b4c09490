/**
 * A look at something that others change. All who ask at the same time share one; a look that had begun before somebody asked does not
 * count for him, for it may have read past what he knows of.
 */
export class SharedLook<Seen> {
  readonly #look: () => Promise<Seen>;
  #looking: Promise<Seen> | undefined;
  #next: Promise<Seen> | undefined;

  constructor(look: () => Promise<Seen>) {
    this.#look = look;
  }

  /** What a look that begins from now on sees. */
  look(): Promise<Seen> {
    if (this.#looking === undefined) {
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
      });
      return this.#looking;
    }
    this.#next ??= this.#looking
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.look();
      });
    return this.#next;
  }
}
