import assert from 'node:assert/strict';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { event, pageAt, post } from '../support/web-source.ts';

const DAY_MS = 86_400_000;

describeOnEachStore('The page of changes', (store, itOnce) => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(store);
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
  });
  afterEach(closeApps);

  const page = (query = '') => pageAt(`${started.url}/sets/maps/changes${query}`);
  const namesOn = (text: string) => [...text.matchAll(/resource\?key=%2F([^"]+)"/g)].map(([, name]) => name);
  const names = async (query: string) => namesOn(await page(query));
  const nextOf = (text: string) => /<a rel="next" href="([^"]+)">([^<]+) →</.exec(text)?.slice(1);

  it('shows those of a kind, with a text in their name, and of some days in UTC', async () => {
    await post(started, 'maps', [event('north/A'), event('north/b'), event('south/a')]);
    await post(started, 'maps', [event('north/A', { length: 7 }), event('south/a', { change: 'deleted' })]);
    assert.deepEqual(await names('?kind=created'), ['south%2Fa', 'north%2Fb', 'north%2FA']);
    assert.deepEqual(await names('?kind=deleted'), ['south%2Fa']);
    assert.deepEqual(await names('?kind=created&q=TH/A'), ['south%2Fa', 'north%2FA']);
    assert.deepEqual(await names('?q=/north/A'), ['north%2FA', 'north%2FA']);
    const all = await page('?kind=&from=&until=&before=x&q=&more=1');
    assert.equal(namesOn(all).length, 5);

    const [first, last] = [...all.matchAll(/datetime="(.{10})/g)].map(([, day]) => Date.parse(day!)).sort();
    const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
    assert.equal((await names(`?from=${dayOf(first!)}&until=${dayOf(last ?? first!)}`)).length, 5);
    assert.deepEqual(await names(`?until=${dayOf(first! - DAY_MS)}`), []);
    assert.deepEqual(await names(`?from=${dayOf(last! + DAY_MS)}`), []);
    assert.deepEqual(await names('?from=2199-12-31&until=2199-12-31'), []);
  });

  itOnce('says which part of the filter is wrong, and keeps the form', async () => {
    await post(started, 'maps', [event('a')]);
    for (const [query, message] of [
      ['kind=foo', 'Kind is one of created, updated, deleted'],
      ['from=2026-13-45', 'From is not a day: write it as 2026-11-23'],
      ['until=2026-02-30', 'Until is not a day: write it as 2026-11-23'],
      ['from=yesterday', 'From is not a day: write it as 2026-11-23'],
      ['until=2026-02-01&from=2026-02-02', 'Until is earlier than from'],
      [`q=${'a'.repeat(121)}`, 'The part of the name is too long: at most 120 characters'],
      ['q=a&q=b', 'The part of the name is given several times'],
    ] as const) {
      const url = `${started.url}/sets/maps/changes?${query}`;
      const { status, headers, text } = await ask(url, { headers: { Accept: 'text/html' } });
      assert.deepEqual([status, headers.vary], [400, 'Accept, Authorization, Cookie']);
      assert.ok(text.includes(`<p>${message}.</p>`), text);
      assert.deepEqual(namesOn(text), []);
      assert.match(text, /<a href="\.\/changes" aria-current="page">/);
      assert.match(text, new RegExp(`name="${query.slice(0, query.indexOf('='))}"[^>]* aria-invalid="true"`));
      for (const [, name, value] of query.matchAll(/(from|until|q)=([^&]{10,})/g)) {
        assert.ok(text.includes(`name="${name}" type="${name === 'q' ? 'search' : 'date'}" value="${value}"`), text);
      }
      assert.match((await ask(url)).headers['content-type'] ?? '', /^application\/json/);
    }
    const tooLong = `${started.url}/sets/maps/find?q=${'a'.repeat(121)}`;
    const { status, text } = await ask(tooLong, { headers: { Accept: 'text/html' } });
    assert.equal(status, 400);
    assert.match(text, /The part of the name is too long: at most 120 characters\./);
    assert.match(text, /<a href="\.\/find" aria-current="page">[\s\S]*value="a{121}"/);
  });

  itOnce('groups changes by day, with the time of day in UTC', async () => {
    await post(started, 'maps', [event('a')]);
    const text = await page();
    const [, day, clock] = /datetime="(\S{10})T(\d\d:\d\d:\d\d)\.\d+Z"/.exec(text)!;
    const date = new Date(day!);
    const written = `${date.getUTCDate()} ${date.toLocaleString('en', { month: 'short', timeZone: 'UTC' })} ${date.getUTCFullYear()}`;
    assert.ok(text.includes(`<h2 class="day">${written}</h2>`), written);
    assert.match(text, /<th scope="col" class="short">Time \(UTC\)</);
    assert.ok(text.includes(`>${clock}</time>`));
  });

  itOnce('keeps the filter on the way back, and searches on in many changes', async () => {
    for (let at = 0; at < 6; at++) {
      const changes = Array.from({ length: 1000 }, (_, i) =>
        event(`${at === 0 && i < 150 ? 'old' : 'new'}-${at}-${i}`),
      );
      await post(started, 'maps', changes);
    }
    const first = await page('?q=old-&kind=created');
    assert.match(first, /Nothing so far\. There are older changes/);
    const [href, name] = nextOf(first)!;
    assert.equal(name, 'Search on');
    const second = await page(href!.replaceAll('&amp;', '&'));
    const [older, called] = nextOf(second)!;
    assert.equal(called, 'Older');
    assert.match(second, /value="old-"[\s\S]*<option value="created" selected>/);
    assert.ok(second.includes('href="./changes?q=old-&amp;kind=created">« Latest<'));
    const third = await page(older!.replaceAll('&amp;', '&'));
    assert.equal(nextOf(third), undefined);
    const found = [...namesOn(second), ...namesOn(third)];
    assert.deepEqual(
      found,
      Array.from({ length: 150 }, (_, at) => `old-0-${149 - at}`),
    );
  });

  itOnce('begins with the current epoch of the set, as the page of the set does', async () => {
    await post(started, 'maps', [event('a')]);
    const [, day] = /datetime="(\S{10})T/.exec(await page())!;
    await started.app.sets.renew('maps');
    const overview = () => pageAt(`${started.url}/sets/maps/`);
    assert.match(await overview(), /Nothing has changed since the set was moved or renewed\./);
    await post(started, 'maps', [event('b')]);
    for (const query of ['', `?from=${day}`, '?q=/&kind=created']) assert.deepEqual(await names(query), ['b'], query);
    assert.deepEqual(namesOn(await overview()), ['b']);
  });

  itOnce('says what to do where there is nothing', async () => {
    assert.match(await page(), /<a href="\.\.\/\.\.\/api\/reference\/changes#postChanges">posts<\/a> are shown here/);
    assert.match(await page('?q=none'), /No change fits\..*<a href="\.\/changes">all changes<\/a>/);
    const root = await makeFolder(started, 'files');
    await started.app.sets.add({ slug: 'files', origin: originOfRoot(root) });
    assert.match(await pageAt(`${started.url}/sets/files/changes`), /Files that are added, edited or removed/);
  });
});
