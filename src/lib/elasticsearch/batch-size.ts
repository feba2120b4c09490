import { isTidemarkError } from '../../core/errors.ts';

interface Batch<Item> {
  readonly found: readonly Item[];
  /** Whether there may be more: it is as large as was asked for. */
  readonly isFull: boolean;
}

/** How many documents are requested at once: fewer after an answer was too large, since a document may have some megabytes. */
export class BatchSize {
  #size: number;

  constructor(size: number) {
    this.#size = size;
  }

  /** One batch. @param most of this one */
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

/** Whether an answer was larger than this program takes, or than Elasticsearch has memory for. */
export function isTooLarge(error: unknown): boolean {
  if (!isTidemarkError(error, 'unavailable')) return false;
  return error.details.tooLarge === true || error.details.type === 'circuit_breaking_exception';
}
