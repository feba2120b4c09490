import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { postedResultsSchema } from '../../src/api/posting-view.ts';
import { errorSchema } from '../../src/http/openapi/openapi-responses.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const PATCH = 'http://www.openarchives.org/rs/terms/patch';

describeOnEachStore('Posting changes as JSON', (store, itOnce) => {
  let started: StartedApp;
  let sets = 0;
  let slug: string;
  let changesUrl: string;
  before(async () => {
    started = await startApp(store);
  });
  // One source for all tests, and a set for each.
  beforeEach(async () => {
    sets += 1;
    slug = `papers-${sets}`;
    await started.app.sets.add({ slug, urlPrefix: 'https://data.example.org/papers/' });
    changesUrl = `${started.url}/api/sets/${slug}/changes`;
  });
  after(closeApps);

  const event = (value: string, change = 'created', fields: object = {}): object => ({
    location: { value, type: 'rel_path' },
    change,
    ...fields,
  });

  async function post(...changes: unknown[]) {
    const { status, body } = await askJson(changesUrl, { changes });
    assert.equal(status, 200, JSON.stringify(body));
    return postedResultsSchema.parse(body);
  }

  async function errorOf(question: Parameters<typeof ask>[1]) {
    const { status, text } = await ask(changesUrl, { method: 'POST', headers: JSON_BODY, ...question });
    const { error } = errorSchema.parse(JSON.parse(text));
    return [status, error.code];
  }

  itOnce('accepts events that name the set by an alias, and shows it', async () => {
    const name = `Papers & Töne ${slug}`;
    await started.app.sets.add({ slug: `${slug}-b`, urlPrefix: 'https://data.example.org/b/', aliases: [name] });
    changesUrl = `${started.url}/api/sets/${slug}-b/changes`;
    const named = (resource_set: string) => event('a', 'created', { resource_set });

    const { results } = await post(named(name), named(`${slug}-b`), named(slug), named(name.toLowerCase()));

    assert.deepEqual(
      results.map((result) => (result.status === 'rejected' ? result.code : result.status)),
      ['applied', 'unchanged', 'other-set', 'other-set'],
    );
    const { text } = await ask(`${started.url}/api/sets/${slug}-b`);
    assert.deepEqual(JSON.parse(text).aliases, [name]);
  });

  itOnce('rejects URIs that no client can fetch, and links that entries may not have', async () => {
    const uri = (value: string) => ({ location: { value, type: 'url' }, change: 'created' });
    const link = (rel: string) => event('a', 'created', { ln: [{ rel, href: { value: 'b', type: 'rel_path' } }] });
    const { results } = await post(
      uri('urn:isbn:0451450523'),
      uri('mailto:someone@example.org'),
      uri('https://data.example.org/papers/a#b'),
      ...['up', 'index', 'contents', 'ResourceSync'].map(link),
      link(PATCH),
    );
    assert.deepEqual(
      results.map((result) => result.status === 'rejected' && result.code),
      ['not-http', 'not-http', 'fragment', ...Array(4).fill('reserved-relation'), 'patch-without-type'],
    );
  });

  itOnce('says in its own words what is wrong with a field', async () => {
    const given = [
      [{ location: 'a' }, 'location is wrong: use an object'],
      [{ md5: 7 }, 'md5 is wrong: use a text, or an array of at most 20 texts'],
      [{ hash: Array(21).fill('a') }, 'hash is wrong: use a text, or an array of at most 20 texts'],
      [{ ln: Array(1001).fill({}) }, 'ln is wrong: at most 1000 entries'],
      [{ ln: ['a'] }, 'ln[0] is wrong: use an object'],
      [{ source: '' }, 'source is wrong: at least 1 character'],
      [{ mime: 5 }, 'mime is wrong: use a text'],
      [{ mime: 'html' }, 'mime is "html", which is not a media type such as text/plain'],
      [
        { mime: 'text/html; a="<b>"' },
        'mime is "text/html; a=\\"<b>\\"", whose parameters cannot be published: write them as charset=utf-8, without <, > and \\, and all in at most 512 characters',
      ],
    ] as const;
    const { results } = await post(...given.map(([fields]) => event('a', 'created', fields)));
    assert.deepEqual(
      results.map((result) => result.status === 'rejected' && result.message),
      given.map(([, message]) => message),
    );
  });

  itOnce(
    'publishes the links of a resource as ResourceSync has them, also such as an earlier version took',
    async () => {
      const { id, urlPrefix } = await started.app.sets.bySlug(slug);
      const href = { value: 'b', type: 'rel_path' };
      await post(
        event('a', 'created', {
          ln: [
            { rel: PATCH, href, mime: 'application/x-diff' },
            { rel: 'timegate', href, mime: 'text/html' },
            { rel: 'describedby', href, mime: 'text/html' },
          ],
        }),
      );
      const links = [PATCH, 'up', 'describedby'].map((rel) => ({ rel, href: '/b' }));
      await started.app.updater.post([{ set: id, key: '/c', state: { links }, weight: 1000 }]);

      const linksIn = async (document: string) => {
        const { text } = await ask(`${started.url}/sets/${slug}/${document}`);
        const entries = text.split('<url>').slice(1);
        return entries.map((entry) => [...entry.matchAll(/<rs:ln (.*?)\/>/g)].map(([, attributes]) => attributes));
      };
      const to = `href="${urlPrefix}b"`;
      const timegate = `rel="timegate" ${to}`;
      const describedBy = `rel="describedby" ${to}`;
      assert.deepEqual(await linksIn('resourcelist.xml'), [
        [timegate, `${describedBy} type="text/html"`],
        [describedBy],
      ]);
      const patch = `rel="${PATCH}" ${to} type="application/x-diff"`;
      assert.deepEqual(await linksIn('changelist.xml'), [
        [patch, timegate, `${describedBy} type="text/html"`],
        [describedBy],
      ]);
    },
  );

  it('answers with one result an event, in order', async () => {
    const { results, ...totals } = await post(
      event('a', 'created', { length: 1 }),
      event('b', 'updated'),
      event('c', 'deleted'),
      event('a', 'created', { length: 2 }),
      event('a', 'updated', { length: 2 }),
      event('b', 'deleted'),
    );
    assert.deepEqual(
      results.map((result) => (result.status === 'applied' ? result.change : result.status)),
      ['created', 'created', 'unchanged', 'updated', 'unchanged', 'deleted'],
    );
    assert.deepEqual(totals, { applied: 4, unchanged: 2, rejected: 0 });
    const datetimes = results.flatMap((result) => (result.status === 'applied' ? [result.datetime] : []));
    assert.deepEqual(datetimes, [...new Set(datetimes)].sort());
    for (const datetime of datetimes) assert.match(datetime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });

  itOnce('applies the neighbours of an invalid event', async () => {
    const bad = [event('../a'), event('b', 'moved'), event('c', 'created', { length: -1 }), null, event('e', 'x')];
    for (const event of bad) {
      const { results } = await post(neighbour(), event, neighbour());
      assert.deepEqual(
        results.map(({ status }) => status),
        ['applied', 'rejected', 'applied'],
      );
    }
  });

  let neighbours = 0;
  const neighbour = (): object => event(`neighbour-${++neighbours}`);

  itOnce('names the field that is wrong', async () => {
    const { results } = await post(event('a', 'created', { ln: [{ href: { value: 'b', type: 'rel_path' } }] }));
    assert.deepEqual(results[0], {
      status: 'rejected',
      code: 'link-without-rel',
      message: 'ln[0].rel is missing',
      field: 'ln[0].rel',
    });
  });

  it('changes nothing when a batch with positions is posted again', async () => {
    const batch = [1, 2, 3].map((position) => event('a', 'updated', { length: position, source: 's', position }));
    assert.equal((await post(...batch)).applied, 3);
    const { results, applied } = await post(...batch);
    assert.equal(applied, 0);
    assert.deepEqual(results[0], { status: 'unchanged', reason: 'repeated' });
    assert.equal((await post(event('a', 'updated', { length: 3 }))).results[0]?.status, 'unchanged');
  });

  it('lists what is posted at once', async () => {
    await post(event('a&b'), event('gone'), event('gone', 'deleted'));
    const { text } = await ask(`${started.url}/sets/${slug}/resourcelist.xml`);
    assert.deepEqual(text.match(/<loc>[^<]+/g), ['<loc>https://data.example.org/papers/a&amp;b']);
  });

  itOnce('takes gzip', async () => {
    const body = gzipSync(JSON.stringify({ changes: [event('a')] }));
    const headers = { ...JSON_BODY, 'Content-Encoding': 'gzip' };
    const { status, text } = await ask(changesUrl, { method: 'POST', headers, body });
    assert.equal(status, 200, text);
    for (const coding of ['X-GZIP', 'identity, gzip']) {
      const other = { ...headers, 'Content-Encoding': coding };
      assert.equal((await ask(changesUrl, { method: 'POST', headers: other, body })).status, 200, coding);
    }
    assert.deepEqual(await errorOf({ headers, body: 'no gzip at all' }), [400, 'bad-gzip']);
    assert.deepEqual(await errorOf({ headers, body: body.subarray(0, -9) }), [400, 'bad-gzip']);
    assert.deepEqual(await errorOf({ headers: { ...headers, 'Content-Encoding': 'br' }, body }), [
      415,
      'unsupported-encoding',
    ]);
  });

  itOnce('refuses a body of another form', async () => {
    assert.deepEqual(await errorOf({ body: '{"changes": [' }), [400, 'not-json']);
    assert.deepEqual(await errorOf({ body: '' }), [400, 'not-json']);
    assert.deepEqual(await errorOf({ body: Buffer.from('{"changes": ["\xff"]}', 'latin1') }), [400, 'not-utf-8']);
    assert.deepEqual(await errorOf({ body: '[]' }), [400, 'no-changes']);
    assert.deepEqual(await errorOf({ body: '{"changes": {}}' }), [400, 'no-changes']);
    assert.deepEqual(await errorOf({ body: '{"changes": [], "sets": []}' }), [400, 'unknown-field']);
    assert.deepEqual(await errorOf({ body: Buffer.alloc(8_388_609, ' ') }), [413, 'body-too-large']);
    assert.deepEqual(await errorOf({ body: `{"changes": [0${',0'.repeat(100_000)}]}` }), [413, 'too-many-events']);
  });

  itOnce('refuses a content type that any web page could send', async () => {
    const body = JSON.stringify({ changes: [event('a')] });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
      const headers = type === '' ? {} : { 'Content-Type': type };
      assert.deepEqual(await errorOf({ headers, body }), [415, 'unsupported-media-type'], type);
    }
  });

  itOnce('refuses an unknown set, and a set id that is none', async () => {
    for (const [slug, status] of [
      ['unknown', 404],
      ['No_Slug-', 400],
    ]) {
      const { status: answered, body } = await askJson(`${started.url}/api/sets/${slug}/changes`, { changes: [] });
      assert.deepEqual([answered, typeof body.error.message], [status, 'string']);
    }
  });

  it('takes as many events as fit into a body', async () => {
    const events = Array.from({ length: 12_000 }, (_, at) => event(`paper-${at}`));
    events[6_000] = event('../outside');
    const { results, ...totals } = await post(...events);
    assert.deepEqual(totals, { applied: 11_999, unchanged: 0, rejected: 1 });
    assert.equal(results[6_000]?.status, 'rejected');
  });
});
