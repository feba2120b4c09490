import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores } from '../../src/stores/open-stores.ts';
import { catalogContract } from './catalog.ts';
import { changeLogContract } from './change-log.ts';
import { commitContract } from './commits.ts';
import { jobQueueContract } from './job-queue.ts';
import { resourceLogContract } from './resource-log.ts';
import { resourceStatesContract } from './resource-states.ts';
import { setStatisticsContract } from './set-statistics.ts';
import { storeFenceContract } from './store-fence.ts';
import { storeGaugeContract } from './store-gauge.ts';

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  return {
    open: () => openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') }),
    dispose: () => rm(folder, { recursive: true }),
  };
}

describe('the change log on SQLite', () => changeLogContract(start));
describe('the states of resources on SQLite', () => resourceStatesContract(start));
describe('the statistics of sets on SQLite', () => setStatisticsContract(start));
describe('the log and its maintenance on SQLite', () => resourceLogContract(start));
describe('the committer of a store on SQLite', () => commitContract(start));
describe('the catalog on SQLite', () => catalogContract(start));
describe('the gauge of the store on SQLite', () => storeGaugeContract(start));
describe('the queue of jobs on SQLite', () => jobQueueContract(start));
describe('the fence of a store on SQLite', () => storeFenceContract(start));
