import { isTidemarkError } from '../../core/errors.ts';

interface Batch<Item> {
  readonly found: readonly Item[];
  /** Whether there may be more items: the search returned as many as it requested. */
  readonly isFull: boolean;
}

/** The number of documents in a request. It shrinks after a response was too large: a document may have megabytes. */
export class BatchSize {
  #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  /** Reads one batch, of at most `most` items. */
  async ask<Item>(
    search: (size: number) => Promise<readonly Item[]>,
    most = Number.POSITIVE_INFINITY,
  ): Promise<Batch<Item>> {
    for (;;) {
      const size = Math.min(this.#size, most);
      try {
        const found = await search(size);
        return { found, isFull: found.length === size };
      } catch (error) {
        if (size === 1 || !isTooLarge(error)) throw error;
        this.#size = Math.ceil(size / 4);
      }
    }
  }
}

/** Whether a response was larger than the client's limit, or than the memory of Elasticsearch allows. */
export function isTooLarge(error: unknown): boolean {
  if (!isTidemarkError(error, 'unavailable')) return false;
  return error.details.tooLarge === true || error.details.type === 'circuit_breaking_exception';
}
