import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../../core/errors.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from '../index-names.ts';
import { ACTIVE_WITHIN, createIndex, readMapping } from '../index-schema.ts';

/** A segment of the log that was not removed. */
interface OpenSegment {
  readonly number: number;
  /** The name of its index. */
  readonly index: string;
}

interface SegmentSize {
  readonly commits: number;
  /** On disk, of one copy. */
  readonly bytes: number;
}

/**
 * Creates a segment of the log, unless another process has created it.
 * @throws TidemarkError when the cluster refuses, when it cannot be written to, or was removed already
 */
export async function makeLogSegment(cluster: Cluster, names: IndexNames, number: number): Promise<void> {
  const segment = names.logSegment(number);
  await createIndex(cluster, names.logIndex(number), {
    ...readMapping('log'),
    aliases: { [names.log]: {}, [segment]: {} },
  });
  // The log continues there at once: its primary shard must be active.
  const request = {
    index: segment,
    wait_for_active_shards: 1,
    timeout: ACTIVE_WITHIN,
    filter_path: 'timed_out,status',
  };
  const { timed_out, status } = await cluster.ask((client) => client.cluster.health(request, { ignore: [404, 408] }));
  if (timed_out === false && status !== 'red') return;
  throw new TidemarkError('unavailable', `Elasticsearch at ${cluster.name} has no active shard for ${segment}`);
}

/** The segments that were not removed, by their numbers; the last one may not be in use yet. */
export async function openSegments(cluster: Cluster, names: IndexNames): Promise<readonly OpenSegment[]> {
  const indices = await cluster.ask((client) => client.indices.getAlias({ index: names.log }));
  const open = Object.entries(indices).map(([index, { aliases }]) => {
    const number = Math.max(...Object.keys(aliases).map((alias) => names.segmentOf(alias)));
    if (number > 0) return { number, index };
    throw new TidemarkError('incompatible', `the index ${index} of the log is no segment: it has no alias …-open`);
  });
  return open.toSorted((one, other) => one.number - other.number);
}

/**
 * What segments take on disk, by the names of their indices. Refreshes them: only refreshed documents are counted.
 * @param index an alias of segments
 */
export async function segmentSizes(cluster: Cluster, index: string): Promise<ReadonlyMap<string, SegmentSize>> {
  await cluster.ask((client) => client.indices.refresh({ index }));
  const { indices = {} } = await cluster.ask((client) =>
    client.indices.stats({
      index,
      metric: ['docs', 'store'],
      filter_path: 'indices.*.primaries.docs.count,indices.*.primaries.store.size_in_bytes',
    }),
  );
  return new Map(Object.entries(indices).map(([name, stats]) => [name, toSize(stats)]));
}

function toSize({ primaries }: estypes.IndicesStatsIndicesStats): SegmentSize {
  return { commits: primaries?.docs?.count ?? 0, bytes: primaries?.store?.size_in_bytes ?? 0 };
}

/**
 * Deletes a segment with all its commits. In the same change of the cluster, its name becomes an alias that cannot be
 * written to: so no process can ever create it again, however late.
 */
export async function removeSegment(
  cluster: Cluster,
  names: IndexNames,
  { number, index }: OpenSegment,
): Promise<void> {
  const [ledgers] = Object.keys(await cluster.ask((client) => client.indices.getAlias({ name: names.ledgers })));
  const actions = [
    { remove_index: { index } },
    { add: { index: ledgers!, alias: names.logIndex(number), is_write_index: false } },
  ];
  try {
    await cluster.ask((client) => client.indices.updateAliases({ actions }));
  } catch (error) {
    // The response to an earlier request was lost, or another process has removed it.
    if ((await openSegments(cluster, names)).some((segment) => segment.number === number)) throw error;
  }
}
