import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { RecordPlace } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { RecordsUpkeep } from './bring-up-to-date.ts';
import type { Comparer } from './comparer.ts';
import { RecordReader } from './record-reader.ts';
import { type RecordsStanding, readStanding } from './records-standing.ts';
import type { WalkedRecord } from './walk-records.ts';

export interface RecordsParts {
  readonly artifacts: ArtifactStore;
  readonly catalog: Catalog;
  readonly updater: EventPoster;
  readonly comparer: Comparer;
}

/** Sets whose resources are the records of artifacts. */
export class Records {
  readonly #parts: RecordsParts;
  readonly #reader: RecordReader;

  constructor(parts: RecordsParts) {
    this.#parts = parts;
    this.#reader = new RecordReader(parts.artifacts);
  }

  /** @see RecordReader */
  read(place: RecordPlace, digest: string): Promise<WalkedRecord> {
    return this.#reader.read(place, digest);
  }

  /** Which artifact a set tells; undefined when it was never compared with one. */
  async standingOf({ id, origin }: Pick<ResourceSet, 'id' | 'origin'>): Promise<RecordsStanding | undefined> {
    if (origin.kind !== 'artifact') return undefined;
    return (await readStanding(this.#parts.catalog, id))?.body;
  }

  /** What keeping a set of records in step works on. */
  upkeepOf(set: ResourceSet): RecordsUpkeep & Pick<RecordsParts, 'comparer'> {
    const { origin: source } = set;
    if (source.kind !== 'artifact') throw new TypeError(`${set.slug} is no set of records`);
    return { set, source, ...this.#parts };
  }
}
