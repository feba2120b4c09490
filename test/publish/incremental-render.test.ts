import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { boundaryAfter, type Stamp } from '../../src/core/stamp.ts';
import { type DocumentRecord, writeDocument } from '../../src/publish/cache/document-files.ts';
import { basisOf, type OlderVersion, renderIncrementally } from '../../src/publish/render/incremental-render.ts';
import { type ChangesJob, type RenderJob, type ResourcePageJob, render } from '../../src/publish/render/render-job.ts';
import { ask } from '../support/ask.ts';
import { deletion, shuffled, upsert } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const CAPABILITY_LIST = 'https://data.example.org/capabilitylist.xml';
/** What has to be escaped in URIs and in XML, what sorts before and behind a slash, and one that begins another. */
const NAMES = ['a', 'a&b', "a'b", 'a b', 'a<b>', 'a"b', 'a-b', 'a/b', 'ab', 'ä', '紙', '~', '!', 'a&amp;b', '0'];
const PATHS = NAMES.flatMap((name) => [1, 2, 3, 4].map((number) => `${name}/${number}.txt`));

describeOnEachStore('A version of a document that is made of an older one', (store, itOnce) => {
  let started: StartedApp;
  let set: number;
  let urlPrefix: string;
  let sets = 0;
  before(async () => {
    started = await startApp(store);
  });
  beforeEach(async () => {
    sets += 1;
    urlPrefix = `https://data.example.org/papers&${sets}/`;
    ({ id: set } = await started.app.sets.add({ slug: `papers-${sets}`, urlPrefix }));
  });
  after(closeApps);

  /** Returns the stamp of the last change. */
  async function commit(events: Parameters<StartedApp['app']['index']['commit']>[0]): Promise<Stamp> {
    const results = await started.app.index.commit(events);
    return Math.max(...results.map((result) => (result.status === 'applied' ? result.stamp : 0)));
  }

  const page = (newest: Stamp, range: ResourcePageJob['range'] = {}): ResourcePageJob => ({
    kind: 'resource-page',
    set,
    range,
    head: { at: boundaryAfter(newest), capabilityList: CAPABILITY_LIST },
    style: { urlPrefix, publishHashes: [] },
  });
  const changes = (newest: Stamp): ChangesJob => ({
    kind: 'changes',
    set,
    after: 1,
    until: boundaryAfter(newest),
    head: { from: 1, capabilityList: CAPABILITY_LIST },
    style: { urlPrefix, publishHashes: [] },
  });

  async function write(text: AsyncIterable<string | Buffer>, newest: Stamp): Promise<OlderVersion> {
    const folder = join(started.folder, 'versions');
    const name = join(folder, `${randomUUID()}.json`);
    const { body, lengths }: DocumentRecord = await writeDocument(name, text, { newest, immutable: false });
    return { file: join(folder, `${body}.xml.gz`), length: lengths.identity, newest };
  }

  it('has the same bytes as one that is made as a whole', async () => {
    const { index } = started.app;
    let last = await commit(PATHS.slice(0, 20).map((path) => upsert(set, path)));
    const jobs = () => [
      page(last),
      page(last, { from: '/a&b/2', to: '/ab/3' }),
      page(last, { from: '/~' }),
      changes(last),
    ];
    let older = await Promise.all(jobs().map((job) => write(render(job, index), last)));
    for (let round = 1; round <= 6; round++) {
      const elsewhere = { ...upsert(set, 'x', { length: round }), key: `http://example.org/${round % 3}?a=1&b=2` };
      const events = shuffled(PATHS, round)
        .slice(0, round)
        .map((path, at) => (at % 3 === 0 ? deletion(set, path) : upsert(set, path, { length: round, mime: 'a&b/c' })));
      last = Math.max(last, await commit([...events, elsewhere]));
      const made = await Promise.all(jobs().map((job, at) => renderIncrementally(job, older[at]!, index)));
      older = await Promise.all(
        made.map((text) => write(text ?? assert.fail('it was not made of the older one'), last)),
      );
      for (const [at, job] of jobs().entries())
        assert.equal(await readText(older[at]!), await textOf(render(job, index)));
    }
  });

  it('is what a server sends, until an administrator has it made anew', async () => {
    const list = () => ask(`${started.url}/sets/papers-${sets}/resourcelist.xml`).then(({ text }) => text);
    await commit([upsert(set, 'a')]);
    assert.match(await list(), /length="1"/);
    // The entry of a resource that does not change can only come from the older version.
    const folder = join(started.folder, 'documents', String(set));
    for (const name of (await readdir(folder)).filter((name) => name.endsWith('.xml.gz'))) {
      const text = gunzipSync(await readFile(join(folder, name))).toString('utf8');
      await writeFile(join(folder, name), gzipSync(text.replace('length="1"', 'length="7"')));
    }
    await commit([upsert(set, 'b', { length: 2 })]);
    assert.match(await list(), /length="7".*length="2"/s);
    const [page] = await started.app.publishing.publisher.pages(`papers-${sets}`);
    await started.app.publishing.publisher.refreshPage(`papers-${sets}`, page!.name);
    assert.match(await list(), /length="1".*length="2"/s);
  });

  itOnce('of a page that was empty, and becomes empty again, is what it should be', async () => {
    const { index } = started.app;
    const first = await commit([upsert(set, 'a')]);
    const steps = [deletion(set, 'a'), upsert(set, 'b'), deletion(set, 'b')];
    let older = await write(render(page(first), index), first);
    for (const event of steps) {
      const last = await commit([event]);
      older = await write((await renderIncrementally(page(last), older, index))!, last);
      assert.equal(await readText(older), await textOf(render(page(last), index)));
    }
  });

  itOnce('is made as a whole when much has changed', async () => {
    const { index } = started.app;
    const first = await commit([upsert(set, 'a')]);
    const older = await write(render(page(first), index), first);
    const last = await commit(Array.from({ length: 1_001 }, (_, number) => upsert(set, String(number))));
    assert.equal(await renderIncrementally(page(last), older, index), undefined);
  });

  itOnce('is rendered as a whole when the older one is missing or damaged', async () => {
    const { index } = started.app;
    const last = await commit([upsert(set, 'a')]);
    for (const spoil of [(file: string) => truncate(file, 100), (file: string) => rm(file)]) {
      for (const job of [page(last), changes(last)]) {
        const older = await write(render(job, index), last);
        await spoil(older.file);
        assert.equal(await renderIncrementally(job, older, index), undefined);
      }
    }
  });

  it('is not made of one with other resources or another beginning, nor of one that slides', () => {
    const later = { ...changes(2), head: { from: 5, capabilityList: CAPABILITY_LIST } };
    assert.notEqual(basisOf(changes(2)), basisOf(later));
    assert.notEqual(basisOf(page(2, { from: '/a' })), basisOf(page(2, { from: '/b' })));
    assert.equal(basisOf(page(2)), basisOf(page(4)));
    assert.equal(basisOf({ ...page(2), createdBefore: 1 }), undefined);
    const limits = { entries: 1, weight: 1_000 };
    const recent: RenderJob = {
      ...changes(2),
      kind: 'recent-changes',
      epochStart: 1,
      limits,
      capabilityList: CAPABILITY_LIST,
    };
    assert.equal(basisOf(recent), undefined);
  });
});

async function readText({ file }: OlderVersion): Promise<string> {
  return gunzipSync(await readFile(file)).toString('utf8');
}

async function textOf(texts: AsyncIterable<string>): Promise<string> {
  let whole = '';
  for await (const text of texts) whole += text;
  return whole;
}
