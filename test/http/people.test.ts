import assert from 'node:assert/strict';
import { postingsSchema } from '../../src/api/posting-view.ts';
import { activitySchema, latestChangesSchema, resourcesSchema } from '../../src/api/resource-view.ts';
import { ask, askJson, NDJSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describeOnEachStore('What the API offers to people', (store, itOnce) => {
  let started: StartedApp;
  let sets = 0;
  let set: string;
  before(async () => {
    started = await startApp(store);
  });
  // One source for all tests, and a set for each.
  beforeEach(async () => {
    sets += 1;
    const { slug } = await started.app.sets.add({
      slug: `papers-${sets}`,
      urlPrefix: 'https://data.example.org/papers/',
    });
    set = `${started.url}/api/sets/${slug}`;
  });
  after(closeApps);

  const event = (value: string, change = 'created', fields: object = {}) => ({
    location: { value, type: 'rel_path' },
    change,
    ...fields,
  });

  async function post(...changes: unknown[]): Promise<void> {
    assert.equal((await askJson(`${set}/changes`, { changes })).status, 200);
  }

  async function get(path: string): Promise<unknown> {
    const { status, body } = await askJson(`${set}${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  it('finds resources by a part of their path, some at a time', async () => {
    await post(...['Mäp 1', 'Mäp 2', 'x/mäp 3', 'other'].map((name) => event(name)));
    const seen: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const query = new URLSearchParams({ contains: 'mäp', limit: '2', after });
      const { resources, next } = resourcesSchema.parse(await get(`/resources?${query}`));
      seen.push(...resources.map(({ key }) => key));
      after = next;
    }
    assert.deepEqual(seen, ['/M%C3%A4p%201', '/M%C3%A4p%202', '/x/m%C3%A4p%203']);
    const long = await askJson(`${set}/resources?contains=${'a'.repeat(121)}`);
    assert.deepEqual([long.status, long.body.error.field], [400, 'contains']);
  });

  it('lists the changes newest first, some at a time', async () => {
    await post(event('a'), event('b'), event('a', 'deleted'), event('c'));
    const seen: string[] = [];
    for (let until: string | undefined = ''; until !== undefined; ) {
      const query = new URLSearchParams({ limit: '3', ...(until !== '' && { until }) });
      const { changes, next } = latestChangesSchema.parse(await get(`/changes/latest?${query}`));
      seen.push(...changes.map(({ change, key }) => `${change} ${key}`));
      until = next;
    }
    assert.deepEqual(seen, ['created /c', 'deleted /a', 'created /b', 'created /a']);
  });

  itOnce('lists the history of one resource, also of one that was deleted', async () => {
    await post(event('a'), event('b'), event('a', 'updated', { length: 2 }), event('a', 'deleted'));
    const uri = encodeURIComponent('https://data.example.org/papers/a');
    const first = latestChangesSchema.parse(await get(`/resource/history?uri=${uri}&limit=2`));
    const rest = latestChangesSchema.parse(await get(`/resource/history?key=/a&until=${first.next}`));
    assert.deepEqual(
      [...first.changes, ...rest.changes].map(({ change, length }) => [change, length]),
      [
        ['deleted', undefined],
        ['updated', 2],
        ['created', undefined],
      ],
    );
    assert.equal(rest.next, undefined);
    assert.equal((await askJson(`${set}/resource/history`)).status, 400);
  });

  it('counts the changes of each hour and day', async () => {
    await post(event('a'), event('b'), event('b', 'updated', { length: 1 }), event('a', 'deleted'));
    for (const [query, buckets] of [
      ['', 30],
      ['?unit=hour', 48],
    ] as const) {
      const { counts } = activitySchema.parse(await get(`/activity${query}`));
      assert.equal(counts.length, buckets);
      const sum = (kind: 'created' | 'updated' | 'deleted') => counts.reduce((total, count) => total + count[kind], 0);
      assert.deepEqual([sum('created'), sum('updated'), sum('deleted')], [2, 1, 1]);
    }
    const { counts } = activitySchema.parse(
      await get('/activity?from=2026-01-01T10:00:00Z&until=2026-01-02T00:00:00Z'),
    );
    assert.deepEqual(
      counts.map(({ start }) => start),
      ['2026-01-01T00:00:00.000000Z', '2026-01-02T00:00:00.000000Z'],
    );
    const first = activitySchema.parse(await get('/activity?until=1970-01-05T00:00:00Z'));
    assert.equal(first.counts.length, 5, 'there is no day before 1970');
    for (const wrong of [
      'unit=hour&from=2020-01-01T00:00:00Z',
      'from=2026-01-02T00:00:00Z&until=2026-01-01T00:00:00Z',
      'unit=week',
    ]) {
      assert.equal((await askJson(`${set}/activity?${wrong}`)).status, 400, wrong);
    }
  });

  it('lists who posted what, and what was rejected and why', async () => {
    await post(event('a'), { location: { value: 'b', type: 'rel_path' }, change: 'moved' }, event('../c'));
    const lines = `${JSON.stringify(event('a'))}\n{"location":\n${JSON.stringify({ ...event('d'), size: 1 })}\n`;
    await ask(`${set}/changes`, { method: 'POST', headers: NDJSON_BODY, body: lines });
    await askJson(`${set}/changes`, { changed: [] });
    const { postings } = postingsSchema.parse(await get('/postings'));
    const [{ sender, postings: count, applied, unchanged, rejected, rejections, problem }] = postings as [
      (typeof postings)[0],
    ];
    assert.deepEqual([sender, count], [{ kind: 'local' }, 3]);
    assert.deepEqual([applied, unchanged, rejected], [1, 1, 4]);
    assert.deepEqual(
      rejections.map(({ number, location, code, field }) => [number, location, code, field]),
      [
        [2, 'b', 'unknown-change', 'change'],
        [3, '../c', 'outside-root', 'location.value'],
        [2, undefined, 'not-json', undefined],
        [3, 'd', 'unknown-field', 'size'],
      ],
    );
    assert.match(problem!, /array "changes"/);
  });

  itOnce('names every source of a posting', async () => {
    const of = (source: string, value: string) => ({ ...event(value), source, position: 1 });
    await post(of('harvester', 'a'), of('editor', 'b'), of('harvester', 'c'));
    const { postings } = postingsSchema.parse(await get('/postings'));
    assert.equal(postings[0]!.source, 'harvester, editor');
  });

  itOnce('lets only those who may post know who posted', async () => {
    const proxied = { 'X-Forwarded-For': '192.0.2.1' };
    assert.equal((await ask(`${set}/changes/latest`, { headers: proxied })).status, 200);
    assert.equal((await ask(`${set}/postings`, { headers: proxied })).status, 403);
  });
});
