import { tmpdir } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { recordIdOfKey } from '../../src/core/record-key.ts';
import type { Resource } from '../../src/core/resource.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { Updater } from '../../src/ingest/updater.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { ArtifactRecords } from '../../src/sources/records/artifact/artifact-records.ts';
import { ArtifactSource } from '../../src/sources/records/artifact/artifact-source.ts';
import {
  type Comparison,
  type ComparisonParts,
  type ComparisonStep,
  compareRecords,
} from '../../src/sources/records/artifact/compare-records.ts';
import { type SyncOptions, sync } from '../../src/sources/sync/sync.ts';
import type { SyncSummary } from '../../src/sources/sync-counter.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect } from './builders.ts';
import type { StorePlace } from './each-store.ts';

const ORIGIN = { kind: 'artifact', provider: 'cdl', activity: 'harvest' } as const;

/** A process that syncs a set of records with artifacts; it compares in the thread of the test. */
export class RecordsProcess {
  readonly stores: Stores;
  readonly set: ResourceSet;
  readonly updater: Updater;
  readonly #artifacts: ArtifactStore;
  /** Starts threads that read large artifacts; they are read in the thread of the test without it. */
  startDigester: ComparisonParts['startDigester'];
  /** Is waited for before each step of a comparison is taken. */
  beforeStep: (step: ComparisonStep) => Promise<void> = async () => {};

  private constructor(stores: Stores, set: ResourceSet, artifacts: ArtifactStore) {
    this.stores = stores;
    this.set = set;
    this.updater = new Updater(stores.index);
    this.#artifacts = artifacts;
  }

  /** Opens the store, and makes the set `cdl` of the records of `cdl/harvest` when it is not there yet. */
  static async open(place: StorePlace, artifacts: ArtifactStore, urlPrefix?: string): Promise<RecordsProcess> {
    const stores = await openStores(place.location);
    const sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    const [known] = await sets.list();
    return new RecordsProcess(stores, known ?? (await sets.add({ slug: 'cdl', origin: ORIGIN, urlPrefix })), artifacts);
  }

  /** @param set the set as it is; with other settings in some tests */
  sourceOf(set = this.set): ArtifactSource {
    const { catalog, index } = this.stores;
    const artifacts = this.#artifacts;
    const process = this;
    const parts = { index, artifacts, folder: tmpdir(), startDigester: this.startDigester };
    return new ArtifactSource(set, ORIGIN, {
      artifacts,
      catalog,
      updater: this.updater,
      records: new ArtifactRecords(artifacts, catalog),
      pollIntervalMs: 1_000,
      comparer: {
        async *compare(comparison: Comparison): AsyncGenerator<ComparisonStep> {
          for await (const step of compareRecords(comparison, parts)) {
            await process.beforeStep(step);
            yield step;
          }
        },
      },
    });
  }

  sync(options: Partial<SyncOptions> = {}): Promise<SyncSummary | undefined> {
    const { set = this.set } = options;
    return sync({ ...options, set, source: this.sourceOf(set), updater: this.updater });
  }

  /** What a comparison did, in short: `3 of …: +1 ~1 -1 =1`. */
  async counts(options: Partial<SyncOptions> = {}): Promise<string> {
    const summary = await this.sync(options);
    if (summary === undefined) return 'nothing to do';
    const { files, created, updated, deleted, unchanged } = summary;
    return `${files}: +${created} ~${updated} -${deleted} =${unchanged}`;
  }

  /** The live resources by the ids of their records. */
  async resources(): Promise<Map<string, Resource>> {
    const all = await collect(this.stores.index.read(this.set.id, {}));
    return new Map(all.map((resource) => [recordIdOfKey(resource.key) ?? resource.key, resource]));
  }

  /** All changes, as `created id`. */
  async history(): Promise<readonly string[]> {
    const changes = await collect(this.stores.index.changes(this.set.id, { after: 0 }));
    return changes.map(({ kind, key }) => `${kind} ${recordIdOfKey(key) ?? key}`);
  }

  async close(): Promise<void> {
    await this.updater.idle();
    await this.stores.close();
  }
}

/** A gate that holds every caller until it is opened. */
export class Gate {
  readonly #reached = Promise.withResolvers<void>();
  readonly #opened = Promise.withResolvers<void>();

  /** Resolves when a caller waits at it. */
  get reached(): Promise<void> {
    return this.#reached.promise;
  }

  open(): void {
    this.#opened.resolve();
  }

  async pass(): Promise<void> {
    this.#reached.resolve();
    await this.#opened.promise;
    await wait(0);
  }
}
