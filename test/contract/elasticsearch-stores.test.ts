import { openElasticsearch } from '../../src/stores/elasticsearch/open-elasticsearch.ts';
import { JobQueue } from '../../src/stores/job-queue.ts';
import type { ElasticsearchLocation } from '../../src/stores/locations.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { onElasticsearch } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { SHORT } from '../support/log-segments.ts';
import { resourceLogContract } from './resource-log.ts';
import { storesContract } from './stores.ts';

describe('the stores on Elasticsearch', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());

  storesContract(async () => {
    const { location, dispose } = elasticsearch.place('', { mayBeMade: true });
    return { open: () => openStores(location), dispose };
  });

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
});
