import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { formatStamp } from '../../src/core/stamp.ts';
import { parseDatetime } from '../../src/core/w3c-datetime.ts';
import { shuffled } from '../support/builders.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { get, post } from './http.ts';
import { changesOf, headOf, locsOf, partsOf, type ReadChange } from './lists.ts';

const PREFIX = 'https://elsewhere.example/records/';
const WINDOW = 50;
const NAMES = Array.from({ length: 40 }, (_, number) => `${number}.xml`);

/** Every resource in a state that it has not been in before, and some deleted. */
function round(number: number) {
  return shuffled(NAMES, number + 1).map((value, at) => ({
    change: number > 0 && at % 7 === 0 ? 'deleted' : 'updated',
    location: { type: 'rel_path', value },
    ...(!(number > 0 && at % 7 === 0) && { length: number }),
  }));
}

describeOnEachStore('change lists', (store, itOnce) => {
  let source: StartedApp;
  let sets = 0;
  let home: string;

  before(async () => {
    source = await startApp(store);
  });

  // One source for all tests, and a set for each.
  beforeEach(async () => {
    sets += 1;
    const { slug } = await source.app.sets.add({ slug: `records-${sets}`, urlPrefix: PREFIX, windowChanges: WINDOW });
    home = `${source.url}/sets/${slug}/`;
  });

  after(closeApps);

  const listed = async () => (await partsOf(`${home}changelist.xml`)).flatMap(changesOf);
  const windowsNow = async () => {
    const uris = locsOf((await get(`${home}changelist.xml`)).text);
    return Promise.all(uris.map(async (uri) => ({ uri, ...(await get(uri)) })));
  };
  const between = (query: Readonly<Record<string, string>>) =>
    get(`${home}changelist.xml?${new URLSearchParams(query)}`);

  it('contain every change in the order of its time, also several of one resource', async () => {
    const applied: { uri: string; change: string; datetime: string }[] = [];
    for (let number = 0; number < 10; number++) applied.push(...(await postForResults(home, round(number))));

    const changes = await listed();
    assert.deepEqual(
      changes.map(({ uri, change, datetime }) => ({ uri, change, datetime })),
      applied,
    );
    for (const [at, { datetime }] of changes.entries()) assert.ok(at === 0 || datetime > changes[at - 1]!.datetime);
    assert.ok(changes.filter(({ uri }) => uri === `${PREFIX}7.xml`).length >= 9);
  });

  it('tile: each window begins where the one before ends, and only the last is open', async () => {
    for (let number = 0; number < 5; number++) await post(home, round(number));

    const windows = (await windowsNow()).map(({ text }) => ({ head: headOf(text), changes: changesOf(text) }));
    assert.ok(windows.length >= 4);
    assert.equal(windows[0]?.head('from'), headOf((await get(`${home}changelist.xml`)).text)('from'));
    for (const [at, { head, changes }] of windows.entries()) {
      const next = windows[at + 1];
      assert.equal(head('until'), next?.head('from'));
      assert.ok(changes.length === WINDOW || (next === undefined && changes.length <= WINDOW));
      for (const { datetime } of changes) {
        assert.ok(datetime > head('from')! && (next === undefined || datetime < head('until')!));
      }
    }
  });

  it('that are closed never change, and may be kept for ever', async () => {
    for (let number = 0; number < 4; number++) await post(home, round(number));
    const closed = (await windowsNow()).slice(0, -1);
    assert.ok(closed.length >= 2);

    for (let number = 4; number < 8; number++) await post(home, round(number));
    for (const { uri, headers, text } of closed) {
      const now = await get(uri);
      assert.equal(now.text, text, uri);
      assert.equal(now.headers.etag, headers.etag, uri);
      assert.equal(now.headers['last-modified'], headers['last-modified'], uri);
      assert.match(headers['cache-control']!, /immutable/);
    }
  });

  it('of the last changes are one flat open list, across all windows', async () => {
    for (let number = 0; number < 5; number++) await post(home, round(number));

    const { text } = await get(`${home}changelist-recent.xml`);
    assert.equal(headOf(text)('until'), undefined);
    assert.deepEqual(changesOf(text), await listed());
  });

  it('of a time contain its changes, first and last included', async () => {
    for (let number = 0; number < 5; number++) await post(home, round(number));
    const all = await listed();

    for (const [first, last] of [
      [0, all.length - 1],
      [0, 0],
      [13, 13],
      [40, 120],
      [WINDOW - 1, WINDOW],
    ] as const) {
      const { status, text, headers } = await between({ from: all[first]!.datetime, until: all[last]!.datetime });
      assert.equal(status, 200);
      assert.deepEqual(changesOf(text), all.slice(first, last + 1), `${first} to ${last}`);
      assert.doesNotMatch(String(headers.link), /rel="next"/);
    }
    assert.deepEqual(changesOf((await between({ from: all[70]!.datetime })).text), all.slice(70));
    assert.deepEqual(changesOf((await between({ until: all[70]!.datetime })).text), all.slice(0, 71));
  });

  itOnce('of a time without changes are empty', async () => {
    await post(home, round(0));
    await wait(10);
    await post(home, round(1));
    const last = (await listed())[NAMES.length - 1]!;
    const { text } = await between({ from: afterwards(last.datetime, 1), until: afterwards(last.datetime, 2) });
    assert.deepEqual(changesOf(text), []);
    assert.ok(headOf(text)('from')! < headOf(text)('until')!);
  });

  itOnce('of a time that is not over are open', async () => {
    await post(home, round(0));
    const { text, headers } = await between({ until: '2999-01-01T00:00:00Z' });
    assert.deepEqual(changesOf(text), await listed());
    assert.equal(headOf(text)('until'), undefined);
    assert.equal(headers['cache-control'], 'no-cache');
  });

  itOnce('begin with the history of the set, and are refused for a time before', async () => {
    const begins = headOf((await get(`${home}changelist.xml`)).text)('from');
    assert.equal(headOf((await between({ from: '2020-01-01T00:00:00Z' })).text)('from'), begins);
    for (const query of [{ until: '2020-02-01T00:00:00Z' }, { from: '2020-01-01T00:00:00Z', until: begins! }]) {
      const { status, text } = await between(query);
      assert.equal(status, 400);
      assert.deepEqual([JSON.parse(text).error.field, JSON.parse(text).error.begins], ['until', begins]);
    }
  });

  it('of a time that has been keep their bytes while changes come in', async () => {
    await post(home, round(0));
    const all = await listed();
    const query = { from: all[3]!.datetime, until: all[30]!.datetime };
    const before = await between(query);
    await post(home, round(1));
    const now = await between(query);
    assert.equal(now.text, before.text);
    assert.equal(now.headers.etag, before.headers.etag);
  });

  for (const [title, query, field] of [
    ['a from that is not a time', { from: 'yesterday' }, 'from'],
    ['a from without a zone', { from: '2026-01-01T00:00:00' }, 'from'],
    ['a day that never was', { until: '2026-02-30T00:00:00Z' }, 'until'],
    ['a from in the future', { from: '2999-01-01T00:00:00Z' }, 'from'],
    ['an until before from', { from: '2026-01-02T00:00:00Z', until: '2026-01-01T00:00:00Z' }, 'until'],
  ] as const) {
    itOnce(`refuse ${title}`, async () => {
      const { status, text } = await between(query);
      assert.equal(status, 400);
      assert.equal(JSON.parse(text).error.field, field);
    });
  }
});

