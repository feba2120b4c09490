import { onElasticsearch, SQLITE } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeFaultSources } from '../support/fault-source.ts';
import { failpointsOf, growWithDeaths } from '../support/grown-source.ts';

describe('a store that moves while clients post', function () {
  this.timeout(900_000);
  const elasticsearch = onElasticsearch(useElasticsearch());
  afterEach(closeFaultSources);

  for (const [title, from, to] of [
    ['from a file to another one', SQLITE, SQLITE],
    ['from SQLite to Elasticsearch', SQLITE, elasticsearch],
    ['from Elasticsearch to another prefix', elasticsearch, elasticsearch],
    ['from Elasticsearch to SQLite', elasticsearch, SQLITE],
  ] as const) {
    it(`keeps one history ${title}, killed at each step and called again`, () =>
      growWithDeaths(from, to, failpointsOf(from)));
  }
});
