import { randomBytes } from 'node:crypto';
import type { estypes } from '@elastic/elasticsearch';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import type { Catalog } from '../../catalog.ts';
import { hideRemovedSets } from '../alias-of-all.ts';
import { concrete, type IndexNames } from '../index-names.ts';
import { readPointer } from '../pointer.ts';
import { type CopyOptions, copyResources } from './copy-resources.ts';
import { makeResourcesIndex } from './later-indices.ts';
import {
  blockWrites,
  buildingAlias,
  permitWrites,
  type ResourcesIndex,
  readResourcesIndices,
  removeIndex,
} from './resources-indices.ts';

/** The old index is blocked when so few documents are left to copy, or after so many copies. */
const FEW_LEFT = 1_000;
const MOST_COPIES = 10;
/** Milliseconds to wait for the replicas of the new index, where the old one has all of its own. */
const REPLICAS_WITHIN_MS = 30 * 60_000;

export interface Resharded {
  /** Numbers of primary shards. */
  readonly from: number;
  readonly to: number;
  readonly index: string;
  readonly documents: number;
  /** Milliseconds during which nothing could be written to the index. */
  readonly blockedMs: number;
}

export interface ReshardOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((step: 'copy' | 'catch-up' | 'switch', done: number, total: number) => void) | undefined;
}

interface ReshardParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly catalog: Pick<Catalog, 'head' | 'list'>;
}

/**
 * Copies the index of resources into one with another number of shards, and moves its aliases there, while processes
 * use it: see docs/internals/elasticsearch.md. Called again after a failure, it continues.
 * @throws TidemarkError `unavailable` when Elasticsearch fails, or another call has replaced this one
 */
export class Reshard {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #catalog: ReshardParts['catalog'];
  readonly #options: ReshardOptions;
  readonly #alias: string;

  constructor({ cluster, names, catalog }: ReshardParts, options: ReshardOptions = {}) {
    this.#cluster = cluster;
    this.#names = names;
    this.#catalog = catalog;
    this.#options = options;
    this.#alias = buildingAlias(names, randomBytes(6).toString('hex'));
  }

  async to(shards: number): Promise<Resharded> {
    try {
      return await this.#to(shards);
    } catch (error) {
      if (!isTidemarkError(error, 'unavailable') || error.details.status !== 404) throw error;
      throw replaced(error);
    }
  }

