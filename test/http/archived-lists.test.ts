import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { type App, openApp } from '../../src/app.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { Scheduler } from '../../src/jobs/scheduler.ts';
import type { Job } from '../../src/stores/job.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { entriesOf, linkOf, mdOf } from '../support/document-parts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const PREFIX = 'https://data.example.org/papers/';

describeOnEachStore('Archived Resource Lists', (store, itOnce) => {
  let started: StartedApp;
  /** A set of its own for each test. */
  let slug: string;
  let setId: number;
  let home: string;
  /** The hash of each resource, by its URI. */
  let truth: Map<string, string>;
  let versions = 0;
  let tests = 0;

  before(async () => {
    started = await startApp(store);
  });
  after(closeApps);

  beforeEach(async () => {
    slug = `papers${++tests}`;
    home = `${started.url}/sets/${slug}`;
    truth = new Map();
    ({ id: setId } = await started.app.sets.add({ slug, urlPrefix: PREFIX, pageEntries: 3 }));
  });

  /** Posts a new version of each resource, or its deletion. */
  async function post(names: readonly string[], isDeletion = false): Promise<void> {
    const changes = names.map((value) => {
      const hash = `sha-256:${createHash('sha256').update(`${value} ${++versions}`).digest('hex')}`;
      if (isDeletion) truth.delete(PREFIX + value);
      else truth.set(PREFIX + value, hash);
      const location = { value, type: 'rel_path' };
      return isDeletion ? { location, change: 'deleted' } : { location, change: 'updated', hash };
    });
    const { body } = await askJson(`${started.url}/api/sets/${slug}/changes`, { changes });
    assert.equal(body.applied, names.length, JSON.stringify(body));
  }

  const keep = () => started.app.publishing.listArchives.keep(slug);
  const sorted = (states: ReadonlyMap<string, string>) => [...states].sort();
  const stored = async () => (await readdir(join(started.folder, `artifacts/_lists/${setId}`)).catch(() => [])).sort();

  async function read(uri: string): Promise<XmlElement> {
    const { status, text } = await ask(uri);
    assert.equal(status, 200, `${uri}: ${text.slice(0, 300)}`);
    return parseDocument(uri, text).root;
  }

  /** The list as a client reads it: the index, if there is one, and every page. */
  async function readList(uri: string): Promise<{ readonly at: string; readonly states: Map<string, string> }> {
    const root = await read(uri);
    const { at = '', capability } = mdOf(root);
    assert.equal(capability, 'resourcelist');
    assert.equal(linkOf(root, 'up'), `${home}/capabilitylist.xml`);
    const states = new Map<string, string>();
    const parts = root.name === 'urlset' ? [root] : [];
    for (const { loc } of entriesOf(root, 'sitemap')) {
      const part = await read(loc);
      assert.deepEqual([linkOf(part, 'index'), mdOf(part).at], [uri, at]);
      parts.push(part);
    }
    for (const part of parts) for (const { loc, md } of entriesOf(part, 'url')) states.set(loc, md.hash!);
    return { at, states };
  }

  const archived = async () => entriesOf(await read(`${home}/resourcelist-archive.xml`), 'url');

  it('are exactly what there was at their times, whatever has changed since', async () => {
    const then: [string, string][][] = [];
    await post(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    then.push(sorted(truth));
    await keep();
    await post(['b', 'aa', 'h', 'i']);
    await post(['e', 'f'], true);
    then.push(sorted(truth));
    await keep();
    await post(['a', 'e', 'j', 'k', 'l']);
    await post(['b', 'aa'], true);
    then.push(sorted(truth));
    await keep();
    await post(['z', 'a']);

    const entries = await archived();
    assert.equal(entries.length, 3);
    for (const [number, { loc, md }] of entries.entries()) {
      const { at, states } = await readList(loc);
      assert.equal(at, md.at);
      assert.ok(md.completed! >= at);
      assert.deepEqual(sorted(states), then[number]);
    }
    assert.deepEqual(
      entries.map(({ md }) => md.at),
      entries.map(({ md }) => md.at).sort(),
    );
  });

  itOnce('store the pages that have changed since the list before, and no others', async () => {
    await post(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const first = await keep();
    assert.deepEqual([first.isNew, first.resources, first.pages, first.stored], [true, 7, 3, 3]);
    await post(['e']);
    const second = await keep();
    assert.deepEqual([second.isNew, second.pages, second.stored], [true, 3, 1]);
    assert.equal((await stored()).length, 2 + 4);

    const again = await keep();
    assert.deepEqual([again.isNew, again.at, again.stored], [false, second.at, 0]);
    assert.equal((await archived()).length, 2);
  });

  itOnce(
    'are found from the Capability List, the live list, the API and the page of the set, when there is one',
    async () => {
      await post(['a']);
      const uri = `${home}/resourcelist-archive.xml`;
      const named = async () =>
        entriesOf(await read(`${home}/capabilitylist.xml`), 'url').find(
          ({ md }) => md.capability === 'resourcelist-archive',
        );
      assert.equal((await ask(uri)).status, 404);
      assert.deepEqual(
        [await named(), linkOf(await read(`${home}/resourcelist.xml`), 'archives')],
        [undefined, undefined],
      );
      await keep();
      assert.equal((await named())?.loc, uri);
      const archive = await read(uri);
      assert.deepEqual(mdOf(archive), { capability: 'resourcelist-archive' });
      assert.equal(linkOf(archive, 'up'), `${home}/capabilitylist.xml`);
      assert.equal(linkOf(await read(`${home}/resourcelist.xml`), 'archives'), uri);
      assert.equal((await askJson(`${started.url}/api/sets/${slug}`)).body.documents.resourceListArchive, uri);
      assert.match((await ask(`${home}/`)).text, /resourcelist-archive\.xml/);
      await post(['b', 'c', 'd', 'e']);
      assert.equal(linkOf(await read(`${home}/resourcelist.xml`), 'archives'), uri);
      const { text: page } = await ask((await archived())[0]!.loc, { headers: { Accept: 'text/html' } });
      assert.match(page, /Archived Resource List/);
    },
  );

  itOnce('are listed by the API, the newest first, and on the page of the set', async () => {
    const api = `${started.url}/api/sets/${slug}/archive`;
    assert.deepEqual((await askJson(api)).body, { set: slug, lists: [], dumps: [] });
    assert.match((await ask(`${home}/`)).text, /No Resource List was kept/);
    for (const name of ['a', 'b', 'c']) {
      await post([name]);
      await keep();
    }
    const kept = (await archived()).map(({ loc, md }) => ({ uri: loc, at: md.at, completed: md.completed }));
    const { lists } = (await askJson(api)).body;
    const counts = [3, 2, 1].map((resources) => ({ resources, pages: 1 }));
    assert.deepEqual(
      lists,
      kept.toReversed().map((list, at) => ({ ...list, ...counts[at] })),
    );
    const asked = await askJson(`${api}?limit=1&before=${lists[0]?.at}`);
    assert.deepEqual(asked.body.lists, [lists[1]]);
    assert.equal((await ask(`${api}?limit=0`)).status, 400);
    const { text: page } = await ask(`${home}/`);
    assert.match(page, /Earlier times/);
    for (const { uri } of lists) assert.ok(page.includes(new URL(uri).pathname.split('/').at(-1)!), uri);
  });

  itOnce('are kept by jobs that an administrator adds, by the API or a button', async () => {
    const press = (path: string) => ask(`${started.url}${path}`, { method: 'POST' });
    const page = async () => (await ask(`${home}/`)).text;
    await post(['a']);
    const asked = await press(`/api/sets/${slug}/archive/keep`);
    const job = JSON.parse(asked.text);
    assert.deepEqual([asked.status, job.kind, job.payload], [202, 'keep-list', { set: slug }]);
    const { href } = new URL(asked.headers.location!, `${started.url}/api/sets/${slug}/archive/keep`);
    assert.equal((await askJson(href)).body.name, job.name);
    assert.equal(JSON.parse((await press(`/api/sets/${slug}/archive/keep`)).text).name, job.name);
    assert.match(
      await page(),
      /Last kept by: <a href="[^"]*">keep-list\/papers\d+\.\S+<\/a> <span class="state quiet">queued/,
    );
    assert.doesNotMatch(await page(), /action="\.\/archive\/keep"/);
    const worker = { name: 'tester', leaseMs: 30_000 };
    const runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 1 });
    runner.start();
    try {
      await until('the list is kept', async () => (await askJson(href)).body.state === 'done');
      assert.equal((await archived()).length, 1);
      await post(['b']);
      assert.match(await page(), /action="\.\/archive\/keep"/);
      const { status, headers } = await press(`/sets/${slug}/archive/keep`);
      assert.deepEqual([status, headers.location], [303, '../#archive']);
      await until('the next list is kept', async () => (await archived()).length === 2);
    } finally {
      await runner.stop();
    }
  });

  itOnce('may be cached for ever, and never change', async () => {
    await post(['a', 'b', 'c', 'd']);
    await keep();
    const { loc } = (await archived())[0]!;
    const first = entriesOf(await read(loc), 'sitemap')[0]!.loc;
    const answers = await Promise.all([loc, first].map((uri) => ask(uri)));
    for (const { headers } of answers) assert.match(headers['cache-control']!, /immutable/);
    await post(['a', 'b']);
    const later = await Promise.all([loc, first].map((uri) => ask(uri)));
    assert.deepEqual(
      later.map(({ bytes, headers }) => [bytes, headers.etag]),
      answers.map(({ bytes, headers }) => [bytes, headers.etag]),
    );
  });

  itOnce('have no pages and times that do not exist', async () => {
    await post(['a', 'b', 'c', 'd']);
    const { at } = await keep();
    const time = (await archived())[0]!.loc.match(/at-(.*)\.xml/)![1]!;
    for (const name of [`${time}-00003`, `${time}-00000`, `${time}-1`, `${time}-`, 'x', '99990101T000000000000Z']) {
      assert.equal((await ask(`${home}/resourcelist-at-${name}.xml`)).status, 404, name);
    }
    assert.equal((await ask(`${home}/resourcelist-at-20010101T000000000000Z.xml`)).status, 410);
    assert.ok(at > 0);
  });

  it('are what the Change List says, when resources change while they are kept', async () => {
    await started.app.sets.change(slug, { pageEntries: 20 });
    const names = Array.from({ length: 40 }, (_, at) => `n${at}`);
    await post(names);
    let isKept = false;
    const posting = (async () => {
      for (let at = 0; !isKept; at++) {
        await post([names[(at * 7) % names.length]!, `new${at % 9}`]);
        await post([names[(at * 11) % names.length]!], at % 3 === 0);
        await setImmediate();
      }
    })();
    const kept = [];
    for (let round = 0; round < 4; round++) kept.push(await keep());
    isKept = true;
    await posting;
    assert.equal(kept.filter(({ isNew }) => isNew).length, 4);
    const changes = entriesOf(await read(`${home}/changelist.xml`), 'url');
    for (const { loc, md } of await archived()) {
      const expected = new Map<string, string>();
      for (const { loc: uri, md: change } of changes) {
        if (change.datetime! > md.at!) continue;
        if (change.change === 'deleted') expected.delete(uri);
        else expected.set(uri, change.hash!);
      }
      assert.deepEqual(sorted((await readList(loc)).states), sorted(expected));
    }
  });

  describe('with another server of the store', () => {
    let other: App;
    before(async () => {
      const { configuration } = started.app;
      other = await openApp({ ...configuration, dataFolder: join(started.folder, 'other') });
    });
    after(() => other.close());

    itOnce('are served by each, with the same bytes', async () => {
      await post(['a', 'b', 'c', 'd']);
      await keep();
      await post(['a', 'd']);
      const { loc } = (await archived())[0]!;
      for (const uri of [loc, ...entriesOf(await read(loc), 'sitemap').map((entry) => entry.loc)]) {
        const time = uri.match(/at-(.*)\.xml/)![1]!;
        const document = await other.publishing.publisher.setDocument({
          kind: 'archivedResourceList',
          set: slug,
          time,
        });
        const body = await document.open('identity');
        assert.equal(Buffer.isBuffer(body) ? body.toString() : await text(body), (await ask(uri)).text);
      }
    });

    it('are kept once when both keep them at the same time', async () => {
      await post(['a', 'b', 'c', 'd']);
      const both = await Promise.all([keep(), other.publishing.listArchives.keep(slug)]);
      assert.deepEqual(both.map(({ isNew }) => isNew).sort(), [false, true]);
      assert.equal(both[0].at, both[1].at);
      const { loc } = (await archived())[0]!;
      assert.deepEqual(sorted((await readList(loc)).states), sorted(truth));
    });

    it('keep what they need when one prunes while the other keeps', async () => {
      for (let round = 0; round < 5; round++) {
        await post(['a', 'b', 'c', 'd', 'e', 'f', `r${round}`]);
        const { at } = await keep();
        await post([`s${round}`]);
        await Promise.all([keep(), other.publishing.listArchives.prune(slug, at + 1)]);
      }
      const entries = await archived();
      assert.notEqual(entries.length, 0);
      for (const { loc } of entries) await readList(loc);
      assert.deepEqual(sorted((await readList(entries.at(-1)!.loc)).states), sorted(truth));
    });
  });

  itOnce('are removed by age: then they answer 410, and only what others need stays', async () => {
    await post(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    await keep();
    await post(['g']);
    const then = sorted(truth);
    const second = await keep();
    await post(['a']);
    await keep();
    const before = await archived();
    const first = entriesOf(await read(before[0]!.loc), 'sitemap')[2]!.loc;
    const removed = await started.app.publishing.listArchives.prune(slug, second.at);
    assert.equal(removed.length, 1);
    assert.deepEqual(await archived(), before.slice(1));
    assert.deepEqual(sorted((await readList(before[1]!.loc)).states), then);
    for (const uri of [before[0]!.loc, first]) assert.equal((await ask(uri)).status, 410);
    // Two lists; two versions of the first page, one of the second, and the newer one of the third.
    assert.equal((await stored()).length, 2 + 4);
    await started.app.publishing.listArchives.prune(slug, Number.MAX_SAFE_INTEGER);
    assert.deepEqual([await archived(), await stored()], [[], []]);
    await post(['b']);
    await keep();
    assert.equal((await archived()).length, 1);
  });

  itOnce('end with the history of the set, and what is left of them is removed a day later', async () => {
    await post(['a', 'b']);
    await keep();
    const { loc } = (await archived())[0]!;
    await started.app.sets.renew(slug);
    assert.deepEqual([(await ask(loc)).status, (await ask(`${home}/resourcelist-archive.xml`)).status], [404, 404]);
    const old = await stored();
    await post(['c']);
    await keep();
    assert.equal((await ask(loc)).status, 410);
    assert.equal(await started.app.publishing.listArchives.removeUnused(), 0);
    for (const name of await stored()) {
      await utimes(join(started.folder, `artifacts/_lists/${setId}`, name), LONG_AGO, LONG_AGO);
    }
    assert.equal(await started.app.publishing.listArchives.removeUnused(), old.length);
    assert.deepEqual(sorted((await readList((await archived())[0]!.loc)).states), sorted(truth));
    await started.app.sets.remove(slug);
    await started.app.publishing.listArchives.removeUnused();
    assert.deepEqual(await stored(), []);
  });

  itOnce('are kept, and removed, at the times of settings of the set', async () => {
    await post(['a', 'b']);
    await keep();
    const change = { archiveSchedule: '0 2 * * *', archiveDays: 30 };
    const patched = await ask(`${started.url}/api/sets/${slug}`, {
      ...{ method: 'PATCH', body: JSON.stringify(change), headers: JSON_BODY },
    });
    assert.equal(patched.status, 200, patched.text);
    await post(['a']);
    const parts = started.app;
    const now = Date.now() + 86_400_000;
    await new Scheduler({ definitions: JOB_DEFINITIONS, parts, now: () => now }).addDue();
    const worker = { name: 'tester', leaseMs: 30_000 };
    const runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts, worker, concurrency: 1 });
    runner.start();
    try {
      const job = await until('the list is kept', async () => {
        const { jobs } = (await askJson(`${started.url}/api/jobs?kind=keep-list`)).body;
        return jobs.find(({ id, state }: Job) => id.startsWith(`${slug}.`) && state === 'done');
      });
      assert.deepEqual([job.result.isNew, job.result.stored, job.result.removed], [true, 1, 0]);
    } finally {
      await runner.stop();
    }
    assert.equal((await archived()).length, 2);
  });
});
