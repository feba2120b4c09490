import assert from 'node:assert/strict';
import type { ChangeEvent } from '../../src/domain/change.ts';
import type { ResourceSet } from '../../src/domain/resource-set.ts';
import type { ResourceIndex } from '../../src/stores/resource-index.ts';
import { postNdjson } from '../../src/updater/ndjson-posting.ts';
import { Updater } from '../../src/updater/updater.ts';

const MEGABYTE = 1024 * 1024;

const SET: ResourceSet = {
  id: 1,
  slug: 'papers',
  epoch: 1,
  epochStart: 1,
  urlPrefix: 'https://data.example.org/papers/',
  exclude: [],
  pageEntries: 100,
  windowChanges: 100,
  publishHashes: [],
  ready: true,
};

describe('What is posted', () => {
  let commits: (readonly ChangeEvent[])[];
  let updater: Updater;

  beforeEach(() => {
    commits = [];
    const index: Pick<ResourceIndex, 'commit'> = {
      async commit(events) {
        commits.push(events);
        return events.map(() => ({ status: 'unchanged', reason: 'same-state' }));
      },
    };
    updater = new Updater(index as ResourceIndex);
  });

  const weights = () => commits.map((events) => events.reduce((sum, { weight }) => sum + weight, 0) / MEGABYTE);
  const heavy = (weight: number): ChangeEvent => ({ set: 1, key: '/a', state: {}, weight: weight * MEGABYTE });

  it('is gathered into commits that a store takes in one request', async () => {
    await Promise.all([20, 10, 10, 40, 1].map((weight) => updater.post([heavy(weight)])));
    assert.deepEqual(weights(), [30, 10, 40, 1]);
  });

  it('as a stream of large events comes in small batches', async () => {
    const links = Array.from({ length: 5_000 }, (_, number) => ({
      rel: 'describes',
      href: { type: 'url', value: `https://objects.example.org/${number}/${'x'.repeat(100)}` },
    }));
    const line = (number: number) =>
      `${JSON.stringify({ location: { type: 'rel_path', value: `${number}` }, change: 'created', ln: links })}\n`;
    const input = (async function* () {
      for (let number = 0; number < 40; number++) yield Buffer.from(line(number));
    })();
    let results = 0;
    for await (const batch of postNdjson(input, { set: SET, post: (events) => updater.post(events) })) {
      results += batch.length;
    }
    assert.equal(results, 40);
    assert.ok(Math.max(...weights()) <= 33, `commits of ${weights()} megabytes`);
  });
});
