import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { RecordPlace } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { RecordReader } from './record-reader.ts';
import { readCursor, type SyncCursor } from './sync-cursor.ts';
import type { WalkedRecord } from './walk-records.ts';

/** The records of artifacts, as pages and requests for bytes need them. */
export class Records {
  readonly #catalog: Pick<Catalog, 'get'>;
  readonly #reader: RecordReader;

  constructor(artifacts: ArtifactStore, catalog: Pick<Catalog, 'get'>) {
    this.#catalog = catalog;
    this.#reader = new RecordReader(artifacts);
  }

  /** @see RecordReader */
  read(place: RecordPlace, digest: string): Promise<WalkedRecord> {
    return this.#reader.read(place, digest);
  }

  /** Which artifact a set mirrors; undefined when it was never compared with one, or has no records. */
  async cursorOf({ id, origin }: Pick<ResourceSet, 'id' | 'origin'>): Promise<SyncCursor | undefined> {
    if (origin.kind !== 'artifact') return undefined;
    return (await readCursor(this.#catalog, id))?.body;
  }
}
