import { isDeepStrictEqual } from 'node:util';
import type { Reader } from '../../read/source-reader.ts';
import { DocumentFailure } from '../lists/read-entries.ts';
import { type MirroredSet, readSetAgain } from './find-set.ts';

/** The documents of a set, which is followed for a long time: a source may replace a list by one at another address. */
export class CurrentSet {
  readonly #reader: Reader;
  #documents: MirroredSet;

  /** @param documents as just read */
  constructor(documents: MirroredSet, reader: Reader) {
    this.#documents = documents;
    this.#reader = reader;
  }

  get documents(): MirroredSet {
    return this.#documents;
  }

  /**
   * Reads the Capability List again: it may name another Change List although the one before is as it was.
   * @throws DocumentFailure
   */
  async refresh(): Promise<void> {
    const { uri, resourceLists } = this.#documents;
    // Otherwise the source is a single list, without a Capability List.
    if (!resourceLists.includes(uri)) await this.#read();
  }

  /**
   * Whether the set has other documents now, after one of them was missing.
   * @throws DocumentFailure
   */
  async hasOthersAfter(error: unknown): Promise<boolean> {
    if (!(error instanceof DocumentFailure) || !error.isMissing) return false;
    const before = this.#documents;
    await this.#read();
    const { validator: _, ...now } = this.#documents;
    return !isDeepStrictEqual({ ...now, validator: before.validator }, before);
  }

  async #read(): Promise<void> {
    this.#documents = await readSetAgain(this.#reader, this.#documents);
  }
}
