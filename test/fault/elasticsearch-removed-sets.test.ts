import assert from 'node:assert/strict';
import { upsert } from '../support/builders.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { refuse } from '../support/elasticsearch-refusal.ts';
import { closeElasticsearchSources, ElasticsearchSource } from '../support/elasticsearch-source.ts';
import { LIMITS_OF_PAGES } from '../support/fault-source.ts';

describe('a set that is removed while Elasticsearch changes no alias', () => {
  const elasticsearch = useElasticsearch();
  afterEach(closeElasticsearchSources);

  it('is removed, and hidden from the alias of all indices when that can be changed', async () => {
    const source = await ElasticsearchSource.make(elasticsearch.url, LIMITS_OF_PAGES);
    const proxy = await source.proxy();
    const { index, sets } = await source.open(proxy.url);
    const { id } = await sets.bySlug('maps');
    await index.commit([upsert(id, 'a')]);
    await index.watermark();
    const shown = async () => (await askElasticsearch(elasticsearch.url, 'GET', `${source.prefix}/_count`)).count;

    const refusing = proxy.on(({ path }) => path.startsWith('/_aliases'), refuse(503));
    await sets.remove('maps');
    await assert.rejects(sets.bySlug('maps'), { code: 'gone' });
    assert.equal(await shown(), 2);
    refusing.remove();
    await sets.add({ slug: 'texts', urlPrefix: 'http://example.org/texts/' });
    assert.equal(await shown(), 0);
  });
});
