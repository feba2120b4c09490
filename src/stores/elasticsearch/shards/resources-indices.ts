import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../../core/errors.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from '../index-names.ts';

/** An index of resources. */
export interface ResourcesIndex {
  readonly name: string;
  readonly uuid: string | undefined;
  readonly number: number;
  readonly shards: number;
  readonly isBlocked: boolean;
  readonly aliases: Readonly<Record<string, estypes.IndicesAlias>>;
  readonly meta: estypes.Metadata;
}

/** The index of the alias, and those that a `reshard` that was interrupted has left beside it. */
interface ResourcesIndices {
  readonly current: ResourcesIndex;
  /** The one before, after the aliases have moved. */
  readonly older: ResourcesIndex | undefined;
  /** The one that is being filled. */
  readonly newer: ResourcesIndex | undefined;
}

/** The beginning of the aliases by which an index is filled; the name of a run follows. */
export function buildingAlias({ resources }: IndexNames, run: string): string {
  return `${resources}-building-${run}`;
}

/** @throws TidemarkError `incompatible` when another index has a name that is needed */
export async function readResourcesIndices(cluster: Cluster, names: IndexNames): Promise<ResourcesIndices> {
  const found = await cluster.ask((client) =>
    client.indices.get({
      index: `${names.resources}-*`,
      features: ['aliases', 'mappings', 'settings'],
      filter_path:
        '*.aliases,*.mappings._meta,*.settings.index.number_of_shards,*.settings.index.blocks.write,*.settings.index.uuid',
    }),
  );
  const all = Object.entries(found).flatMap(([name, state]) => toIndex(names, name, state));
  const current = all.find(({ aliases }) => names.resources in aliases);
  if (current === undefined) {
    throw new TidemarkError('incompatible', `the alias ${names.resources} points to no index: restore a snapshot`);
  }
  const at = (number: number) => all.find((index) => index.number === number);
  const older = current.meta.copied_to === undefined ? undefined : at(current.number - 1);
  const newer = at(current.number + 1);
  if (newer === undefined || Object.keys(newer.aliases).some((alias) => alias.startsWith(buildingAlias(names, '')))) {
    return { current, older, newer };
  }
  throw new TidemarkError(
    'incompatible',
    `there is an index ${newer.name}, which this program does not fill, and whose name it needs: remove it`,
  );
}

function toIndex(names: IndexNames, name: string, state: estypes.IndicesIndexState): readonly ResourcesIndex[] {
  const digits = name.slice(names.resources.length + 1);
  if (!/^\d{6}$/.test(digits)) return [];
  const { aliases = {}, settings, mappings } = state;
  const { uuid, number_of_shards: shards, blocks } = settings?.index ?? {};
  const isBlocked = String(blocks?.write) === 'true';
  const meta = mappings?._meta ?? {};
  return [{ name, uuid, number: Number(digits), shards: Number(shards), isBlocked, aliases, meta }];
}

/**
 * Resolves when no write to the index is under way, and others are refused.
 * @throws TidemarkError `unavailable`, also when the index is blocked already
 */
export async function blockWrites(cluster: Cluster, index: string): Promise<void> {
  const { acknowledged, shards_acknowledged } = await cluster.ask((client) =>
    client.indices.addBlock({ index, block: 'write' }),
  );
  if (acknowledged && shards_acknowledged) return;
  throw new TidemarkError(
    'unavailable',
    `Elasticsearch at ${cluster.name} did not block writes to ${index} in time, or they were blocked already: run the command again`,
  );
}

export async function permitWrites(cluster: Cluster, index: string): Promise<void> {
  await cluster.ask((client) =>
    client.indices.putSettings({ index, settings: { index: { blocks: { write: false } } } }),
  );
}

/** Deletes an index, if it exists. */
export async function removeIndex(cluster: Cluster, index: string): Promise<void> {
  await cluster.ask((client) => client.indices.delete({ index }, { ignore: [404] }));
}
