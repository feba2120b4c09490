import { openStores } from '../../src/stores/open-stores.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { storesContract } from './stores.ts';

describe('the stores on Elasticsearch', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  storesContract(async () => {
    const { location, dispose } = elasticsearch.place('', { mayBeMade: true });
    return { open: () => openStores(location), dispose };
  });
});
