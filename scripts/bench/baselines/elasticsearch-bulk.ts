import { readFileSync } from 'node:fs';
import { Cluster } from '../../../src/lib/elasticsearch/cluster.ts';
import { bulksOf } from '../../../src/stores/elasticsearch/bulk.ts';
import type { LoggedChange } from '../../../src/stores/elasticsearch/commit-record.ts';
import { IndexNames } from '../../../src/stores/elasticsearch/index-names.ts';
import { prepareIndices } from '../../../src/stores/elasticsearch/index-schema.ts';
import { resourceId, sortKeyOf } from '../../../src/stores/elasticsearch/resource-documents.ts';

/**
 * The same state and change documents, made beforehand, by `_bulk` and nothing else: no log, no decisions, no client
 * that posts. Prints `{seconds}`.
 */
const { url, prefix, events, batch, atOnce } = JSON.parse(process.argv[2]!) as {
  url: string;
  prefix: string;
  events: string;
  batch: number;
  atOnce: number;
};

const cluster = new Cluster({ nodes: [url] });
const names = new IndexNames(prefix);
await prepareIndices(cluster, names);

const bodies: Buffer[] = [];
const lines = readFileSync(events, 'utf8').trimEnd().split('\n');
for (let start = 0; start < lines.length; start += batch) {
  const changes = lines.slice(start, start + batch).map((line, at) => changeOf(line, start + at));
  const window = { number: 1, firstStamp: 0, changes: 0, weight: 0 };
  const ledger = { set: 1, slug: 'records', window, resources: 0, changes: 0, lastChange: 0, positions: {} };
  const place = { number: 1, segment: 1, uuid: '', after: '', stamp: 0 };
  const record = { ...place, time: Date.now(), changesIndex: names.changesIndex(1) };
  bodies.push(
    Buffer.concat([...bulksOf({ ...record, changes, raised: [], ledgers: [ledger], closed: [] }, names)].slice(0, -1)),
  );
}

const begin = performance.now();
const next = bodies.values();
await Promise.all(Array.from({ length: atOnce }, sendOneByOne));
// So that they can be searched, as ours can be when the clock stops.
await cluster.ask((client) => client.indices.refresh({ index: `${prefix}*` }));
const seconds = (performance.now() - begin) / 1000;
await cluster.close();
console.log(JSON.stringify({ seconds }));

async function sendOneByOne(): Promise<void> {
  for (const lines of next) {
    const { errors } = await cluster.bulk(lines, { filter_path: 'errors' });
    if (errors) throw new Error('a document was not taken');
  }
}

function changeOf(line: string, number: number): LoggedChange {
  const { location, length, hash, mime, lastmod, ln } = JSON.parse(line);
  const stamp = 1_700_000_000_000_000 + number * 2;
  const state = {
    lastmod: Date.parse(lastmod.slice(0, 19).concat('Z')) / 1000,
    length,
    mime,
    hashes: { 'sha-256': hash.slice('sha-256:'.length) },
    links: [{ rel: ln[0].rel, href: ln[0].href.value, mime: ln[0].mime }],
  };
  const before = { stamp: 0, weight: 0, live: false };
  const key = `/${location.value}`;
  const order = sortKeyOf(1, key);
  return {
    set: 1,
    key,
    sortKey: order,
    id: resourceId(order),
    kind: 'created',
    stamp,
    created: stamp,
    window: 1,
    weight: 600,
    before,
    state,
    encoded: undefined,
  };
}
