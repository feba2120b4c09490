import { openStores } from '../../src/stores/open-stores.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { commitContract } from './commits.ts';

describe('the committer on Elasticsearch', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  commitContract(async () => {
    const { location, dispose } = elasticsearch.place('');
    return { open: () => openStores(location), dispose };
  });
});
