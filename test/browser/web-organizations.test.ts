import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { uploadId } from '../../src/records/arrivals/upload.ts';
import { putUploadState, readUploadState } from '../../src/records/arrivals/upload-state.ts';
import { setOfStream } from '../../src/records/stream-set-names.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin' };

describe('Pages of organizations', () => {
  const browser = useBrowser();
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE);
  });
  afterEach(closeApps);

  const get = (path: string) => ask(`${started.url}${path}`, { headers: { Accept: 'text/html' } });

  /** As the loop of a server does it. */
  async function follow(slug: string): Promise<void> {
    const { sourceOf } = started.app.sources;
    const { sets, updater } = started.app;
    const set = await sets.bySlug(slug);
    await sync({ set, source: sourceOf(set), updater });
    await sets.markReady(slug);
  }

  async function namesOfFiles(stream: string | undefined): Promise<readonly string[]> {
    const dumps = await started.app.records.streamDumps.list({ organization: 'lane', stream });
    return dumps.flatMap(({ files }) => files.map(({ name }) => name));
  }

  it('lead from an empty source to the first upload, by forms', async () => {
    assert.doesNotMatch((await get('/')).text, /Organizations that deliver/);
    const page = await browser.open(`${started.url}/organizations/`);
    await page.getByRole('link', { name: 'Add one' }).click();
    await page.getByLabel('Id').fill('lane');
    await page.getByLabel('Title').fill('Lane & Library');
    await page.getByLabel('Contacts').fill('Ada <ada@example.org>\nFront desk');
    await page.getByRole('button', { name: 'Add the organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lane & Library' }).waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Sets to copy' }).count(), 0, 'before it has a stream');
    await page.getByLabel('Id of a new stream').fill('main');
    await page.getByRole('button', { name: 'Add the stream' }).click();
    await page.getByText('The stream was added.').waitFor();
    await page.getByRole('link', { name: 'Upload files', exact: true }).click();
    await page.getByLabel('Files').setInputFiles({ name: 'new.mrc', mimeType: 'text/plain', buffer: marc('1') });
    await page.getByLabel('Name', { exact: true }).fill('Night 1');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Night 1 waiting' }).waitFor();
    assert.ok(page.url().endsWith('/organizations/lane/streams/main/uploads/1/'), page.url());
    const { contacts } = await started.app.records.organizations.get('lane');
    assert.deepEqual(contacts[0], { name: 'Ada', email: 'ada@example.org' });
    assert.match((await get('/')).text, /Organizations that deliver files/);
  });

  for (const javaScriptEnabled of [true, false]) {
    const way = javaScriptEnabled ? 'with' : 'without';
    it(`say what is wrong with an upload, ${way} JavaScript`, async () => {
      await ProcessedStream.make(started.app);
      // The browser complains of the answer, which is 400.
      const context = await browser.context({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(`${started.url}/organizations/lane/upload`);
      const answered = page.waitForResponse((response) => response.request().method() === 'POST');
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await answered;
      await page.getByText(/the upload has no file: send files, or a URL/i).waitFor();
      await context.close();
    });
  }

  it('show what an upload was taken for, and page by page what could not be read', async () => {
    const stream = await ProcessedStream.make(started.app);
    const bad = Buffer.from(marc('2'));
    bad.write('x', 26);
    const number = await stream.upload({
      'new.mrc': Buffer.concat([marc('1'), ...Array<Buffer>(70).fill(bad)]),
      '<b>.pdf': '%PDF-1.4',
    });
    await stream.process(number);
    const at = `/organizations/lane/streams/main/uploads/${number}/`;
    const { text } = await get(at);
    assert.match(text, /role="status"><p>1 file was ignored: nothing was taken/);
    assert.match(text, /<h1>Upload 1 <span class="state reading">processed/);
    assert.match(text, /&lt;b&gt;\.pdf<span class="more-of">Ignored: it is a PDF/);
    assert.equal(text.match(/number \d+/g)?.length, 50);
    const next = /href="\?errors=(\d+)#errors"/.exec(text)?.[1];
    const second = (await get(`${at}?errors=${next}`)).text;
    assert.equal(second.match(/number \d+/g)?.length, 20);
    assert.doesNotMatch(second, /Next →/);
    assert.match((await get('/organizations/lane/')).text, /1 upload<\/?|1 upload of the last 1 with errors/);
    assert.match((await get('/organizations/lane/streams/main/')).text, /href="..\/..\/streams\/main\/uploads\/1\/"/);
  });

  it('show what became of the records of an upload', async () => {
    const stream = await ProcessedStream.make(started.app);
    const number = await stream.upload({
      'old.mrc': Buffer.concat([marc('1'), marc('2'), marc('3')]),
      'new.mrc': Buffer.concat([marc('2', 'new'), marc('1', 'new')]),
      'gone.del': 'never\n',
    });
    await stream.process(number);
    const { text } = await get(`/organizations/lane/streams/main/uploads/${number}/`);
    const became = '3 created, 0 updated, 0 deleted, 0 unchanged, 1 to delete that did not exist';
    assert.ok(text.includes(`${became}, 2 replaced by later ones of this upload<`), text);
    const rows = text
      .split('<h2>')[1]!
      .split('<tr>')
      .map((row) =>
        row
          .replace(/<[^>]*>/g, ' ')
          .trim()
          .split(/\s+/),
      );
    assert.deepEqual(
      rows.slice(2).map((row) => [row[0], row.at(-1)]),
      [
        ['gone.del', '0'],
        ['old.mrc', '2'],
        ['new.mrc', '0'],
      ],
    );
  });

  it('say in lists of uploads that files were ignored', async () => {
    const stream = await ProcessedStream.make(started.app);
    const uploads = [
      { 'a.mrc': marc('1') },
      { 'b.mrc': 'this is not marc', 'c.mrc': '', d: marc('2') },
      { 'nightly.delete': '' },
    ];
    for (const files of uploads) {
      await stream.process(await stream.upload(files));
    }
    for (const path of ['/organizations/lane/', '/organizations/lane/streams/main/']) {
      const statuses = [...(await get(path)).text.matchAll(/data-name="Status">(.*?)<\/td>/g)].map(([, cell]) => cell);
      assert.deepEqual(statuses, [
        '<span class="state live">processed</span>',
        '<span class="state reading">processed</span><span class="more-of">2 files ignored</span>',
        '<span class="state live">processed</span>',
      ]);
    }
    const at = '/organizations/lane/streams/main/uploads';
    assert.doesNotMatch((await get(`${at}/1/`)).text, /ignored|nothing was taken/);
    assert.match((await get(`${at}/2/`)).text, /role="status"><p>2 files were ignored: nothing was taken/);
  });

  it('lead to the files of dumps, of the default stream and of each', async () => {
    const { app } = started;
    const stream = await ProcessedStream.make(app);
    await stream.process(await stream.upload({ 'new.mrc': Buffer.concat([marc('1'), marc('2')]) }));
    for (const name of [{ organization: 'lane' }, { organization: 'lane', stream: 'main' }]) {
      await app.records.streamDumps.build(name, 'full');
      await follow(setOfStream(name, 'dumps'));
    }
    for (const path of ['/organizations/lane/', '/organizations/lane/streams/main/']) {
      const page = await browser.open(`${started.url}${path}`);
      const links = page.locator('.more-of a', { hasText: '-full-' });
      assert.deepEqual(await links.allTextContents(), await namesOfFiles(path.includes('main') ? 'main' : undefined));
      const href = await links.first().evaluate((link) => (link as HTMLAnchorElement).href);
      const bytes = Buffer.from(await (await fetch(href)).arrayBuffer());
      assert.equal(gunzipSync(bytes).toString(), Buffer.concat([marc('1'), marc('2')]).toString(), href);
    }
  });

  it('name files of a dump without a link until they are published, and are loaded again meanwhile', async () => {
    const { app } = started;
    const stream = await ProcessedStream.make(app);
    await stream.process(await stream.upload({ 'new.mrc': marc('1') }));
    await app.records.streamDumps.build({ organization: 'lane', stream: 'main' }, 'full');
    const path = '/organizations/lane/streams/main/';
    const before = (await get(path)).text;
    assert.match(before, /lane--main-[\d-]+-full-marc21\.mrc\.gz \(/);
    assert.doesNotMatch(before, /-full-marc21\.mrc\.gz"/);
    assert.match(before, /data-again="5"/);
    await follow('lane--main.dumps');
    const after = (await get(path)).text;
    const [, href = ''] = /href="([^"]+-full-marc21\.mrc\.gz)"/.exec(after) ?? [];
    assert.equal((await ask(new URL(href, `${started.url}${path}`).href)).status, 200, after);
    assert.doesNotMatch(after, /data-again="5"/);
  });

  it('count the records of all streams by one request to the store', async () => {
    const stream = await ProcessedStream.make(started.app);
    await stream.process(await stream.upload({ 'new.mrc': Buffer.concat([marc('1'), marc('2')]) }));
    await started.app.records.organizations.addStream('lane', 'other');
    const { index } = started.app;
    const requests: (readonly number[])[] = [];
    const summaries = index.summaries.bind(index);
    index.summaries = (sets) => {
      requests.push(sets);
      return summaries(sets);
    };
    index.summary = () => Promise.reject(new Error('one request for each stream'));
    const { text } = await get('/organizations/lane/');
    assert.match(
      text,
      /streams\/main\/">[\s\S]*?data-name="Records">2<[\s\S]*streams\/other\/">[\s\S]*?data-name="Records">0</,
    );
    assert.equal(requests.length, 1);
  });

  it('say of how many uploads they count those that have failed, when these are not all', async () => {
    await ProcessedStream.make(started.app);
    const { catalog } = started.app;
    for (let number = 1; number <= 201; number++) {
      const upload = { organization: 'lane', stream: 'main', number, files: [], received: number, token: `${number}` };
      await catalog.put('upload', uploadId('lane', 'main', number), upload, undefined);
      if (number === 200) assert.match((await get('/organizations/lane/')).text, /<dt>failed<\/dt><dd>0<\/dd>/);
    }
    const failure = { at: 1, error: 'the disk is full', isFinal: true };
    for (const number of [1, 2, 201]) {
      await putUploadState(
        catalog,
        { organization: 'lane', stream: 'main', number },
        { body: { failure }, before: undefined },
      );
    }
    assert.match((await get('/organizations/lane/')).text, /<dt>failed of the last 200<\/dt><dd>2<\/dd>/);
  });

  it('show the latest errors with id, position and reason, at most five of an upload', async () => {
    const stream = await ProcessedStream.make(started.app);
    assert.doesNotMatch((await get('/organizations/lane/')).text, /Latest errors/);
    const bad = Buffer.from(marc('2'));
    bad.write('x', 26);
    const errors = [7, 1, 0, 6, 5, 9];
    for (const [at, count] of errors.entries()) {
      const number = await stream.upload({
        [`night-${at + 1}.mrc`]: Buffer.concat([marc('1'), ...Array(count).fill(bad)]),
      });
      await stream.process(number);
    }
    const { text } = await get('/organizations/lane/');
    const [, section = ''] = /<h2 id="errors">(.*?)<h2>/s.exec(text) ?? [];
    const uploads = [...section.matchAll(/<a href="[^"]*">number (\d+)<\/a><span class="more-of">night-(\d)\.mrc/g)];
    assert.deepEqual(
      uploads.map(([, ordinal, upload]) => `${upload}/${ordinal}`),
      [
        '6/2',
        '6/3',
        '6/4',
        '6/5',
        '6/6',
        '5/2',
        '5/3',
        '5/4',
        '5/5',
        '5/6',
        '4/2',
        '4/3',
        '4/4',
        '4/5',
        '4/6',
        '2/2',
        ...['1/2', '1/3', '1/4', '1/5'],
      ],
    );
    assert.match(section, /href="\.\/streams\/main\/uploads\/6\/#errors">4 more errors in upload 6</);
    assert.doesNotMatch(section, /in upload 5</);
    const upload = await started.app.records.uploads.get('lane', 'main', 6);
    const { errata } = (await started.app.records.uploads.stateOf(upload))!.read!;
    const [first] = (await started.app.records.uploads.readErrata(errata!, { at: 0, limit: 1 })).errata;
    assert.ok(section.includes(`&amp;offset=${first!.offset}"`), section);
    assert.ok(section.includes(`>${first!.reason}</td>`), first!.reason);
    assert.equal((await get('/organizations/lane/streams/main/uploads/6/')).text.includes('id="errors"'), true);
  });

  it('are shown while errors cannot be read, and lead to them', async () => {
    const stream = await ProcessedStream.make(started.app);
    const bad = Buffer.from(marc('2'));
    bad.write('x', 26);
    await stream.process(await stream.upload({ 'new.mrc': Buffer.concat([marc('1'), bad]) }));
    const upload = await started.app.records.uploads.get('lane', 'main', 1);
    await started.app.artifacts.delete((await started.app.records.uploads.stateOf(upload))!.read!.errata!);
    const { status, text } = await get('/organizations/lane/');
    assert.equal(status, 200);
    assert.match(text, /The errors of upload 1 cannot be read now: <a href="\.\/streams\/main\/uploads\/1\/#errors">/);
  });

  it('have commands and list addresses for records, uploads and dumps, of the default stream and of each', async () => {
    const { app, url } = started;
    await ProcessedStream.make(app);
    for (const [path, own] of [
      ['/organizations/lane/', 'lane'],
      ['/organizations/lane/streams/main/', 'lane--main'],
    ] as const) {
      const slugs = [own, `${own}.uploads`, `${own}.dumps`];
      for (const slug of slugs) await follow(slug);
      const { text } = await get(path);
      const [, section = ''] = /<h2 id="copy">(.*?)(?:<h2>|<\/main>)/s.exec(text) ?? [];
      const sets = [...section.matchAll(/<h3><a href="(?:\.\.\/)+sets\/([^"]+)\/"/g)].map(([, slug]) => slug);
      assert.deepEqual(sets, slugs);
      const { baseUrl } = await app.sets.source();
      for (const slug of slugs) {
        assert.ok(
          section.includes(`tidemark mirror ${baseUrl}/sets/${slug}/capabilitylist.xml ${slug}-copy --follow`),
          slug,
        );
        for (const list of ['capabilitylist', 'resourcelist', 'changelist']) {
          const address = `${baseUrl}/sets/${slug}/${list}.xml`;
          assert.ok(section.includes(`<code class="copied">${address}</code>`), address);
          assert.equal((await ask(address.replace(baseUrl, url))).status, 200, address);
        }
      }
    }
  });

  it('have a failed upload processed again', async () => {
    const stream = await ProcessedStream.make(started.app);
    const upload = await started.app.records.uploads.get('lane', 'main', await stream.upload({ 'new.mrc': marc('1') }));
    await started.app.jobs.cancel('process-upload/lane~main~1');
    const before = await readUploadState(started.app.catalog, upload);
    const failure = { at: Date.now(), error: 'the disk is full', isFinal: true };
    await putUploadState(started.app.catalog, upload, { body: { failure }, before });
    const page = await browser.open(`${started.url}/organizations/lane/streams/main/uploads/1/`);
    await page.getByText('the disk is full. Nothing of it is published.').waitFor();
    await page.getByText('Process it again upload 1 …').click();
    await page.getByRole('button', { name: 'Process it again' }).click();
    await page.getByText('It is tried again by itself.').waitFor();
    assert.equal((await started.app.jobs.queue.get('process-upload/lane~main~1')).state, 'queued');
  });

  it('say of an upload by URL that has failed that its file was not fetched', async () => {
    await ProcessedStream.make(started.app);
    const upload = await (await started.app.records.uploads.begin('lane')).finish({ url: 'http://127.0.0.1/new.mrc' });
    const page = async () => (await get(`/organizations/lane/streams/main/uploads/${upload.number}/`)).text;
    assert.match(await page(), /Its file was not fetched yet\.</);
    const before = await readUploadState(started.app.catalog, upload);
    const failure = { at: Date.now(), error: 'its host is in a private network', isFinal: true };
    await putUploadState(started.app.catalog, upload, { body: { failure }, before });
    assert.match(await page(), /Its file was not fetched\.</);
  });

  it('make another stream the default, archive one, and take no form of another site', async () => {
    const { organizations } = started.app.records;
    await ProcessedStream.make(started.app);
    await organizations.addStream('lane', 'full');
    const post = (path: string, headers: Record<string, string> = OWN_PAGE) =>
      ask(`${started.url}/organizations/lane/${path}`, { method: 'POST', headers });
    assert.equal((await post('streams/full/default', { Origin: 'https://evil.example' })).status, 403);
    assert.equal((await organizations.get('lane')).defaultStream, 'main');
    assert.equal((await post('streams/full/default')).status, 303);
    assert.equal((await organizations.get('lane')).defaultStream, 'full');
    assert.equal((await post('streams/main/archive')).status, 303);
    assert.match((await get('/organizations/lane/streams/main/')).text, /archived: it takes no uploads/);
    assert.doesNotMatch((await get('/organizations/lane/upload')).text, /<option value="main"/);
    assert.equal((await post('dumps/full')).status, 303);
    const jobs = await started.app.jobs.queue.list({ limit: 10 });
    assert.ok(
      jobs.some(({ kind }) => kind === 'build-stream-dump'),
      jobs.map(({ kind }) => kind).join(),
    );
  });
});
