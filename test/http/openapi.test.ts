import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { formatStamp } from '../../src/core/stamp.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import type { OpenApiDocument } from '../../src/http/openapi/openapi-document.ts';
import { timeName } from '../../src/publish/archives/stored-archive.ts';
import type { Upload } from '../../src/records/arrivals/upload.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { OaiServer } from '../support/oai-server.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

/** What differs from one answer to the next, or says how the body would be cut into pieces. */
const OF_ONE_ANSWER = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];

describe('The description of the API that a server gives', () => {
  let started: StartedApp;
  let repository: OaiServer;
  let document: OpenApiDocument;
  /** A package; its name depends on the time. */
  let file: string;
  /** A package of changes. */
  let changeFile: string;
  /** Of a kept version. */
  let datetime: string;
  let resumableId: string;
  /** Of an archived list and an archived dump. */
  let times: Readonly<Record<'list' | 'dump', string>>;
  before(async () => {
    repository = await OaiServer.start();
    started = await startApp(SQLITE, { hub: { kind: 'inside' }, harvestNetworks: ['127.0.0.1'] });
    const root = await makeFolder(started, 'papers');
    await mkdir(join(root, '2026'));
    await writeFile(join(root, '2026/a.pdf'), 'the bytes of a paper');
    await started.app.sets.add({ slug: 'papers', origin: originOfRoot(root), windowChanges: 1 });
    await started.app.sets.markReady('papers');
    await started.app.records.organizations.add('lane', { contacts: [] });
    await started.app.records.organizations.addStream('lane', 'main');
    const upload = await started.app.records.uploads.begin('lane');
    await upload.add('ids.del.txt', [Buffer.from('a')]);
    await processOf(await upload.finish({}));
    const { collections, harvestRuns } = started.app.records;
    await collections.add('arxiv', { baseUrl: repository.url, format: 'oai_dc' });
    await harvestRuns.queue('arxiv', { kind: 'incremental' }, { by: 'request' });
    await started.app.datasets.add([{ ingest_type: 'dataset', base_url: 'https://doi.org/10.7910/DVN/CLSFKX' }], {});
    // No loop keeps them in sync here.
    for (const { slug } of await started.app.sets.list()) await started.app.sets.markReady(slug);
    const resumable = await started.app.records.resumableUploads.begin('lane', {
      files: [{ name: 'b.mrc', length: 10 }],
      length: 10,
    });
    resumableId = resumable.upload.id;
    await started.app.records.runs.queue(
      { provider: 'lane', activity: 'harvest', from: '/records.ndjson' },
      { by: 'command' },
    );
    await started.app.jobs.queue.add('archive-log', '20261123T020000Z', {});
    const changes = [{ location: { value: '2026/a.pdf', type: 'rel_path' }, change: 'created', length: 20 }];
    assert.equal((await askJson(`${started.url}/api/sets/papers/changes`, { changes })).body.applied, 1);
    file = `${(await started.app.publishing.dumps.build('papers', {})).packages[0]!.name}.zip`;
    datetime = await keepVersion();
    const { at, dump } = await started.app.publishing.listArchives.keep('papers');
    times = { list: timeName(at), dump: timeName(dump!.completed) };
    document = (await askJson(`${started.url}/api/openapi.json`)).body;
  });
  after(() => Promise.all([closeApps(), repository.close()]));

  function processOf(upload: Upload): Promise<unknown> {
    const signal = new AbortController().signal;
    return started.app.records.uploadProcessor.process(upload, { signal, isLast: true, report() {}, log() {} });
  }

  async function keepVersion(): Promise<string> {
    const { sourceOf } = started.app.sources;
    const { sets, updater, index } = started.app;
    const set = await sets.change('papers', { keepVersions: true });
    const scan = () => sync({ set, source: sourceOf(set), updater });
    await scan();
    for (const content of ['second', 'third']) {
      await writeFile(join(started.folder, 'papers/2026/a.pdf'), content);
      await scan();
    }
    changeFile = `${(await started.app.publishing.dumps.build('papers', {})).changes!.packages[0]!.name}.zip`;
    const [change] = await index.latest(set.id, { limit: 1 });
    return formatStamp(change!.stamp);
  }

  /** The path of an operation, with the examples of the description. */
  function filled(path: string): string {
    const { parameters } = Object.values(document.paths[path]!)[0]!;
    const known: Readonly<Record<string, string>> = {
      ...(path.includes('changedump-of-') && { name: changeFile.split('-', 2).join('-') }),
      // A set of records.
      ...(path.startsWith('/oai/') && { set: 'lane' }),
      file: path.includes('/changedumps/') ? changeFile : file,
      upload: resumableId,
      datetime,
      time: path.includes('resourcedump') ? times.dump : times.list,
    };
    const names = path.replace(
      /\{(\w+)\}/g,
      (_, name) => known[name] ?? String(parameters.find((parameter) => parameter.name === name)?.example),
    );
    return /\/(record|resource(\/history)?)$/.test(path) ? `${names}?key=/2026/a.pdf` : names;
  }

  it('names the server by its base URL, and the version of the program', () => {
    assert.equal(document.servers[0]?.url, started.url);
    assert.match(document.info.version, /^\d+\.\d+\.\d+/);
  });

  it('names the type of every object among alternatives, which programs that generate code need', () => {
    const unnamed: string[] = [];
    const search = (value: unknown, at: string) => {
      if (typeof value !== 'object' || value === null) return;
      for (const [name, part] of Object.entries(value)) {
        const isUnion = ['anyOf', 'oneOf', 'allOf'].includes(name) && Array.isArray(part);
        if (isUnion && part.some(({ type }) => type === 'object')) unnamed.push(at);
        search(part, `${at}/${name}`);
      }
    };
    search(document, '');
    assert.deepEqual(unnamed, []);
  });

  it('has examples for which every GET is answered, and a HEAD likewise', async () => {
    const answered: Record<string, number> = {};
    for (const [path, methods] of Object.entries(document.paths)) {
      // A stream does not end: change-stream.test.ts has its tests.
      if (methods.get === undefined || path.endsWith('/stream')) continue;
      const url = started.url + filled(path);
      const [got, head] = [await ask(url), await ask(url, { method: 'HEAD' })];
      answered[path] = got.status;
      assert.equal(head.status, got.status, path);
      assert.equal(head.bytes.length, 0, path);
      assert.deepEqual(lasting(head.headers), lasting(got.headers), path);
      const length = head.headers['content-length'];
      if (length !== undefined && got.headers.etag !== undefined) assert.equal(Number(length), got.bytes.length, path);
    }
    const failed = Object.entries(answered).filter(([, status]) => status >= 400);
    assert.deepEqual(failed, []);
  });

  it('answers 405 to every other method', async () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
        if (method.toLowerCase() in methods) continue;
        const { status, headers } = await ask(started.url + filled(path), { method });
        assert.equal(status, 405, `${method} ${path}`);
        const allowed = (headers.allow ?? '').toLowerCase().split(', ');
        assert.deepEqual(allowed.sort(), Object.keys(methods).sort(), `${method} ${path}`);
      }
    }
  });

  it('has a page for people for each group of operations, which says where one is', async () => {
    const pages = await pagesOfApi();
    assert.ok(pages.has('/api/reference/changes'));
    const ids = new Map([...pages].map(([path, text]) => [path, [...text.matchAll(/ id="([^"]+)"/g)].map(at(1))]));
    for (const [path, text] of pages) {
      assert.equal(new Set(ids.get(path)).size, ids.get(path)!.length, `an id is on ${path} twice`);
      const current = [...text.matchAll(/<li><a href="([^"]*)" aria-current="page">/g)].map(at(1)).at(-1);
      assert.equal(new URL(current!, started.url + path).pathname, path);
      for (const link of [...text.matchAll(/href="([^"]*#[^"]+)"/g)].map(at(1))) {
        const { pathname, hash } = new URL(link, started.url + path);
        if (hash !== '#content') assert.ok(ids.get(pathname)?.includes(hash.slice(1)), `${path} leads to ${link}`);
      }
    }
    for (const methods of Object.values(document.paths)) {
      for (const [method, { operationId, tags }] of Object.entries(methods)) {
        if (method === 'head') continue;
        const places = [...ids].filter(([, its]) => its.includes(operationId)).map(([path]) => path);
        assert.deepEqual(places, tags.includes('pages') ? [] : ['/api/', `/api/reference/${tags[0]}`], operationId);
      }
    }
    for (const name of Object.keys(document.components.schemas)) {
      assert.ok(ids.get('/api/reference/shapes')!.includes(name) && ids.get('/api/')!.includes(name), name);
    }
    assert.equal((await ask(`${started.url}/api/reference/nothing`)).status, 404);
  });

  it('has examples on its pages that post to a set that everybody may read and that takes it', async () => {
    for (const slug of ['letters', 'maps']) {
      await started.app.sets.add({ slug, urlPrefix: 'https://data.example.org/', private: slug === 'letters' });
    }
    for (const text of (await pagesOfApi()).values()) {
      for (const [, json, url] of text.matchAll(/--data &#39;(.*?)&#39; (http\S+\/changes)/g)) {
        assert.equal(url, `${started.url}/api/sets/maps/changes`);
        const { status, body } = await askJson(url!, JSON.parse(json!.replaceAll('&quot;', '"')));
        assert.deepEqual([status, body.rejected], [200, 0]);
      }
      assert.doesNotMatch(text, /\/sets\/(letters|papers|lane)/);
    }
  });

  /** The overview, and the pages to which its navigation leads. */
  async function pagesOfApi(): Promise<ReadonlyMap<string, string>> {
    const overview = await ask(`${started.url}/api/`);
    assert.deepEqual([overview.status, overview.headers['content-type']], [200, 'text/html; charset=utf-8']);
    const links = [...overview.text.matchAll(/href="[^"#]*(reference\/\w+)"/g)].map(at(1));
    const pages = new Map([['/api/', overview.text]]);
    for (const path of new Set(links)) pages.set(`/api/${path}`, (await ask(`${started.url}/api/${path}`)).text);
    return pages;
  }

  it('is found without the slash', async () => {
    const { status, headers } = await ask(`${started.url}/api`);
    assert.deepEqual([status, headers.location], [308, './api/']);
  });
});

function at(group: number) {
  return (match: RegExpMatchArray) => match[group]!;
}

function lasting(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ANSWER.includes(name)));
}
