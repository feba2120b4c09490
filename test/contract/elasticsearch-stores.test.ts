import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import { JobQueue } from '../../src/stores/job-queue.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { SHORT } from '../support/log-segments.ts';
import { catalogContract } from './catalog.ts';
import { changeLogContract } from './change-log.ts';
import { jobQueueContract } from './job-queue.ts';
import { resourceLogContract } from './resource-log.ts';
import { resourceStatesContract } from './resource-states.ts';
import { setStatisticsContract } from './set-statistics.ts';
import { storeFenceContract } from './store-fence.ts';
import { storeGaugeContract } from './store-gauge.ts';

describe('the stores on Elasticsearch', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  async function start() {
    const { location, dispose } = elasticsearch.place('', { mayBeMade: true });
    return { open: () => openStores(location), dispose };
  }

  describe('the change log', () => changeLogContract(start));
  describe('the states of resources', () => resourceStatesContract(start));
  describe('the statistics of sets', () => setStatisticsContract(start));
  describe('the log and its maintenance', () => resourceLogContract(start));
  describe('the log and its maintenance, with short segments of the log', () => {
    resourceLogContract(async () => {
      const { location, dispose } = elasticsearch.place('', { mayBeMade: true });
      const open = async () => {
        const options = { segmentLimits: SHORT };
        const { jobs, ...stores } = await openElasticsearch(location as ElasticsearchLocation, options);
        return { ...stores, jobs: new JobQueue(jobs) };
      };
      return { open, dispose };
    });
  });
  describe('the catalog', () => catalogContract(start));
  describe('the gauge of the store', () => storeGaugeContract(start));
  describe('the queue of jobs', () => jobQueueContract(start));
  describe('the fence of a store', () => storeFenceContract(start));
});
