import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { makeObjects } from '../../scripts/services/s3-objects.ts';
import { keyOfPath } from '../../src/core/key.ts';
import { openRoot } from '../../src/sources/open-contents.ts';
import { type OwnS3, rootOf, startOwnS3, useKeys, useS3 } from '../support/s3.ts';

const OBJECTS = 100_000;
/** Bytes; all entries at once take more. */
const MOST_GROWTH = 10_000_000;
const LOOK_EVERY = 20_000;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('a bucket of 100,000 objects', () => {
  const keys = { accessKeyId: 'keyfortests', secretAccessKey: 'secretfortests' };
  // Skips where no server can be started.
  useS3();
  useKeys({ keys });
  let own: OwnS3;

  before(async () => {
    own = await startOwnS3({ keys });
    mkdirSync(join(own.server.buckets, 'large'));
    await makeObjects(join(own.server.buckets, 'large'), OBJECTS);
  });
  after(() => own?.dispose());

  it('is listed whole and in the order of the keys, without holding all of it', async () => {
    const root = openRoot({ root: rootOf(own.server, 'large'), exclude: [] });
    let last = '';
    let count = 0;
    let growth = 0;
    const before = heapInUse();
    for await (const batch of root.list()) {
      for (const { path } of batch) {
        const key = keyOfPath(path);
        assert.ok(last < key, `${last} comes before ${key}`);
        last = key;
      }
      count += batch.length;
      if (count % LOOK_EVERY === 0) growth = Math.max(growth, heapInUse() - before);
    }
    assert.equal(count, OBJECTS);
    assert.ok(growth < MOST_GROWTH, `the heap grew by ${growth} bytes`);
  });
});

function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
