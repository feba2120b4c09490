import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import type { Upload } from '../arrivals/upload.ts';
import { statusOf, type UploadState } from '../arrivals/upload-state.ts';

/** Number of documents that are read at a time. */
const BATCH = 500;

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'head' | 'list' | 'latest'>;
}

/**
 * Finds uploads that may lack a job. The job is added after the upload is recorded, so a process that is killed in
 * between leaves an upload without one. All uploads are checked once, then only new ones.
 */
export class UploadBacklog {
  readonly #catalog: Parts['catalog'];
  #checked: number | undefined;

  constructor({ catalog }: Parts) {
    this.#catalog = catalog;
  }

  /**
   * Passes the uploads that are neither applied nor have failed to `add`. Call this often: it costs little when there
   * are no new ones.
   * @throws what `add` throws; the uploads are then passed again
   */
  async visit(add: (uploads: readonly Upload[]) => Promise<unknown>): Promise<void> {
    const head = await this.#catalog.head('upload');
    if (head === this.#checked) return;
    const found = this.#checked === undefined ? await this.#all() : await this.#since(this.#checked);
    if (found.length > 0) await add(found);
    this.#checked = head;
  }

  async #since(version: number): Promise<readonly Upload[]> {
    const found: Upload[] = [];
    for (const { id, body } of await this.#catalog.list<Upload>('upload', version)) {
      const state = await this.#catalog.get<UploadState>('upload-state', id);
      if (isOpen(body, state?.body)) found.push(body);
    }
    return found;
  }

  /** Reads page by page, together with the states of the same ids. */
  async #all(): Promise<readonly Upload[]> {
    const found: Upload[] = [];
    const pages = latestPages<Upload>(this.#catalog, { kind: 'upload', prefix: '', limit: BATCH });
    for await (const { documents, before } of pages) {
      const states = await this.#catalog.latest<UploadState>('upload-state', '', { before, limit: BATCH });
      const stateOf = new Map(states.map(({ id, body }) => [id, body]));
      for (const { id, body } of documents) if (isOpen(body, stateOf.get(id))) found.push(body);
    }
    return found;
  }
}

function isOpen({ ofRemovedStream }: Upload, state: UploadState | undefined): boolean {
  return !ofRemovedStream && !['processed', 'failed', 'removed'].includes(statusOf(state));
}
