import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { BackendSession, DatasetBackend } from '../../../src/datasets/archiving.ts';
import { storeFiles } from '../../../src/datasets/strategies/store-files.ts';
import { archivingJob } from '../../support/archiving-jobs.ts';

const FILES = Array.from({ length: 30 }, (_, at) => ({ path: `${at}`, size: 0, hashes: [] }));
const HASHES = { md5: '', 'sha-1': '', 'sha-256': '' };

describe('storeFiles', () => {
  it('fetches at most 12 files at a time in a process, besides one of each dataset', async () => {
    const waiting: (() => void)[] = [];
    const copies = new Map(FILES.map((_, at) => [at + 1, { number: at + 1, size: 0, hashes: HASHES }]));
    const session: BackendSession = {
      existing: async () => undefined,
      async store(_, number) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return copies.get(number)!;
      },
      async discard() {},
      finish: async () => copies,
      async abandon() {},
    };
    const backend: DatasetBackend = { kind: 'archiveorg', open: async () => session };
    for (let round = 0; round < 2; round++) {
      let left = 5;
      const most: number[] = [];
      const datasets = Array.from({ length: left }, async () => {
        const { status } = await storeFiles(backend, archivingJob(FILES), 4);
        left -= 1;
        return status;
      });
      while (left > 0) {
        await setImmediate();
        most.push(waiting.length);
        for (const resolve of waiting.splice(0)) resolve();
      }
      assert.deepEqual(await Promise.all(datasets), Array(5).fill('success'));
      assert.equal(Math.max(...most), 12 + 5);
    }
  });
});
