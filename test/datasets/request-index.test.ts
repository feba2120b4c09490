import assert from 'node:assert/strict';
import type { RequestDocument } from '../../src/datasets/request.ts';
import { RequestIndex } from '../../src/datasets/results/request-index.ts';
import { REQUEST_KIND } from '../../src/datasets/results/requests.ts';
import type { Catalog } from '../../src/stores/catalog.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';

describe('the index of requests', () => {
  let catalog: Catalog;
  /** The documents of each list. */
  let lists: number[];
  let index: RequestIndex;
  beforeEach(async () => {
    ({ catalog } = (await startApp(SQLITE)).app);
    lists = [];
    index = new RequestIndex({
      head: (kind) => catalog.head(kind),
      async list<Body>(...asked: Parameters<Catalog['list']>) {
        const documents = await catalog.list<Body>(...asked);
        lists.push(documents.length);
        return documents;
      },
    });
  });
  afterEach(closeApps);

  const put = async (id: string, requested: number, state: RequestDocument['state'] = 'waiting') => {
    const request = { ingest_type: 'dataset', base_url: `https://x.example/${id}` } as const;
    const body: RequestDocument = {
      request,
      options: {},
      set: 'datasets',
      requested,
      token: `${id}${requested}`,
      state,
    };
    await catalog.put(REQUEST_KIND, id, body, (await catalog.get(REQUEST_KIND, id))?.version);
  };
  const find = async (limit: number, after?: string) => {
    const { ids, next } = await index.find({ limit, after });
    return [ids.join(' '), next];
  };

  it('has each request once, the newest first, also one that was requested again', async () => {
    await put('b', 9);
    await put('a', 10);
    await put('c', 10);
    assert.deepEqual(await find(2), ['c a', '10~a']);
    assert.deepEqual(await find(2, '10~a'), ['b', undefined]);
    await put('c', 10, 'ended');
    assert.deepEqual(await find(9), ['c a b', undefined]);
    for (let times = 0; times < 4; times++) await put('b', 11 + times);
    assert.deepEqual(await find(9), ['b c a', undefined]);
    assert.deepEqual((await index.find({ limit: 9, state: 'ended' })).ids, ['c']);
  });

  it('returns requests that wait or run, some at a time, over and over', async () => {
    for (const [at, id] of ['a', 'b', 'c', 'd'].entries()) await put(id, at, id === 'b' ? 'ended' : 'running');
    const open = async () => {
      const { requests, isRound } = await index.open(2);
      return [requests.map(({ id }) => id).join(' '), isRound];
    };
    assert.deepEqual(
      [await open(), await open(), await open()],
      [
        ['a c', false],
        ['d', true],
        ['a c', false],
      ],
    );
    await put('d', 3, 'ended');
    assert.deepEqual(await open(), ['', true]);
  });

  it('reads 1,000 documents at a time, since there may be a million', async () => {
    await Promise.all(Array.from({ length: 1_001 }, (_, at) => put(`${at}`, at)));
    assert.equal((await index.find({ limit: 2_000 })).ids.length, 1_001);
    assert.deepEqual(lists, [1_000, 1]);
  });
});
