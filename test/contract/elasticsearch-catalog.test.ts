import assert from 'node:assert/strict';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores, type Stores } from '../../src/stores/open-stores.ts';
import { onElasticsearch, type StorePlace } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { type Asked, cutAnswer, FaultProxy } from '../support/fault-proxy.ts';

const writesDocument = ({ method, path }: Asked) => method === 'PUT' && /-catalog\/_(create|doc)\//.test(path);

describe('the catalog on Elasticsearch', () => {
  const server = useElasticsearch();
  const elasticsearch = onElasticsearch(server);
  let place: StorePlace;
  let proxy: FaultProxy;
  let stores: Stores;
  let other: Stores;

  beforeEach(async () => {
    place = elasticsearch.place('');
    const location = place.location as ElasticsearchLocation;
    proxy = await FaultProxy.start(server.url);
    other = await openStores(location);
    stores = await openStores({ ...location, nodes: [proxy.url] });
  });
  afterEach(async () => {
    await stores.close();
    await other.close();
    await proxy.close();
    await place.dispose();
  });

  function loseOneAnswer(): { readonly met: number } {
    const rule = proxy.on(writesDocument, (execute, asked) => {
      rule.remove();
      return cutAnswer(execute, asked);
    });
    return rule;
  }

  it('has created the document, and replaces it, without a conflict, when the response was lost', async () => {
    const first = loseOneAnswer();
    const version = await stores.catalog.put('token', 'a', { secret: 1 }, undefined);
    const second = loseOneAnswer();
    const next = await stores.catalog.put('token', 'a', { secret: 2 }, version);
    assert.deepEqual([first.met, second.met], [1, 1]);
    assert.deepEqual(await other.catalog.get('token', 'a'), { id: 'a', version: next, body: { secret: 2 } });
  });

  it('puts it again when it finds its own document after the response was lost: only a response shows that all copies have it', async () => {
    const writes = () => proxy.asked.filter(writesDocument).length;
    loseOneAnswer();
    await stores.catalog.put('token', 'a', { secret: 1 }, undefined);
    // It was written, its repetition was a conflict, and it was written over itself.
    assert.equal(writes(), 3);
  });

  it('still reports a conflict with an equal document of another process when the response was lost', async () => {
    const rule = proxy.on(writesDocument, async (execute) => {
      rule.remove();
      await other.catalog.put('token', 'a', { secret: 1 }, undefined);
      return execute();
    });
    await assert.rejects(stores.catalog.put('token', 'a', { secret: 1 }, undefined), { code: 'conflict' });
    assert.equal(rule.met, 1);
  });

  it('reads the heads of kinds that are requested at the same time with one request', async () => {
    const token = await other.catalog.put('token', 'a', { secret: 1 }, undefined);
    const source = await other.catalog.put('source', 'a', {}, undefined);
    // What the store reads when it is opened has ended then.
    await stores.catalog.head('set');
    const searches = proxy.on(
      ({ path }) => path.includes('search'),
      (execute) => execute(),
    );
    const kinds = ['source', 'token', 'dataset'] as const;
    assert.deepEqual(await Promise.all(kinds.map((kind) => stores.catalog.head(kind))), [source, token, 0]);
    assert.equal(searches.met, 1);
  });
});
