import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { formatStamp } from '../../src/core/stamp.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import type { OpenApiDocument } from '../../src/http/openapi/openapi-document.ts';
import { timeName } from '../../src/publish/archives/stored-archive.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import type { Upload } from '../../src/streams/uploads/upload.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

/** What differs from one answer to the next, or says how the body would be cut into pieces. */
const OF_ONE_ANSWER = ['date', 'x-request-id', 'connection', 'keep-alive', 'transfer-encoding', 'content-length'];

describe('The description of the API that a server gives', () => {
  let started: StartedApp;
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
    started = await startApp(SQLITE, { hub: { kind: 'inside' } });
    const root = await makeFolder(started, 'papers');
    await mkdir(join(root, '2026'));
    await writeFile(join(root, '2026/a.pdf'), 'the bytes of a paper');
    await started.app.sets.add({ slug: 'papers', origin: originOfRoot(root), windowChanges: 1 });
    await started.app.sets.markReady('papers');
    await started.app.organizations.add('lane', { contacts: [] });
    await started.app.organizations.addStream('lane', 'main');
    const upload = await started.app.uploads.begin('lane');
    await upload.add('a.mrc', [Buffer.from('a')]);
    await processOf(await upload.finish({}));
    // No loop keeps them in sync here.
    for (const { slug } of await started.app.sets.list()) await started.app.sets.markReady(slug);
    const resumable = await started.app.resumableUploads.begin('lane', {
      files: [{ name: 'b.mrc', length: 10 }],
      length: 10,
    });
    resumableId = resumable.upload.id;
    await started.app.jobs.add('archive-log', '20261123T020000Z', {});
    const changes = [{ location: { value: '2026/a.pdf', type: 'rel_path' }, change: 'created', length: 20 }];
    assert.equal((await askJson(`${started.url}/api/sets/papers/changes`, { changes })).body.applied, 1);
    file = `${(await started.app.dumps.build('papers', {})).packages[0]!.name}.zip`;
    datetime = await keepVersion();
    const { at, dump } = await started.app.listArchives.keep('papers');
    times = { list: timeName(at), dump: timeName(dump!.completed) };
    document = (await askJson(`${started.url}/api/openapi.json`)).body;
  });
  after(closeApps);

  function processOf(upload: Upload): Promise<unknown> {
    const signal = new AbortController().signal;
    return started.app.uploadProcessor.process(upload, { signal, isLast: true, report() {}, log() {} });
  }

  async function keepVersion(): Promise<string> {
    const { sets, sourceOf, updater, index } = started.app;
    const set = await sets.change('papers', { keepVersions: true });
    const scan = () => sync({ set, source: sourceOf(set), updater });
    await scan();
    for (const content of ['second', 'third']) {
      await writeFile(join(started.folder, 'papers/2026/a.pdf'), content);
      await scan();
    }
    changeFile = `${(await started.app.dumps.build('papers', {})).changes!.packages[0]!.name}.zip`;
    const [change] = await index.latest(set.id, { limit: 1 });
    return formatStamp(change!.stamp);
  }

  /** The path of an operation, with the examples of the description. */
  function filled(path: string): string {
    const { parameters } = Object.values(document.paths[path]!)[0]!;
    const known: Readonly<Record<string, string>> = {
      ...(path.includes('changedump-of-') && { name: changeFile.split('-', 2).join('-') }),
      file: path.includes('/changedumps/') ? changeFile : file,
      upload: resumableId,
      datetime,
      time: path.includes('resourcedump') ? times.dump : times.list,
    };
    const names = path.replace(
      /\{(\w+)\}/g,
      (_, name) => known[name] ?? String(parameters.find((parameter) => parameter.name === name)?.example),
    );
    return /\/resource(\/history)?$/.test(path) ? `${names}?key=/2026/a.pdf` : names;
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

  it('is a page for people, too', async () => {
    const { status, text, headers } = await ask(`${started.url}/api/`);
    assert.equal(status, 200);
    assert.match(String(headers['content-type']), /^text\/html/);
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const { operationId, tags } of Object.entries(methods).flatMap(([name, one]) =>
        name === 'head' ? [] : one,
      )) {
        assert.equal(text.includes(`id="${operationId}"`), !tags.includes('pages'), `${path} ${operationId}`);
      }
    }
    for (const name of Object.keys(document.components.schemas)) assert.ok(text.includes(`id="${name}"`), name);
    const links = [...text.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id!);
    assert.deepEqual(
      links.filter((id) => !text.includes(`id="${id}"`)),
      [],
    );
  });

  it('is found without the slash', async () => {
    const { status, headers } = await ask(`${started.url}/api`);
    assert.deepEqual([status, headers.location], [308, './api/']);
  });
});

function lasting(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_ONE_ANSWER.includes(name)));
}