describe('change lists of too many changes', () => {
  afterEach(closeApps);

  it('of a time end early, and link to the next until each change was listed once', async () => {
    const { app, url } = await startApp(SQLITE);
    await app.sets.add({ slug: 'records', urlPrefix: PREFIX });
    const home = `${url}/sets/records/`;
    const many = Array.from({ length: 60_000 }, (_, number) => ({
      change: 'created',
      location: { type: 'rel_path', value: `${number}.txt` },
    }));
    await post(home, many);

    const [start, end] = await Promise.all([
      get(`${home}changelist.xml`).then(({ text }) => headOf(text)('from')!),
      get(`${home}changelist-recent.xml`).then(({ text }) => changesOf(text).at(-1)!.datetime),
    ]);
    const listed: ReadChange[] = [];
    const lists: { readonly from?: string | undefined; readonly until?: string | undefined }[] = [];
    let uri: string | undefined = `${home}changelist.xml?${new URLSearchParams({ from: start, until: end })}`;
    while (uri !== undefined) {
      const { text, headers } = await get(uri);
      const head = headOf(text);
      const changes = changesOf(text);
      assert.ok(changes.length <= 50_000);
      listed.push(...changes);
      uri = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1];
      lists.push({ from: head('from'), until: head('until') });
    }
    assert.equal(lists.length, 2);
    assert.equal(lists[0]?.until, lists[1]?.from);
    assert.ok(lists[0]!.until! < end, 'it ends at its own earlier until');
    assert.deepEqual(
      listed.map((change) => change.uri),
      many.map(({ location }) => PREFIX + location.value),
    );
  });
});

/** A time so many microseconds after one. */
function afterwards(datetime: string, microseconds: number): string {
  return formatStamp((parseDatetime(datetime) as number) + microseconds);
}

interface Event {
  readonly location: { readonly value: string };
}

/** The changes that the events made, by what was answered to them. */
async function postForResults(home: string, changes: readonly Event[]) {
  const { origin, pathname } = new URL(home);
  const response = await fetch(`${origin}/api${pathname}changes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ changes }),
  });
  const { results } = (await response.json()) as { results: { status: string; change: string; datetime: string }[] };
  return results.flatMap(({ status, change, datetime }, at) =>
    status === 'applied' ? [{ uri: PREFIX + changes[at]!.location.value, change, datetime }] : [],
  );
}
