import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { type BlockPlace, encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import type { ChangeEvent } from '../../src/core/change.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { keyOfNames } from '../../src/core/key.ts';
import type { Resource, ResourceState } from '../../src/core/resource.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { Updater } from '../../src/ingest/updater.ts';
import { Uploads } from '../../src/records/arrivals/uploads.ts';
import { OrganizationRegistry } from '../../src/records/organization-registry.ts';
import { StreamSets } from '../../src/records/stream-sets.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { openStreamParts } from '../../src/sources/open-source.ts';
import { ArtifactRecords } from '../../src/sources/records/artifact/artifact-records.ts';
import { openStream } from '../../src/sources/records/stream/open-stream.ts';
import type { CompareOptions, Source } from '../../src/sources/source.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import type { SyncSummary } from '../../src/sources/sync-counter.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { collect } from './builders.ts';
import type { StoreKind, StorePlace } from './each-store.ts';

const BASE_URL = 'http://source.example.org';

/** An uploaded record; undefined for one that is deleted. */
export type UploadedRecords = Readonly<Record<string, string | undefined>>;

/** A store with organizations, as one process has it. The test calls `close` in `afterEach`. */
export class StreamPlace {
  readonly stores: Stores;
  readonly artifacts: ArtifactStore;
  readonly sets: SetRegistry;
  readonly organizations: OrganizationRegistry;
  readonly uploads: Uploads;
  readonly updater: Updater;
  readonly folder: string;
  readonly #place: StorePlace;
  readonly #parts: Parameters<typeof openStream>[2];
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(folder: string, place: StorePlace, stores: Stores) {
    this.folder = folder;
    this.#place = place;
    this.stores = stores;
    const { catalog, index } = stores;
    this.artifacts = openArtifacts({ kind: 'folder', folder: join(folder, 'artifacts') });
    this.sets = new SetRegistry(catalog, index);
    this.organizations = new OrganizationRegistry(catalog, new StreamSets(this.sets));
    this.uploads = new Uploads({ catalog, artifacts: this.artifacts, organizations: this.organizations });
    this.updater = new Updater(index);
    const records = new ArtifactRecords(this.artifacts, catalog);
    const parts = openStreamParts({ catalog, index, sets: this.sets });
    this.#parts = { catalog, index, records, updater: this.updater, artifacts: this.artifacts, ...parts };
    this.#closers.push(
      () => stores.close(),
      () => this.artifacts.close(),
      () => this.updater.idle(),
      () => parts.watcher.close(),
    );
  }

  static async make(kind: StoreKind): Promise<StreamPlace> {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const place = kind.place(folder, { mayBeMade: true });
    const made = new StreamPlace(folder, place, await openStores(place.location));
    made.#closers.unshift(() => rm(folder, { recursive: true }), place.dispose);
    await made.sets.useBaseUrl(BASE_URL, false);
    return made;
  }

  /** The same store, as another process has it. It is closed with this one. */
  async another(): Promise<StreamPlace> {
    const other = new StreamPlace(this.folder, this.#place, await openStores(this.#place.location));
    this.#closers.push(() => other.close());
    return other;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }

  async source(slug: string): Promise<Source> {
    const set = await this.sets.bySlug(slug);
    return openStream(set, set.origin as never, this.#parts);
  }

  async sync(slug: string, options: Partial<CompareOptions> = {}): Promise<SyncSummary | undefined> {
    const set = await this.sets.bySlug(slug);
    return sync({ set, source: await this.source(slug), updater: this.updater, ...options });
  }

  /** Posts records as the processing of an upload does: one artifact, and one event for each id. */
  async upload(set: string, number: number, records: UploadedRecords): Promise<void> {
    const found = await this.sets.bySlug(set);
    const states = await this.#store(found, number, records);
    await this.updater.post(
      Object.keys(records).map((id): ChangeEvent => {
        const [key, state] = [keyOfNames([id]), states.get(id)];
        return { set: found.id, key, state, weight: entryWeight(found.urlPrefix, key, state), order: number };
      }),
    );
  }

  async resources(slug: string): Promise<readonly Resource[]> {
    const { id } = await this.sets.bySlug(slug);
    return collect(this.stores.index.read(id, {}));
  }

  /** The keys of a set with the digests of their bytes. */
  async contents(slug: string): Promise<Readonly<Record<string, string | undefined>>> {
    const resources = await this.resources(slug);
    return Object.fromEntries(resources.map(({ key, state }) => [key, state.hashes?.['sha-256']]));
  }

  /** The changes of a set, such as `created /a`. */
  async changes(slug: string): Promise<readonly string[]> {
    const { id } = await this.sets.bySlug(slug);
    const changes = await collect(this.stores.index.changes(id, { after: 1 }));
    return changes.map(({ kind, key }) => `${kind} ${key}`);
  }

  /** The digests of each key after its changes; `deleted` for a deletion. */
  async history(slug: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const { id } = await this.sets.bySlug(slug);
    const changes = await collect(this.stores.index.changes(id, { after: 1 }));
    const byKey = Map.groupBy(changes, ({ key }) => key);
    return new Map(
      [...byKey].map(([key, of]) => [key, of.map(({ state }) => state?.hashes?.['sha-256'] ?? 'deleted')]),
    );
  }

  async #store(
    { origin }: ResourceSet,
    number: number,
    records: UploadedRecords,
  ): Promise<ReadonlyMap<string, ResourceState>> {
    const present = Object.entries(records).flatMap(([id, document]) =>
      document === undefined ? [] : [{ id, document }],
    );
    if (present.length === 0) return new Map();
    const { organization, stream } = origin as { readonly organization: string; readonly stream: string };
    const id = createHash('sha256')
      .update(JSON.stringify([number, present]))
      .digest('hex')
      .slice(0, 32);
    const artifact = formatKey({ kind: 'stream-records', organization, stream, number, id });
    const blocks: BlockPlace[] = [];
    const onBlock = (block: BlockPlace) => void blocks.push(block);
    const schema = 'stream.Record.v1';
    if ((await this.artifacts.head(artifact)) !== undefined) await this.artifacts.delete(artifact);
    await this.artifacts.put(artifact, encodeContainer({ schema, records: batches(present), onBlock }));
    const places = blocks.flatMap(({ offset, length, records }) =>
      Array.from({ length: records }, (_, position) => ({ artifact, offset, length, position })),
    );
    return new Map(
      present.map(({ id, document }, at) => [id, { ...stateOf(document, number), record: places[at]! }] as const),
    );
  }
}

function stateOf(document: string, number: number): ResourceState {
  return {
    lastmod: 1_700_000_000 + number,
    length: Buffer.byteLength(document),
    hashes: { 'sha-256': createHash('sha256').update(document).digest('hex') },
    mime: 'application/marc',
  };
}

async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
