import assert from 'node:assert/strict';
import { putUploadState, readUploadState } from '../../src/streams/uploads/upload-state.ts';
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

  it('lead from an empty source to the first upload, by forms', async () => {
    assert.doesNotMatch((await get('/')).text, /Organizations that deliver/);
    const page = await browser.open(`${started.url}/organizations/`);
    await page.getByRole('link', { name: 'Add one' }).click();
    await page.getByLabel('Id').fill('lane');
    await page.getByLabel('Title').fill('Lane & Library');
    await page.getByLabel('Contacts').fill('Ada <ada@example.org>\nFront desk');
    await page.getByRole('button', { name: 'Add the organization' }).click();
    await page.getByRole('heading', { level: 1, name: 'Lane & Library' }).waitFor();
    await page.getByLabel('Id of a new stream').fill('main');
    await page.getByRole('button', { name: 'Add the stream' }).click();
    await page.getByText('The stream was added.').waitFor();
    await page.getByRole('link', { name: 'Upload files', exact: true }).click();
    await page.getByLabel('Files').setInputFiles({ name: 'new.mrc', mimeType: 'text/plain', buffer: marc('1') });
    await page.getByLabel('Name', { exact: true }).fill('Night 1');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Night 1 waiting' }).waitFor();
    assert.ok(page.url().endsWith('/organizations/lane/streams/main/uploads/1/'), page.url());
    const { contacts } = await started.app.organizations.get('lane');
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
    assert.match(text, /<h1>Upload 1 <span class="state live">processed/);
    assert.match(text, /&lt;b&gt;\.pdf<span class="more-of">Ignored: it is a PDF/);
    assert.equal(text.match(/number \d+/g)?.length, 50);
    const next = /href="\?errors=(\d+)#errors"/.exec(text)?.[1];
    const second = (await get(`${at}?errors=${next}`)).text;
    assert.equal(second.match(/number \d+/g)?.length, 20);
    assert.doesNotMatch(second, /Next →/);
    assert.match((await get('/organizations/lane/')).text, /1 upload<\/?|1 upload of the last 1 with errors/);
    assert.match((await get('/organizations/lane/streams/main/')).text, /href="..\/..\/streams\/main\/uploads\/1\/"/);
  });

  it('have a failed upload processed again', async () => {
    const stream = await ProcessedStream.make(started.app);
    const upload = await started.app.uploads.get('lane', 'main', await stream.upload({ 'new.mrc': marc('1') }));
    await started.app.jobs.cancel('process-upload/lane~main~1');
    const before = await readUploadState(started.app.catalog, upload);
    const failure = { at: Date.now(), error: 'the disk is full', isFinal: true };
    await putUploadState(started.app.catalog, upload, { body: { failure }, before });
    const page = await browser.open(`${started.url}/organizations/lane/streams/main/uploads/1/`);
    await page.getByText('the disk is full. Nothing of it is published.').waitFor();
    await page.locator('summary').click();
    await page.getByRole('button', { name: 'Process it again' }).click();
    await page.getByText('It is tried again by itself.').waitFor();
    assert.equal((await started.app.jobs.get('process-upload/lane~main~1')).state, 'queued');
  });

  it('make another stream the default, archive one, and take no form of another site', async () => {
    const { organizations } = started.app;
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
    const jobs = await started.app.jobs.list({ limit: 10 });
    assert.ok(
      jobs.some(({ kind }) => kind === 'build-stream-dump'),
      jobs.map(({ kind }) => kind).join(),
    );
  });
});
