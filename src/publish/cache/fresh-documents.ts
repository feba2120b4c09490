import { Readable } from 'node:stream';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { PublishedDocument } from '../published-document.ts';
import { type KeptEntries, render } from '../render/render-job.ts';
import type { DocumentCache, RenderTask } from './document-cache.ts';
import type { DocumentReference } from './document-reference.ts';

/** The operations on rendered documents that a publisher uses. */
export type Documents = Pick<DocumentCache, 'get' | 'refresh' | 'holds' | 'peek'>;

/**
 * Renders each document from the store when it is opened, and stores none: for comparison with cached documents. Only
 * `identity` can be opened.
 */
export class FreshDocuments implements Documents {
  readonly #index: ResourceIndex;
  readonly #kept: KeptEntries | undefined;

  /** @param kept needed only for archived lists */
  constructor(index: ResourceIndex, kept?: KeptEntries) {
    this.#index = index;
    this.#kept = kept;
  }

  async get(_: DocumentReference, task: () => RenderTask): Promise<PublishedDocument> {
    return this.#toDocument(task());
  }

  async refresh(_: DocumentReference, task: RenderTask): Promise<PublishedDocument> {
    return this.#toDocument(task);
  }

  holds(): boolean {
    return false;
  }

  async peek(): Promise<undefined> {}

  #toDocument({ job, newest, immutable = false }: RenderTask): PublishedDocument {
    return {
      digest: '',
      newest,
      rendered: Date.now(),
      immutable,
      lengths: { identity: 0, gzip: 0 },
      open: async () => Readable.from(render(job, this.#index, this.#kept)),
    };
  }
}
