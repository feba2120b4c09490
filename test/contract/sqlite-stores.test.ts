import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores } from '../../src/stores/open-stores.ts';
import { catalogContract } from './catalog.ts';
import { commitContract } from './commits.ts';
import { resourceIndexContract } from './resource-index.ts';
import { resourceLogContract } from './resource-log.ts';
import { resourceSearchContract } from './resource-search.ts';
import { storeGaugeContract } from './store-gauge.ts';

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  return {
    open: () => openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') }),
    dispose: () => rm(folder, { recursive: true }),
  };
}

describe('the resource index on SQLite', () => resourceIndexContract(start));
describe('the log of the resource index on SQLite', () => resourceLogContract(start));
describe('the resource index for people on SQLite', () => resourceSearchContract(start));
describe('the committer of a store on SQLite', () => commitContract(start));
describe('the catalog on SQLite', () => catalogContract(start));
describe('the gauge of the store on SQLite', () => storeGaugeContract(start));
