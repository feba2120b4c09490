import assert from 'node:assert/strict';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import { bulksOf } from '../../src/stores/elasticsearch/bulk.ts';
import { type CommitDocument, decodeCommit } from '../../src/stores/elasticsearch/commit-record.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { collect, deletion, shuffled, upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { readLog } from '../support/fault-checks.ts';
import { SLUG } from '../support/fault-source.ts';

const KEYS = 20;
const ROUNDS = 12;

/** What a process does that was paused for a day while it applied a commit. */
describe('commits that are applied once more, long after', () => {
  const elasticsearch = useElasticsearch();
  let cluster: Cluster;

  before(() => {
    cluster = new Cluster({ nodes: [elasticsearch.url] });
  });
  after(() => cluster.close());
  afterEach(closeElasticsearchSources);

  it('bring nothing back and change nothing, in any order, also when what was deleted is merged away', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, { pageEntries: 20, windowChanges: 25 });
    const app = await source.open();
    const { index, sets } = app;
    const { id } = await sets.bySlug(SLUG);
    for (let round = 0; round < ROUNDS; round++) {
      const keys = Array.from({ length: KEYS }, (_, at) => `k${at}`).filter((_, at) => (at + round) % 3 > 0);
      await index.commit(
        keys.map((key, at) => ((at + round) % 4 === 0 ? deletion(id, key) : upsert(id, key, { length: round }))),
      );
    }
    await index.commit(Array.from({ length: 5 }, (_, at) => deletion(id, `k${at}`)));
    await index.watermark();
    const names = new IndexNames(source.prefix);
    const before = await everything(source);
    assert.equal((await collect(index.read(id, { tombstones: true }))).length, KEYS);
    assert.ok((await index.lookup(id, ['/k0']))[0]?.state === undefined);
    assert.ok((await index.windows(id, 0)).length > 3);

    // Lucene forgets the versions of documents that are deleted and merged away; ours are never deleted.
    const indices = [names.resources, names.changes, names.ledgers];
    await cluster.ask((client) => client.indices.forcemerge({ index: indices, max_num_segments: 1 }));
    const log = await commits(names, (await readLog(app)).length + 10);
    assert.ok(log.length > ROUNDS);
    for (const seed of [3, 5]) {
      for (const record of shuffled(log, seed)) {
        for (const lines of shuffled([...bulksOf(record, names)], seed)) {
          await cluster.bulk(lines);
        }
      }
    }
    assert.deepEqual(await everything(source), before);
  });

  async function commits(names: IndexNames, most: number) {
    const ids = Array.from({ length: most }, (_, at) => String(at + 1));
    const { docs } = await cluster.ask((client) => client.mget<CommitDocument>({ index: names.log, ids }));
    return docs.flatMap((item) =>
      '_source' in item ? [decodeCommit({ number: Number(item._id), segment: 1 }, item._source as CommitDocument)] : [],
    );
  }

  /** Every document of states, changes and ledgers, with its version. */
  async function everything({ prefix }: ElasticsearchSource) {
    const names = new IndexNames(prefix);
    const index = [names.resources, names.changes, names.ledgers];
    await cluster.ask((client) => client.indices.refresh({ index }));
    const hits = await cluster.hits({ index, size: 10_000, version: true, sort: ['_doc'] });
    // The sort key is where Lucene has it, which a merge changes.
    return new Map(hits.map(({ sort: _, ...hit }) => [`${hit._index} ${hit._id}`, hit]));
  }
});
