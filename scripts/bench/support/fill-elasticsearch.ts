import { randomUUID } from 'node:crypto';
import { entryWeight } from '../../../src/core/entry-weight.ts';
import { encodeState, type ResourceState } from '../../../src/core/resource.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { countChange, emptyLedger } from '../../../src/core/set-ledger.ts';
import { clockStamp } from '../../../src/core/stamp.ts';
import { type StoredSet, toStoredSet } from '../../../src/core/stored-set.ts';
import { Cluster } from '../../../src/lib/elasticsearch/cluster.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { catalogId } from '../../../src/stores/document-of-set.ts';
import { bulksOf, ITEM_ERRORS, refusalIn } from '../../../src/stores/elasticsearch/bulk.ts';
import { type CommitRecord, encodeCommit, type LoggedChange } from '../../../src/stores/elasticsearch/commit-record.ts';
import { IndexNames } from '../../../src/stores/elasticsearch/index-names.ts';
import { movePointer, readPointer } from '../../../src/stores/elasticsearch/pointer.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/resource-documents.ts';
import { openStores } from '../../../src/stores/open-stores.ts';
import { shuffled } from './events.ts';

const PER_COMMIT = 5_000;
/** Commits that are sent at the same time. */
const AT_ONCE = 2;

/** Fills the set of a source by its name. */
export async function fillSet(
  { url }: { readonly url: string },
  {
    prefix,
    slug,
    count,
    log,
  }: { readonly prefix: string; readonly slug: string; readonly count: number; log(text: string): void },
): Promise<void> {
  const { index, catalog, close } = await openStores({ kind: 'elasticsearch', nodes: [url], prefix });
  const set = await new SetRegistry(catalog, index).bySlug(slug);
  // What was appended so far is applied, so that the pointer is the head of the log.
  await index.watermark();
  await close();
  await fillElasticsearch({ url, prefix }, { set, count, log });
}

/** Adds as many sets, `set-0` and so on, to the catalog of a source that has one set, by which they are modelled. */
export async function makeSets(
  { url }: { readonly url: string },
  { prefix, count }: { readonly prefix: string; readonly count: number },
): Promise<void> {
  const { index, catalog, close } = await openStores({ kind: 'elasticsearch', nodes: [url], prefix });
  const [model] = await new SetRegistry(catalog, index).list();
  await close();
  const cluster = new Cluster({ nodes: [url] });
  const names = new IndexNames(prefix);
  for (let start = 0; start < count; start += PER_COMMIT) {
    let lines = '';
    for (let number = start; number < Math.min(start + PER_COMMIT, count); number++) {
      const slug = `set-${number}`;
      const id = model!.id + 1 + number;
      const value: StoredSet = {
        ...toStoredSet(model!),
        id,
        slug,
        urlPrefix: `https://repository.example.org/${slug}/`,
      };
      const action = { create: { _index: names.catalog, _id: `set:${catalogId(id)}` } };
      const document = { kind: 'set', id: catalogId(id), body: { value } };
      lines += `${JSON.stringify(action)}\n${JSON.stringify(document)}\n`;
    }
    await cluster.bulk(lines, { refresh: true });
  }
  await cluster.close();
}

/**
 * Fills an empty set with as many resources as a log that fits would have made, in random order, by `_bulk` alone: for
 * sizes that would take too long to post.
 */
export async function fillElasticsearch(
  { url, prefix }: { readonly url: string; readonly prefix: string },
  { set, count, log }: { readonly set: ResourceSet; readonly count: number; log(text: string): void },
): Promise<void> {
  const cluster = new Cluster({ nodes: [url] });
  const names = new IndexNames(prefix);
  const underWay: Promise<unknown>[] = [];
  let last: CommitRecord | undefined;
  for await (const record of commits({ cluster, names }, set, count)) {
    if (underWay.length >= AT_ONCE) await underWay.shift();
    underWay.push(write(cluster, names, record));
    last = record;
    if (record.number % 200 === 0) log(`${record.ledgers[0]!.resources} resources`);
  }
  await Promise.all(underWay);
  await movePointer(cluster, names, { commit: last!.number, uuid: last!.uuid, stamp: last!.stamp });
  await cluster.close();
}

async function* commits(
  { cluster, names }: { readonly cluster: Cluster; readonly names: IndexNames },
  set: ResourceSet,
  count: number,
): AsyncIterable<CommitRecord> {
  const head = (await readPointer(cluster, names)) ?? { commit: 0, uuid: '', stamp: 0 };
  let { commit, uuid } = head;
  let stamp = Math.max(head.stamp, clockStamp());
  const ledger = emptyLedger();
  const numbers = shuffled(count);
  for (let start = 0; start < count; start += PER_COMMIT) {
    const closed: CommitRecord['closed'][number][] = [];
    const changes: LoggedChange[] = [];
    for (const number of numbers.subarray(start, start + PER_COMMIT)) {
      stamp += 2;
      const { key, state } = resource(number);
      const weight = entryWeight(set.urlPrefix, key, state);
      const change = { kind: 'created', stamp, weight } as const;
      const full = countChange(ledger, change, set);
      if (full !== undefined) closed.push({ ...full, set: set.id });
      const before = { stamp: 0, weight: 0, live: false };
      const window = ledger.window.number;
      const sortKey = sortKeyOf(set.id, key);
      const names = { set: set.id, key, sortKey, id: resourceId(sortKey) };
      changes.push({ ...change, ...names, state, encoded: encodeState(state), created: stamp, before, window });
    }
    const after = uuid;
    commit += 1;
    uuid = randomUUID();
    const entry = { ...ledger, window: { ...ledger.window }, set: set.id, slug: set.slug, positions: {} };
    const changesIndex = names.changesIndex(1);
    const place = { number: commit, segment: 1, uuid, after, stamp };
    yield { ...place, time: Date.now(), changesIndex, changes, closed, raised: [], ledgers: [entry] };
  }
}

async function write(cluster: Cluster, names: IndexNames, record: CommitRecord): Promise<void> {
  const log = `{"create":{"_index":"${names.logSegment(record.segment)}","_id":"${record.number}"}}\n${await encodeCommit(record)}\n`;
  for (const lines of [log, ...bulksOf(record, names)]) {
    // A later commit may have written its ledger first, which is a conflict.
    const refusal = refusalIn(await cluster.bulk(lines, { filter_path: ITEM_ERRORS }));
    if (refusal !== undefined) throw new Error(`commit ${record.number} was not taken whole: ${refusal.type}`);
  }
}

/** What an event of `events.ts` makes. */
function resource(number: number): { readonly key: string; readonly state: ResourceState } {
  const name = String(number).padStart(8, '0');
  return {
    key: `/records/${name.slice(0, 5)}/${name}.xml`,
    state: {
      lastmod: 1_760_000_000 + number,
      length: 10_000 + (number % 90_000),
      mime: 'application/xml',
      hashes: { 'sha-256': digestOf(number) },
      links: [{ rel: 'describes', href: `https://objects.example.org/${name}`, mime: 'text/html' }],
    },
  };
}

/** As long and as different as real ones, and quickly made. */
function digestOf(number: number): string {
  let digest = '';
  for (let part = 1; part <= 8; part++) {
    digest += (Math.imul(number * 8 + part, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
  }
  return digest;
}
