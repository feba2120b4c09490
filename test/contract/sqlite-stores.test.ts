import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStores } from '../../src/stores/open-stores.ts';
import { commitContract } from './commits.ts';
import { storesContract } from './stores.ts';

async function start() {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  return {
    open: () => openStores({ kind: 'sqlite', file: join(folder, 'tidemark.db') }),
    dispose: () => rm(folder, { recursive: true }),
  };
}

describe('the stores on SQLite', () => {
  storesContract(start);
  describe('the committer', () => commitContract(start));
});
