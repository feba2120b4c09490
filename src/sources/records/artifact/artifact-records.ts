import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import type { RecordPlace } from '../../../core/resource.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { RecordReader } from '../../../records/digests/record-reader.ts';
import type { WalkedRecord } from '../../../records/digests/walk-records.ts';
import type { Catalog } from '../../../stores/catalog.ts';
import { readCursor, type SyncCursor } from './sync-cursor.ts';

/** Reads the records of artifacts for web pages and for requests for bytes. */
export class ArtifactRecords {
  readonly #artifacts: ArtifactStore;
  readonly #catalog: Pick<Catalog, 'get'>;
  #reader: Promise<RecordReader> | undefined;

  constructor(artifacts: ArtifactStore, catalog: Pick<Catalog, 'get'>) {
    this.#artifacts = artifacts;
    this.#catalog = catalog;
  }

  /** @see RecordReader */
  async read(place: RecordPlace, digest: string): Promise<WalkedRecord> {
    this.#reader ??= this.#newReader();
    return (await this.#reader).read(place, digest);
  }

  /** The artifact that a set mirrors. Undefined when the set was never compared with one, or has no records. */
  async cursorOf({ id, origin }: Pick<ResourceSet, 'id' | 'origin'>): Promise<SyncCursor | undefined> {
    if (origin.kind !== 'artifact') return undefined;
    return (await readCursor(this.#catalog, id))?.body;
  }

  /** Loads Avro only when records are read: most servers have no set of records. */
  async #newReader(): Promise<RecordReader> {
    const { RecordReader } = await import('../../../records/digests/record-reader.ts');
    return new RecordReader(this.#artifacts);
  }
}
