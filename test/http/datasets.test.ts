import assert from 'node:assert/strict';
import { ask, askJson, JSON_BODY, NDJSON_BODY } from '../support/ask.ts';
import { startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const URL_OF = 'https://doi.org/10.7910/DVN/CLSFKX';
const requestOf = (name: string) => ({ ingest_type: 'dataset', base_url: `https://data.example.org/${name}` });

describe('requests of datasets by HTTP', () => {
  let started: StartedApp;
  let tokens: Readonly<Record<'administrator' | 'poster' | 'reader', Record<string, string>>>;

  beforeEach(async () => {
    started = await startApp(SQLITE, { datasetNetworks: ['127.0.0.1'] });
    const { access } = started.app;
    const bearer = async (...scopes: Parameters<typeof access.tokens.create>[0]['scopes']) => {
      const { token } = await access.tokens.create({ name: scopes.join(), scopes });
      return { Authorization: `Bearer ${token}` };
    };
    const [administrator, poster, reader] = await Promise.all([
      bearer('administer'),
      bearer('post:datasets'),
      bearer('read:datasets'),
    ]);
    tokens = { administrator: administrator!, poster: poster!, reader: reader! };
  });
  afterEach(closeApps);

  const at = (path = '') => `${started.url}/api/datasets${path}`;
  const read = async (path = '', headers: Record<string, string> = {}) =>
    (await askJson(at(path), undefined, headers)).body;
  const add = (name: string, headers = tokens.administrator, query = '') =>
    askJson(at(query), requestOf(name), headers);
  const stream = async (lines: readonly string[], query = '') => {
    const headers = { ...NDJSON_BODY, ...tokens.administrator };
    const { status, text } = await ask(at(query), { method: 'POST', headers, body: lines.join('\n') });
    return {
      status,
      lines: jsonLines(text),
    };
  };

  it('adds a request, which waits for its job, and is the same one when it is sent again (D31)', async () => {
    const { status, headers, body } = await askJson(
      at(),
      { base_url: 'doi:10.7910/DVN/CLSFKX', note: 1 },
      tokens.administrator,
    );
    assert.equal(status, 202);
    assert.deepEqual(body.request, { ingest_type: 'dataset', base_url: URL_OF, note: 1 });
    assert.deepEqual([body.set, body.state, body.result], ['datasets', 'waiting', undefined]);
    const { body: found } = await askJson(new URL(headers.location!, at()).href);
    assert.deepEqual(found, body);
    const { jobs } = (await askJson(`${started.url}/api/jobs`, undefined, tokens.administrator)).body;
    assert.ok(jobs.some(({ id }: { readonly id: string }) => body.job === `ingest-dataset/${id}`));
    const again = await askJson(at('?bundle=true'), { base_url: URL_OF }, tokens.administrator);
    assert.deepEqual([again.status, again.body], [202, body]);
    assert.equal((await ask(at(`/${body.id}/retry`), { method: 'POST', headers: tokens.administrator })).status, 409);
    assert.deepEqual(await read(`/${body.id}/files`), { id: body.id, file_count: 0, files: [] });
  });

  it('adds the requests of a stream, and answers each; a wrong one does not affect the others (D31, d19)', async () => {
    const { status, lines } = await stream(
      [
        JSON.stringify(requestOf('a')),
        '{"base_url"',
        JSON.stringify({ ingest_type: 'pdf', base_url: URL_OF }),
        JSON.stringify(requestOf(`b${'\0'}`)),
        JSON.stringify(requestOf('c'.repeat(2_000))),
        '10.7910/DVN/CLSFKX',
      ],
      '?followLatest=true',
    );
    assert.equal(status, 202);
    const outcomes = lines.map(({ number, status: outcome, code, field }) => [number, outcome, code ?? field]);
    assert.deepEqual(outcomes.slice(0, 2), [
      [1, 'added', undefined],
      [2, 'rejected', 'not-json'],
    ]);
    assert.deepEqual(
      lines.slice(2, 5).map(({ field, message }) => [field, typeof message]),
      [
        ['ingest_type', 'string'],
        ['request', 'string'],
        ['base_url', 'string'],
      ],
    );
    assert.deepEqual([lines[5].status, lines[5].base_url], ['added', URL_OF]);
    assert.deepEqual(lines[6], { complete: true, added: 2, rejected: 4 });
    assert.deepEqual((await read(`/${lines[0].id}`)).options, { followLatest: true });
  });

  it('names what is wrong with a request', async () => {
    for (const [value, field] of [
      [{}, 'base_url'],
      [{ base_url: 'ftp://data.example.org/' }, 'base_url'],
      [{ base_url: URL_OF, ingest_type: 'pdf' }, 'ingest_type'],
    ] as const) {
      const { status, body } = await askJson(at(), value, tokens.administrator);
      assert.deepEqual([status, body.error.field], [400, field]);
    }
    const headers = { ...JSON_BODY, ...tokens.administrator };
    assert.equal((await ask(at(), { method: 'POST', headers, body: 'x'.repeat(200_000) })).status, 413);
    assert.deepEqual((await read()).requests, []);
    assert.deepEqual(await started.app.sets.list(), []);
  });

  it('makes the set for an administrator; then a token may add requests to the set of its scope', async () => {
    assert.equal((await add('a', tokens.poster)).status, 404);
    assert.equal((await add('a')).status, 202);
    assert.equal((await add('b', tokens.poster)).status, 202);
    assert.equal((await add('c', tokens.reader)).status, 403);
    assert.equal((await add('c', {})).status, 401);
    assert.equal((await add('c', tokens.poster, '?set=others')).status, 404);
    await started.app.sets.add({ slug: 'pushed', urlPrefix: 'https://data.example.org/' });
    const { status, body } = await add('c', tokens.administrator, '?set=pushed');
    assert.deepEqual([status, body.error.field], [409, 'set']);
    const listed = (await read()).requests.map(
      ({ request }: { readonly request: { readonly base_url: string } }) => request,
    );
    assert.deepEqual(listed, [requestOf('b'), requestOf('a')]);
  });

  it('keeps the requests of a private set from those who may not read it', async () => {
    const { body } = await add('secret');
    const { body: open } = await add('open', tokens.administrator, '?set=open');
    await started.app.sets.change('datasets', { private: true });
    const idsFor = async (headers: Record<string, string>) =>
      (await read('', headers)).requests.map(({ id }: { readonly id: string }) => id);
    assert.deepEqual(await idsFor({}), [open.id]);
    assert.deepEqual(await idsFor(tokens.reader), [open.id, body.id]);
    assert.equal((await ask(at())).headers['cache-control'], 'private, no-store');
    assert.deepEqual((await read('?set=datasets')).requests, []);
    for (const path of ['', '/files']) {
      assert.equal((await ask(at(`/${body.id}${path}`))).status, 404);
      assert.equal((await ask(at(`/${body.id}${path}`), { headers: tokens.reader })).status, 200);
    }
    // A request would take the dataset out of the private set.
    const { token } = await started.app.access.tokens.create({ name: 'other', scopes: ['post:open'] });
    const taken = await add('secret', { Authorization: `Bearer ${token}` }, '?set=open');
    assert.deepEqual([taken.status, taken.body.error.field], [409, 'base_url']);
    assert.equal((await read(`/${body.id}`, tokens.reader)).set, 'datasets');
  });

  it('lists requests by state, the newest first, in pages', async () => {
    await stream(Array.from({ length: 5 }, (_, number) => JSON.stringify(requestOf(String(number)))));
    const found: string[] = [];
    let next: string | undefined = '';
    while (next !== undefined) {
      const page: { requests: { id: string }[]; next?: string } = await read(
        `?state=waiting&limit=2${next && `&after=${next}`}`,
      );
      assert.ok(page.requests.length <= 2);
      found.push(...page.requests.map(({ id }) => id));
      next = page.next;
    }
    assert.equal(new Set(found).size, 5);
    assert.deepEqual((await read('?state=ended')).requests, []);
    assert.equal((await ask(at('?status=none'))).status, 400);
  });

  it('shows the result of a request, its files in pages with what failed, and tries it again', async () => {
    const platforms = await startPlatforms();
    try {
      const files = [{ name: 'a' }, { name: 'b', stated: { md5: '0'.repeat(32) } }, { name: 'c' }];
      const base_url = platforms.add({ platform: 'zenodo', id: '12', files });
      const { datasets } = started.app;
      const request = { ingest_type: 'dataset', base_url } as const;
      const signal = AbortSignal.timeout(60_000);
      await datasets.ingest(request, { signal });
      const [{ id, result }] = (await read('?status=mismatch-md5')).requests;
      assert.deepEqual([result.hit, result.platform, result.file_count], [false, 'zenodo', 3]);
      const first = await read(`/${id}/files?limit=2`);
      const { next } = first;
      assert.deepEqual([first.file_count, first.files.length, next], [3, 2, 2]);
      const last = await read(`/${id}/files?limit=1&at=${next}`);
      const [, failed] = first.files;
      assert.deepEqual([failed.path, failed.status, last.next], ['b', 'mismatch-md5', undefined]);
      assert.match(failed.message, /0{32}/);
      const retry = await askJson(at(`/${id}/retry`), {}, tokens.administrator);
      assert.deepEqual([retry.status, retry.body.state, retry.body.result.status], [202, 'waiting', 'mismatch-md5']);
      await datasets.ingest(request, { signal, options: { acceptMismatch: true } });
      const stored = (await read(`/${id}/files`)).files;
      assert.deepEqual(
        stored.map((file: { readonly status: string }) => [file.status, 'stored' in file]),
        [
          ['success', false],
          ['accepted-mismatch', false],
          ['success', false],
        ],
      );
    } finally {
      await platforms.close();
    }
  });
});
