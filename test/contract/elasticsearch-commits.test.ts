import assert from 'node:assert/strict';
import type { ElasticsearchLocation } from '../../src/config/configuration.ts';
import { SetRegistry } from '../../src/sets/set-registry.ts';
import { decodeCommit } from '../../src/stores/elasticsearch/commit-record.ts';
import { IndexNames } from '../../src/stores/elasticsearch/index-names.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { deletion, URL_PREFIX, upsert } from '../support/builders.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { commitContract } from './commits.ts';

describe('the committer on Elasticsearch', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  commitContract(async () => {
    const { location, dispose } = elasticsearch.place('');
    return { open: () => openStores(location), dispose };
  });

  it('records with each change what it replaced: stamp, weight, and whether that was live', async () => {
    const { location, dispose } = elasticsearch.place('');
    const { nodes, prefix } = location as ElasticsearchLocation;
    const { index, catalog, close } = await openStores(location);
    try {
      const sets = new SetRegistry(catalog, index);
      await sets.useBaseUrl('http://localhost:8080', false);
      const { id } = await sets.add({ slug: 'maps', urlPrefix: URL_PREFIX });
      const events = [upsert(id, 'a'), upsert(id, 'a', { length: 2 }), deletion(id, 'a'), upsert(id, 'a')];
      const stamps: number[] = [];
      for (const [at, event] of events.entries()) {
        const [result] = await index.commit([{ ...event, weight: 501 + at }]);
        assert.equal(result?.status, 'applied');
        stamps.push(result.stamp);
      }
      const { log } = new IndexNames(prefix);
      const path = `${log}/_search?size=100`;
      await askElasticsearch(nodes[0]!, 'POST', `${log}/_refresh`);
      const { hits } = (await askElasticsearch(nodes[0]!, 'GET', path)) as { hits: { hits: Hit[] } };
      const commits = hits.hits.filter(({ _id }) => /^\d+$/.test(_id));
      const changes = commits
        .flatMap(({ _id, _source }) => decodeCommit(Number(_id), _source).changes)
        .sort((one, other) => one.stamp - other.stamp);
      assert.deepEqual(
        changes.map(({ was }) => was),
        [
          { stamp: 0, weight: 0, live: false },
          { stamp: stamps[0], weight: 501, live: true },
          { stamp: stamps[1], weight: 502, live: true },
          { stamp: stamps[2], weight: 503, live: false },
        ],
      );
    } finally {
      await close();
      await dispose();
    }
  });
});

interface Hit {
  readonly _id: string;
  readonly _source: Parameters<typeof decodeCommit>[1];
}
