import type { estypes } from '@elastic/elasticsearch';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import type { Stamp } from '../../../core/stamp.ts';
import { prefetch } from '../../../lib/calls/prefetch.ts';
import { retry } from '../../../lib/calls/retry.ts';
import { BatchSize } from '../../../lib/elasticsearch/batch-size.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { ITEM_ERRORS, refusalIn } from '../bulk.ts';

/** Documents of one request: a megabyte. */
const PER_REQUEST = 2_000;
/** How long Elasticsearch keeps the snapshot of the index between two requests. */
const KEEP_ALIVE = '5m';
/** Concurrent readers, each of its share of the documents: Elasticsearch uses a core for each. */
const READERS = 2;
const BACKOFF = { firstMs: 100, longestMs: 5_000 };
const MOST_FAILURES = 10;

interface Copy {
  readonly from: string;
  /** An alias: writing to one that was removed fails, and creates no index of that name. */
  readonly to: string;
  /** Copies only what was written by commits with later stamps. */
  readonly after: Stamp;
}

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
}

type Hit = estypes.SearchHit<object>;

/**
 * Copies documents of resources with their versions, so that newer documents in the other index stay. Copies what
 * searches find: the index must have been refreshed. Returns the number of documents that it read.
 * @throws TidemarkError `unavailable`
 */
export async function copyResources(cluster: Cluster, copy: Copy, options: CopyOptions = {}): Promise<number> {
  const { signal, onProgress } = options;
  const { id } = await cluster.ask((client) => client.openPointInTime({ index: copy.from, keep_alive: KEEP_ALIVE }));
  const totals = Array<number>(READERS).fill(0);
  let done = 0;
  const copyShare = async (share: number) => {
    const pages = prefetch(pagesOf(cluster, { pit: id, share, after: copy.after }));
    for await (const { hits, total } of pages) {
      signal?.throwIfAborted();
      await write(cluster, copy.to, hits);
      totals[share] = total;
      done += hits.length;
      onProgress?.(done, Math.max(done, sum(totals)));
    }
  };
  try {
    await Promise.all(totals.map((_, share) => copyShare(share)));
  } finally {
    // The snapshot also expires without this.
    await cluster.ask((client) => client.closePointInTime({ id }, { ignore: [404] })).catch(() => {});
  }
  return done;
}

interface Share {
  readonly pit: string;
  readonly share: number;
  readonly after: Stamp;
}

/** Returns a function that reads the next page of a share; undefined after the last one. */
function pagesOf(cluster: Cluster, { pit, share, after }: Share) {
  const batches = new BatchSize(PER_REQUEST);
  let last: estypes.SortResults | undefined;
  let total = 0;
  let isEnd = false;
  return async (): Promise<{ readonly hits: readonly Hit[]; readonly total: number } | undefined> => {
    if (isEnd) return undefined;
    const { found, isFull } = await batches.ask(async (size) => {
      const request: estypes.SearchRequest = {
        allow_partial_search_results: false,
        pit: { id: pit, keep_alive: KEEP_ALIVE },
        slice: { id: String(share), max: READERS },
        query: after === 0 ? { match_all: {} } : laterThan(after),
        sort: ['_shard_doc'],
        size,
        version: true,
        track_total_hits: last === undefined,
        ...(last !== undefined && { search_after: last }),
      };
      const { hits } = await cluster.ask((client) => client.search<object>(request, cluster.limitOf(size)));
      if (typeof hits.total === 'object') total = hits.total.value;
      return hits.hits;
    });
    last = found.at(-1)?.sort;
    isEnd = !isFull;
    return found.length === 0 ? undefined : { hits: found, total };
  };
}

function laterThan(stamp: Stamp): estypes.QueryDslQueryContainer {
  return { bool: { should: [{ range: { stamp: { gt: stamp } } }, { range: { raised: { gt: stamp } } }] } };
}

async function write(cluster: Cluster, alias: string, hits: readonly Hit[]): Promise<void> {
  let lines = '';
  for (const { _id, _version: version, _source } of hits) {
    lines += `{"index":{"_id":"${_id}","version":${version},"version_type":"external"}}\n${JSON.stringify(_source)}\n`;
  }
  const isTemporary = (error: unknown, failures: number) =>
    isTidemarkError(error, 'unavailable') && error.details.status !== 404 && failures < MOST_FAILURES;
  await retry(() => writeOnce(cluster, alias, lines), { ...BACKOFF, isTemporary });
}

async function writeOnce(cluster: Cluster, alias: string, lines: string): Promise<void> {
  const options = { index: alias, require_alias: true, filter_path: ITEM_ERRORS };
  const refusal = refusalIn(await cluster.bulk(lines, options));
  if (refusal === undefined) return;
  const { status, type, reason } = refusal;
  const message =
    status === 404
      ? 'another call of the command has replaced this one'
      : `Elasticsearch at ${cluster.name} did not take a copied document: ${type} (${reason})`;
  throw new TidemarkError('unavailable', message, { status });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
