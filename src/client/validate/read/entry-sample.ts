import type { Document, Entry } from '../../read/document.ts';

export interface SampledEntry {
  readonly entry: Entry;
  readonly document: Document;
  /** The number of the document in reading order. */
  readonly number: number;
}

/** Chooses random entries of a stream, each with the same probability (reservoir sampling). */
export class EntrySample {
  readonly chosen: SampledEntry[] = [];
  readonly #size: number;
  #offered = 0;

  constructor(size: number) {
    this.#size = size;
  }

  offer(entry: Entry, document: Document, number: number): void {
    this.#offered++;
    if (this.chosen.length < this.#size) {
      this.chosen.push({ entry, document, number });
      return;
    }
    const place = Math.floor(Math.random() * this.#offered);
    if (place < this.#size) this.chosen[place] = { entry, document, number };
  }
}
