import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { readUploadState } from '../arrivals/upload-state.ts';

/**
 * Knows which artifacts of records stay: not those of removed uploads and streams. A state that is stored in one of the
 * others is stored anew, though its bytes are the same. Each artifact is asked about once: use an object of this class
 * for one piece of work.
 */
export class KeptRecords {
  readonly #catalog: Pick<Catalog, 'get'>;
  readonly #leaving: readonly string[];
  readonly #known = new Map<ObjectKey, Promise<boolean>>();

  /** @param leaving folders of artifacts that are about to be removed, with their streams */
  constructor(catalog: Pick<Catalog, 'get'>, leaving: readonly string[] = []) {
    this.#catalog = catalog;
    this.#leaving = leaving;
  }

  has(artifact: ObjectKey): Promise<boolean> {
    const known = this.#known.get(artifact) ?? this.#ask(artifact);
    this.#known.set(artifact, known);
    return known;
  }

  async #ask(artifact: ObjectKey): Promise<boolean> {
    const key = parseKey(artifact);
    if (key?.kind !== 'stream-records') return true;
    if (this.#leaving.some((folder) => artifact.startsWith(folder))) return false;
    const state = (await readUploadState(this.#catalog, key))?.body;
    return state?.removed === undefined && state?.replaced === undefined;
  }
}