  async #to(shards: number): Promise<Resharded> {
    const { older, current, newer } = await readResourcesIndices(this.#cluster, this.#names);
    if (older !== undefined) await this.#finish(older, current);
    if (newer !== undefined && (newer.shards !== shards || current.shards === shards)) {
      await removeIndex(this.#cluster, newer.name);
    }
    // Only a call that was interrupted has blocked it: then there is another index beside it.
    if (newer !== undefined && current.isBlocked) await permitWrites(this.#cluster, current.name);
    if (current.shards === shards) return this.#result(current, shards, 0);
    const target = await this.#prepare(current, shards);
    const blockedMs = await this.#move(current, target);
    await hideRemovedSets({ cluster: this.#cluster, names: this.#names, catalog: this.#catalog });
    const moved = await readResourcesIndices(this.#cluster, this.#names);
    if (moved.older !== undefined) await this.#finish(moved.older, moved.current);
    return this.#result(moved.current, current.shards, blockedMs);
  }

  /** Makes the new index, and takes it over from any other call. */
  async #prepare(current: ResourcesIndex, shards: number): Promise<ResourcesIndex> {
    const name = concrete(this.#names.resources, current.number + 1);
    await makeResourcesIndex(this.#cluster, this.#names, { name, shards, alias: this.#alias });
    failpoint('reshard.created');
    await this.#updateAliases([
      { remove: { index: name, alias: buildingAlias(this.#names, '*'), must_exist: false } },
      { add: { index: name, alias: this.#alias } },
    ]);
    const { newer } = await readResourcesIndices(this.#cluster, this.#names);
    if (newer?.shards === shards) return newer;
    throw new TidemarkError('unavailable', `another process copies the index of resources to another number of shards`);
  }

  /** Copies everything, and then moves the aliases. Returns for how many milliseconds writes were blocked. */
  async #move(current: ResourcesIndex, target: ResourcesIndex): Promise<number> {
    let after: Stamp = target.meta.copied_to ?? 0;
    for (let copies = 0, copied = FEW_LEFT; copied >= FEW_LEFT && copies < MOST_COPIES; copies += 1) {
      const isAll = after === 0;
      [after, copied] = await this.#copy(current.name, { to: this.#alias, after, step: isAll ? 'copy' : 'catch-up' });
      await this.#recordCopied(target, after);
      failpoint('reshard.copied');
    }
    await this.#waitForReplicas(current, target);
    // Most of the work of the refresh that follows while writes are blocked.
    await this.#cluster.refresh(target.name);
    this.#options.onProgress?.('switch', 0, 1);
    const began = performance.now();
    await blockWrites(this.#cluster, current.name);
    failpoint('reshard.blocked');
    try {
      await this.#copy(current.name, { to: this.#alias, after, step: 'switch' });
      failpoint('reshard.caughtup');
      await this.#cluster.refresh(target.name);
      await this.#requireSameCount(current, target);
      await this.#switch(current, target);
    } catch (error) {
      // The response may have been lost.
      if (await this.#isSwitched(target)) return performance.now() - began;
      await permitWrites(this.#cluster, current.name);
      throw error;
    }
    failpoint('reshard.switched');
    return performance.now() - began;
  }

  /** Returns the stamp up to which all commits are copied, and how many documents were read. */
  async #copy(
    from: string,
    { to, after, step }: { to: string; after: Stamp; step: 'copy' | 'catch-up' | 'switch' },
  ): Promise<[through: Stamp, documents: number]> {
    const { signal, onProgress } = this.#options;
    // In this order: the refresh makes all documents of the commits up to the pointer visible to the copy.
    const pointer = await readPointer(this.#cluster, this.#names);
    await this.#cluster.refresh(from);
    const options: CopyOptions = { signal, onProgress: (done, total) => onProgress?.(step, done, total) };
    const documents = await copyResources(this.#cluster, { from, to, after }, options);
    return [Math.max(after, pointer?.stamp ?? 0), documents];
  }

  async #recordCopied({ name, meta }: ResourcesIndex, through: Stamp): Promise<void> {
    const _meta = { ...meta, copied_to: through };
    await this.#cluster.ask((client) => client.indices.putMapping({ index: name, _meta }));
  }

  /** The old index is deleted after the switch, so the new one needs its copies before. */
  async #waitForReplicas(current: ResourcesIndex, target: ResourcesIndex): Promise<void> {
    const health = (index: string, options: Omit<estypes.ClusterHealthRequest, 'index'>) =>
      this.#cluster.ask((client) => client.cluster.health({ index, ...options }, { ignore: [408] }));
    // The health of an index that was removed would be waited for.
    await this.#requireOwn();
    const { status } = await health(current.name, {});
    if (status !== 'green') return;
    for (const until = Date.now() + REPLICAS_WITHIN_MS; Date.now() < until; ) {
      this.#options.signal?.throwIfAborted();
      await this.#requireOwn();
      if ((await health(target.name, { wait_for_status: 'green', timeout: '1s' })).status === 'green') return;
    }
    throw new TidemarkError(
      'unavailable',
      `the copies of ${target.name} were not made within half an hour: see GET _cluster/allocation/explain, and run the command again`,
    );
  }

  /** Nothing is written to the old index meanwhile, and all of both is refreshed. */
  async #requireSameCount(current: ResourcesIndex, target: ResourcesIndex): Promise<void> {
    const [expected, found] = await Promise.all([current, target].map(({ name }) => this.#count(name)));
    if (expected === found) return;
    await this.#requireOwn();
    await removeIndex(this.#cluster, target.name);
    throw new TidemarkError(
      'unavailable',
      `${target.name} has ${found} documents after all were copied, and ${current.name} has ${expected}: nothing was changed. Run the command again: it begins anew`,
    );
  }

  async #count(index: string): Promise<number> {
    const { count } = await this.#cluster.ask((client) => client.count({ index }));
    return count;
  }

  /** Moves all aliases, those of the operator, too, if no other call has taken the new index over. */
  async #switch(current: ResourcesIndex, target: ResourcesIndex): Promise<void> {
    const { aliases } = (await readResourcesIndices(this.#cluster, this.#names)).current;
    await this.#updateAliases([
      { remove: { index: target.name, alias: this.#alias, must_exist: true } },
      ...Object.entries(aliases).flatMap(([alias, settings]) => [
        { remove: { index: current.name, alias } },
        { add: { index: target.name, alias, ...settings } },
      ]),
    ]);
  }

  /** @throws TidemarkError `unavailable` when another call has taken the new index over, or removed it */
  async #requireOwn(): Promise<void> {
    const { newer } = await readResourcesIndices(this.#cluster, this.#names);
    if (newer === undefined || !(this.#alias in newer.aliases)) throw replaced();
  }

  /** By its UUID: another call may have made an index of the same name. */
  async #isSwitched({ uuid }: ResourcesIndex): Promise<boolean> {
    return (await readResourcesIndices(this.#cluster, this.#names)).current.uuid === uuid;
  }

  /**
   * Deletes the old index, when what may have been written to it just before the switch is copied, too: another call,
   * which was paused, may have removed its block.
   */
  async #finish(older: ResourcesIndex, current: ResourcesIndex): Promise<void> {
    // Blocking an index that is blocked already does not wait for the writes under way.
    await permitWrites(this.#cluster, older.name);
    await blockWrites(this.#cluster, older.name);
    const after: Stamp = current.meta.copied_to;
    await this.#copy(older.name, { to: this.#names.resources, after, step: 'switch' });
    failpoint('reshard.finished');
    await removeIndex(this.#cluster, older.name);
    const { copied_to: _, ..._meta } = current.meta;
    await this.#cluster.ask((client) => client.indices.putMapping({ index: current.name, _meta }));
  }

  async #result({ name }: ResourcesIndex, from: number, blockedMs: number): Promise<Resharded> {
    const { current } = await readResourcesIndices(this.#cluster, this.#names);
    return { from, to: current.shards, index: name, documents: await this.#count(name), blockedMs };
  }

  async #updateAliases(actions: estypes.IndicesUpdateAliasesAction[]): Promise<void> {
    await this.#cluster.ask((client) => client.indices.updateAliases({ actions }));
  }
}

function replaced(cause?: unknown): TidemarkError {
  return new TidemarkError('unavailable', 'another call of the command has replaced this one', {}, cause);
}
