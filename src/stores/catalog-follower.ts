import { CoalescedRead } from '../lib/calls/coalesced-read.ts';
import type { Catalog, CatalogDocument, CatalogKind } from './catalog.ts';

/** Milliseconds for which `loadUnlessFresh` reads nothing again. */
const FRESH_FOR_MS = 1000;

interface CatalogFollowerOptions<Body> {
  readonly kind: CatalogKind;
  /** Documents that are read at a time, ascending by version; all by default, ascending by id. */
  readonly pageSize?: number;
  /** Called with each document that was put since the last read. */
  onPut(document: CatalogDocument<Body>): void;
}

/** Reads the documents of a kind, and then only those that were put since the last read. */
export class CatalogFollower<Body> {
  readonly #catalog: Pick<Catalog, 'head' | 'list'>;
  readonly #options: CatalogFollowerOptions<Body>;
  /** One read at a time: of two, the one that ends last may have begun earlier. */
  readonly #reads = new CoalescedRead(() => this.#read());
  /** Every document that was put up to this version was read. */
  #head = 0;
  /** When the last read began, in milliseconds of the monotonic clock. */
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(catalog: Pick<Catalog, 'head' | 'list'>, options: CatalogFollowerOptions<Body>) {
    this.#catalog = catalog;
    this.#options = options;
  }

  /** Reads what any process has put before the call. @throws TidemarkError `unavailable` */
  load(): Promise<void> {
    return this.#reads.read();
  }

  /** As `load`, unless the last read began within a second. An idle source sends no requests. */
  async loadUnlessFresh(): Promise<void> {
    if (this.ageMs() >= FRESH_FOR_MS) await this.load();
  }

  /** Milliseconds since the last read began; infinite before the first one has succeeded. */
  ageMs(): number {
    return performance.now() - this.#readAt;
  }

  async #read(): Promise<void> {
    const { kind, pageSize, onPut } = this.#options;
    const began = performance.now();
    const head = await this.#catalog.head(kind);
    while (head > this.#head) {
      const documents = await this.#catalog.list<Body>(kind, this.#head, pageSize);
      for (const document of documents) onPut(document);
      // Behind the head, documents may be missing in the list.
      this.#head = documents.length === pageSize ? Math.min(documents.at(-1)!.version, head) : head;
    }
    this.#readAt = began;
  }
}
