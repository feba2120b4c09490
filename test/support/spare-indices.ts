import { setTimeout as wait } from 'node:timers/promises';
import { askElasticsearch, removeIndices } from './elasticsearch-indices.ts';
import { atEndOfRun } from './leak-guard.ts';

const KINDS = ['catalog', 'changes', 'jobs', 'ledgers', 'log', 'resources'];
/** What has more documents than this is removed: they would slow down the next test. */
const MAX_DOCUMENTS = 500;
/** Milliseconds: longer than the clock's unit. */
const AFTER_DELETION_MS = 5;

/** Empty indices of one file of tests on one server. */
interface Spares {
  /** Prefixes of those that no test uses. */
  readonly free: string[];
  /** Prefixes of those that were emptied before. */
  readonly emptied: Set<string>;
}

/** By the number of shards, and the server. */
const spares = new Map<string, Spares>();

/**
 * The prefix of empty indices that the program has made for an earlier test of the same file; undefined if there are
 * none. To make and remove indices takes Elasticsearch half a second of the processor, to empty them a tenth of that.
 */
export function takeSpare(url: string, shards = 1): string | undefined {
  return spares.get(`${shards} ${url}`)?.free.pop();
}

/** Empties indices for the next test. What is not as the program makes it for a new store is removed. */
export async function spareIndices(url: string, prefix: string, shards = 1): Promise<void> {
  const known = spares.get(`${shards} ${url}`) ?? (await startSpares(url, shards));
  if (known === undefined || !(await empty(url, prefix, known.emptied))) return removeIndices(url, prefix);
  known.free.push(prefix);
}

/**
 * Undefined for a server that may end before the tests of the file, and for one that remembers versions of deleted
 * documents for too long: see `empty`.
 */
async function startSpares(url: string, shards: number): Promise<Spares | undefined> {
  if (url !== process.env.ELASTICSEARCH_URL) return undefined;
  const path = '_nodes/settings?flat_settings=true&filter_path=nodes.*.settings.thread_pool*';
  const { nodes = {} } = await askElasticsearch(url, 'GET', path);
  const settings = Object.values(nodes as Record<string, { readonly settings: Record<string, unknown> }>);
  if (settings[0]?.settings['thread_pool.estimated_time_interval'] !== '0') return undefined;
  const started: Spares = { free: [], emptied: new Set() };
  spares.set(`${shards} ${url}`, started);
  atEndOfRun(async () => {
    spares.delete(`${shards} ${url}`);
    if (started.free.length > 0) await removeIndices(url, ...started.free);
  });
  return started;
}

/**
 * Deletes all documents, of which there are not too many, if the indices are as made. A deleted document's version
 * rejects an older one as long as it is remembered, and the next test begins again with the first commit: so it is
 * forgotten at once.
 */
async function empty(url: string, prefix: string, emptied: Set<string>): Promise<boolean> {
  await askElasticsearch(url, 'POST', `${prefix}*/_refresh`);
  if (!(await areAsMade(url, prefix, emptied.has(prefix)))) return false;
  if (!emptied.has(prefix)) {
    const settings = `${prefix}-ledgers,${prefix}-resources/_settings`;
    await askElasticsearch(url, 'PUT', settings, { 'index.gc_deletes': '0ms' });
    emptied.add(prefix);
  }
  if (!(await deleteDocuments(url, prefix))) return false;
  await wait(AFTER_DELETION_MS);
  await askElasticsearch(url, 'POST', `${prefix}*/_refresh`);
  return true;
}

interface IndexMetadata {
  readonly state: string;
  readonly mapping_version: number;
  readonly settings_version: number;
  readonly aliases_version: number;
}

/** Whether these are the indices of a new store, and neither their mappings nor aliases nor settings were changed. */
async function areAsMade(url: string, prefix: string, wereEmptied: boolean): Promise<boolean> {
  const { metadata } = await askElasticsearch(url, 'GET', `_cluster/state/metadata/${prefix}*`);
  const { indices } = metadata as { readonly indices: Readonly<Record<string, IndexMetadata>> };
  if (Object.keys(indices).toSorted().join() !== KINDS.map((kind) => `${prefix}-${kind}-000001`).join()) return false;
  // The server sets the number of replicas after it has made an index.
  const settings = wereEmptied ? 3 : 2;
  return Object.values(indices).every(
    (index) =>
      index.state === 'open' &&
      index.mapping_version === 1 &&
      index.aliases_version === 1 &&
      index.settings_version <= settings,
  );
}

interface Found {
  readonly hits: readonly { readonly _index: string; readonly _id: string }[];
}

async function deleteDocuments(url: string, prefix: string): Promise<boolean> {
  const search = `${prefix}*/_search?_source=false&size=${MAX_DOCUMENTS + 1}`;
  const { hits } = (await askElasticsearch(url, 'GET', search)).hits as Found;
  if (hits.length > MAX_DOCUMENTS) return false;
  if (hits.length === 0) return true;
  const deletions = hits.map(({ _index, _id }) => ({ delete: { _index, _id } }));
  const { errors } = await askElasticsearch(url, 'POST', '_bulk?refresh=true', deletions);
  return errors === false;
}
