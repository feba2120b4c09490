import { isDeepStrictEqual } from 'node:util';
import type { Reader } from '../../read/reader.ts';
import { DocumentFailure } from '../lists/read-entries.ts';
import { type MirroredSet, readSet } from './find-set.ts';

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
   * Reads the Capability List again if the set may have other documents now: it had no Change List, or that gets no
   * more changes.
   * @throws DocumentFailure
   */
  async refresh({ isClosed }: { readonly isClosed: boolean }): Promise<void> {
    const { uri, resourceLists, changeList } = this.#documents;
    // Otherwise the source is a single list, without a Capability List.
    const hasCapabilityList = !resourceLists.includes(uri);
    if (hasCapabilityList && (isClosed || changeList === undefined)) await this.#read();
  }

  /**
   * Whether the set has other documents now, after one of them was missing.
   * @throws DocumentFailure
   */
  async hasOthersAfter(error: unknown): Promise<boolean> {
    if (!(error instanceof DocumentFailure) || !error.isMissing) return false;
    const before = this.#documents;
    await this.#read();
    return !isDeepStrictEqual(this.#documents, before);
  }

  async #read(): Promise<void> {
    this.#documents = await readSet(this.#reader, this.#documents.uri);
  }
}
