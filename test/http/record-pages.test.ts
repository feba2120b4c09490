import assert from 'node:assert/strict';
import { formatStamp } from '../../src/core/stamp.ts';
import { putUploadState, readUploadState, type UploadState } from '../../src/records/arrivals/upload-state.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { sampleVersion, subfieldA } from '../support/sample-versions.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const MARKUP = /<[^>]*>/g;

describeOnEachStore('The page of a record', (store, itOnce) => {
  let started: StartedApp;
  let stream: ProcessedStream;

  beforeEach(async () => {
    started = await startApp(store);
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(closeApps);

  /** Without style sheet and script, which would fill the message of a test that fails. */
  async function get(path: string) {
    const { status, text } = await ask(`${started.url}${path}`, { headers: { Accept: 'text/html' } });
    return { status, text: /<main.*<\/main>/s.exec(text)?.[0] ?? text };
  }

  async function upload(...records: readonly Buffer[]): Promise<number> {
    const number = await stream.upload({ 'new.mrc': Buffer.concat(records) });
    await stream.process(number);
    return number;
  }

  it('shows a record as MARC, what each upload did with it, and what differs between two versions (132)', async () => {
    await upload(sampleVersion());
    await upload(sampleVersion({ 300: subfieldA('300', '214 pages ; 22 cm'), 650: undefined }));
    const deletion = await stream.upload({ 'gone.del.txt': 'a1\n' });
    await stream.process(deletion);
    await upload(sampleVersion({ 300: subfieldA('300', '214 pages ; 22 cm') }));
    await upload(sampleVersion({ 300: subfieldA('300', '214 pages ; 22 cm') }));

    const { text } = await get('/sets/lane--main/resource?key=/a1');
    assert.match(text, /<th scope="row">245<\/th><td class="code">10<\/td>/);
    assert.match(text, /<a href="#field-880-01"><bdi>880-01<\/bdi><\/a>/);
    assert.match(text, /<tr id="field-880-01">/);
    assert.match(text, /<bdi>שירים וסיפורים \/ <\/bdi>/);
    assert.match(text, /Hayim &lt;b&gt;Bialik&lt;\/b&gt;/);
    assert.match(
      text,
      /Last named by<\/dt><dd><a href="[^"]*streams\/main\/uploads\/5\/">Upload 5<\/a>, without a change/,
    );
    const named = [...text.matchAll(/class="kind (\w+)".*?uploads\/(\d+)\//gs)].map(([, kind, of]) => `${kind} ${of}`);
    assert.deepEqual(named, ['created 4', 'deleted 3', 'updated 2', 'created 1']);

    const link = /href="\.\/(record\?[^"]*from=[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&');
    const changes = (await get(`/sets/lane--main/${link}`)).text;
    assert.match(changes, /1 field changed, 1 field removed\./);
    assert.match(changes, /<del>212<\/del><ins>214<\/ins> pages ; 22 cm/);
    assert.match(changes, /class="kind deleted">removed<\/span><\/td><th scope="row">650/);

    const first = [...text.matchAll(/href="\.\/(record\?[^"]*)"/g)].at(-1)![1]!.replaceAll('&amp;', '&');
    const old = (await get(`/sets/lane--main/${first}`)).text.replaceAll(MARKUP, '');
    assert.match(old, /Upload 1: created/);
    assert.match(old, /212 pages/);
    assert.equal((await get('/sets/lane--main/record?key=/a1&at=2020-01-01T00:00:00Z')).status, 404);
    assert.equal((await get('/sets/lane--main/record?key=/a1&at=x')).status, 400);
    assert.equal((await get('/sets/lane--main/record?key=/b')).status, 404);
  });

  itOnce('says that a version is not stored any more, and shows the others', async () => {
    const first = await upload(sampleVersion());
    await upload(sampleVersion({ 650: undefined }));
    const { uploads } = started.app.records;
    const state = await uploads.stateOf(await uploads.get('lane', 'main', first));
    await started.app.artifacts.delete(state!.read!.records!);
    const { text } = await get('/sets/lane--main/resource?key=/a1');
    assert.match(text, /not stored any more/);
    assert.equal(text.match(/as it was/g)?.length, 1);
    const { id } = await stream.set();
    const at = formatStamp((await started.app.index.history(id, '/a1', { limit: 2 })).at(-1)!.stamp);
    const { status, text: version } = await get(`/sets/lane--main/record?key=/a1&at=${at}`);
    assert.equal(status, 200);
    assert.match(version, /This version is not stored any more/);
  });

  itOnce('shows nothing of what came with an upload that was removed, from the time that it is marked so', async () => {
    const first = await upload(sampleVersion());
    await upload(sampleVersion({ 650: undefined }));
    const named = { organization: 'lane', stream: 'main', number: first };
    const before = (await readUploadState(started.app.catalog, named))!;
    await putUploadState(started.app.catalog, named, {
      body: { ...before.body, removed: { at: 1, reason: 'private', delivery: 3 } } as UploadState,
      before,
    });
    const { text } = await get('/sets/lane--main/resource?key=/a1');
    assert.match(text, /removed with upload 1</);
    const [, from] = /record\?[^"]*from=([^&"]*)/.exec(text)!;
    for (const query of [`at=${from}`, `from=${from}`]) {
      const version = await get(`/sets/lane--main/record?key=/a1&${query}`);
      assert.match(version.text, /This version was removed with upload 1\./);
      assert.doesNotMatch(version.text, /Hebrew/);
    }
  });

  itOnce('follows records of the default stream to the upload that they came with', async () => {
    await upload(sampleVersion());
    const { sets, sources, updater } = started.app;
    const set = await sets.bySlug('lane');
    await sync({ set, source: sources.sourceOf(set), updater });
    const { text } = await get('/sets/lane/resource?key=/a1');
    assert.match(text, /Upload 1<\/a>/);
    assert.match(text, /Hebrew poetry/);
  });
});
