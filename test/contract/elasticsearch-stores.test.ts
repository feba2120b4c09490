import { openStores } from '../../src/stores/open-stores.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { catalogContract } from './catalog.ts';
import { resourceIndexContract } from './resource-index.ts';
import { resourceLogContract } from './resource-log.ts';
import { resourceSearchContract } from './resource-search.ts';
import { storeGaugeContract } from './store-gauge.ts';

describe('the stores on Elasticsearch', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  async function start() {
    const { location, dispose } = elasticsearch.place('');
    return { open: () => openStores(location), dispose };
  }

  describe('the resource index', () => resourceIndexContract(start));
  describe('the log of the resource index', () => resourceLogContract(start));
  describe('the resource index for people', () => resourceSearchContract(start));
  describe('the catalog', () => catalogContract(start));
  describe('the gauge of the store', () => storeGaugeContract(start));
});
