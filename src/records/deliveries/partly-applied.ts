import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { type NamedUpload, parseUploadId } from '../arrivals/upload.ts';
import { isPartlyApplied, type UploadState } from '../arrivals/upload-state.ts';

/** Number of documents that are read at a time. */
const BATCH = 500;

/**
 * Finds uploads of which some records may be published, but not all. Dumps wait for them, so each must have a job that
 * continues it. All states are read once, then only new ones.
 */
export class PartlyApplied {
  readonly #catalog: Pick<Catalog, 'head' | 'list' | 'latest'>;
  readonly #found = new Set<string>();
  #read: number | undefined;

  constructor({ catalog }: { readonly catalog: Pick<Catalog, 'head' | 'list' | 'latest'> }) {
    this.#catalog = catalog;
  }

  /** Passes each of them to `resume`. Call this often: it costs little while there are none. */
  async visit(resume: (upload: NamedUpload) => Promise<void>): Promise<void> {
    const head = await this.#catalog.head('upload-state');
    if (this.#read === undefined) await this.#readAll();
    else if (head !== this.#read) {
      for (const { id, body } of await this.#catalog.list<UploadState>('upload-state', this.#read)) this.#see(id, body);
    }
    this.#read = head;
    for (const id of this.#found) await resume(parseUploadId(id));
  }

  /** Reads page by page: a state contains the names of up to a thousand files. */
  async #readAll(): Promise<void> {
    const pages = latestPages<UploadState>(this.#catalog, { kind: 'upload-state', prefix: '', limit: BATCH });
    for await (const { documents } of pages) for (const { id, body } of documents) this.#see(id, body);
  }

  #see(id: string, state: UploadState): void {
    if (isPartlyApplied(state)) this.#found.add(id);
    else this.#found.delete(id);
  }
}
