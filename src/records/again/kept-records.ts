import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { readUploadState } from '../arrivals/upload-state.ts';

/**
 * Knows which artifacts of records stay: not those of removed uploads. A state that is stored in one of the others is
 * stored anew, though its bytes are the same. Each artifact is asked about once: use an object of this class for one
 * piece of work.
 */
export class KeptRecords {
  readonly #catalog: Pick<Catalog, 'get'>;
  readonly #known = new Map<ObjectKey, Promise<boolean>>();

  constructor(catalog: Pick<Catalog, 'get'>) {
    this.#catalog = catalog;
  }

  has(artifact: ObjectKey): Promise<boolean> {
    const known = this.#known.get(artifact) ?? this.#ask(artifact);
    this.#known.set(artifact, known);
    return known;
  }

  async #ask(artifact: ObjectKey): Promise<boolean> {
    const key = parseKey(artifact);
    if (key?.kind !== 'stream-records') return true;
    const state = (await readUploadState(this.#catalog, key))?.body;
    return state?.removed === undefined && state?.replaced === undefined;
  }
}
