import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { SQLITE } from '../support/each-store.ts';
import { ServedSource } from '../support/served-source.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const TOKEN = 'open-sesame';
const AUTHORIZATION = `Basic ${Buffer.from(`anybody:${TOKEN}`).toString('base64')}`;

describe('The page that validates a source', () => {
  let source: ServedSource;

  beforeEach(async () => {
    source = await ServedSource.start();
    source.describe({ resourcelist: '/resourcelist.xml' });
    source.document('/resourcelist.xml', '<rs:md capability="resourcelist"/><script>');
  });

  afterEach(async () => {
    await source.close();
    await closeApps();
  });

  const start = (validateNetworks: readonly string[] = []) =>
    startApp(SQLITE, { token: new Secret(TOKEN), validateNetworks });

  const request = (url: string, given: string) =>
    fetch(`${url}/validate`, {
      method: 'POST',
      headers: { authorization: AUTHORIZATION },
      body: new URLSearchParams({ url: given }),
    });

  async function validate({ url }: StartedApp, given: string) {
    const response = await request(url, given);
    return { status: response.status, page: await response.text() };
  }

  it('has a form, for administrators alone', async () => {
    const { url } = await start();
    assert.equal((await fetch(`${url}/validate`)).status, 401);
    assert.equal((await fetch(`${url}/validate`, { method: 'POST', body: new URLSearchParams() })).status, 401);
    const page = await (await fetch(`${url}/validate`, { headers: { authorization: AUTHORIZATION } })).text();
    assert.match(page, /<form [^>]*action="\.\/validate" method="post">/);
  });

  it('requests nothing of a private network, and says so', async () => {
    const { status, page } = await validate(await start(), `${source.baseUrl}/`);
    assert.equal(status, 200);
    assert.match(
      page,
      /Nothing was read.*its host is in a private network.*: the setting --validate-networks permits/s,
    );
    assert.deepEqual(source.requests, []);
  });

  it('requests the server itself, wherever it is', async () => {
    const own = await start();
    await own.app.sets.add({ slug: 'maps', urlPrefix: `${own.url}/maps/` });
    const { page } = await validate(own, `${own.url}/`);
    assert.match(page, /Nothing at the level MUST is broken/);
    assert.doesNotMatch(page, /Not everything was read|private network/);
  });

  it('shows what it found, with what the source wrote as text', async () => {
    const { page } = await validate(await start(['127.0.0.1']), `${source.baseUrl}/`);
    assert.match(page, /at the level MUST/);
    assert.match(page, /The root is urlset or sitemapindex/);
    assert.doesNotMatch(page, /resourcelist"\/><script>/);
  });

  it('shows what it has read so far, and what it reads, before it has the result', async () => {
    const waiting = Promise.withResolvers<void>();
    source.answers.set('/resourcelist.xml', (_, response) => {
      void waiting.promise.then(() => response.end('<urlset/>'));
    });
    const { url } = await start(['127.0.0.1']);
    const response = await request(url, `${source.baseUrl}/`);
    assert.equal(response.headers.get('x-accel-buffering'), 'no');
    let page = '';
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      page += chunk;
      if (page.includes('/resourcelist.xml</code> …')) waiting.resolve();
    }
    assert.match(
      page,
      /class="so-far quiet">So far: \d documents with \d entries\. Reading <code>\S+\/resourcelist\.xml</,
    );
    assert.match(page, /So far.*at the level MUST.*<\/html>\s*$/s);
  });

  it('says that the URL itself is not there, when the source is found by its host', async () => {
    const { page } = await validate(await start(['127.0.0.1']), `${source.baseUrl}/nothing`);
    assert.match(page, /Nothing was read of <code>\S+\/nothing<\/code> itself:<\/strong> the server answers 404\./);
    assert.match(page, /\.well-known\/resourcesync<\/code>/);
  });

  it('refuses what is not a URL', async () => {
    const { status, page } = await validate(await start(), 'example.org"><b>');
    assert.equal(status, 200);
    assert.match(page, /That is not a URL/);
    assert.match(page, /value="example\.org&quot;&gt;&lt;b&gt;"/);
  });
});
