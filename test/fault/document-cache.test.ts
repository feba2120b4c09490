import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { DocumentCache, type Render, type RenderTask } from '../../src/publish/cache/document-cache.ts';
import { BODY_ENDING, writeDocument } from '../../src/publish/cache/document-files.ts';
import type { DocumentReference } from '../../src/publish/cache/document-reference.ts';
import type { PublishedDocument } from '../../src/publish/published-document.ts';
import { basisOf } from '../../src/publish/render/incremental-render.ts';
import type { RenderJob } from '../../src/publish/render/render-job.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { requireWholeDocuments } from '../support/fault-checks.ts';
import { closeFaultSources, FaultSource, type ServingProcess, SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

/** Milliseconds that a body stays when it is replaced, and until its time is over. */
const GRACE = 50;
const AFTER_GRACE = 100;

const MAKING: RenderTask = {
  newest: 0,
  job: { kind: 'source-description', document: { describedBy: 'http://example.org/', capabilityLists: [] } },
};

const PAGE: RenderJob = {
  kind: 'resource-page',
  set: 1,
  range: { from: '/a' },
  head: { at: 1, capabilityList: 'http://example.org/capabilitylist.xml' },
  style: { urlPrefix: 'http://example.org/', publishHashes: [] },
};

/** Larger than what is kept in memory. */
async function* text(): AsyncIterable<string> {
  yield 'a document '.repeat(10_000);
}

describe('a published document', () => {
  afterEach(closeFaultSources);

  it('is made anew by a server that finds it full of zeros on its disk', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const listOf = ({ url }: ServingProcess) => ask(`${url}/sets/${SLUG}/resourcelist.xml`);
    const server = await source.serve();
    const { text: list } = await listOf(server);
    server.process.signal('SIGTERM');
    await server.process.exit();
    const folder = join(source.folder, 'documents');
    for (const name of await readdir(folder, { recursive: true })) {
      if (name.endsWith(BODY_ENDING))
        await writeFile(join(folder, name), Buffer.alloc((await stat(join(folder, name))).size));
    }
    const again = await listOf(await source.serve());
    assert.equal(again.status, 200);
    assert.equal(again.text, list);
  });
});

describe('a document cache', () => {
  let dataFolder: string;

  beforeEach(async () => {
    dataFolder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  });

  afterEach(() => rm(dataFolder, { recursive: true, force: true }));

  const renderToDisk: Render = (record, { newest }) => writeDocument(record, text(), { newest, immutable: false });
  const openCache = (render = renderToDisk) =>
    new DocumentCache({ folder: join(dataFolder, 'documents'), mostBytes: 1e9, render, grace: GRACE });

  const requireNothingLeft = () =>
    until('no body is left that no record names', async () => (await requireWholeDocuments(dataFolder)) === 0);

  it('keeps a document that was made anew while it was requested', async () => {
    const cache: DocumentCache = openCache(async (record, task) => {
      const made = await renderToDisk(record, task);
      await cache.get(version(1), () => MAKING);
      return made;
    });
    await cache.get(version(1), () => MAKING);
    await cache.refresh(version(1), MAKING);
    await wait(AFTER_GRACE);
    await requireReadable(await cache.get(version(1), () => MAKING));
    await requireNothingLeft();
  });

  it('makes a document anew whose body is not whole, as after a power failure', async () => {
    await openCache().get(version(1), () => MAKING);
    const folder = join(dataFolder, 'documents', version(1).folder);
    const [body] = (await readdir(folder)).filter((name) => name.endsWith('.xml.gz'));
    await truncate(join(folder, body!), 10);
    await requireReadable(await openCache().get(version(1), () => MAKING));
  });

  it('makes a document anew whose body has the right size and other bytes, when a process first needs it', async () => {
    await openCache().get(version(1), () => MAKING);
    const folder = join(dataFolder, 'documents', version(1).folder);
    const [body] = (await readdir(folder)).filter((name) => name.endsWith('.xml.gz'));
    const file = join(folder, body!);
    const good = await readFile(file);
    const flipped = Buffer.from(good);
    flipped[good.length - 20]! ^= 1;
    for (const bad of [Buffer.alloc(good.length), flipped]) {
      await writeFile(file, bad);
      await requireReadable(await openCache().get(version(1), () => MAKING));
    }
  });

  it('makes no newer version of a body that has other bytes', async () => {
    const plan = (newest: number) => ({ newest, job: PAGE });
    const olderOnes: (number | undefined)[] = [];
    const render: Render = async (record, { newest, older }) => {
      olderOnes.push(older?.newest);
      return writeDocument(record, text(), { newest, immutable: false, basis: basisOf(PAGE) });
    };
    const begun = openCache(render);
    await begun.get(version(1), () => plan(1));
    const folder = join(dataFolder, 'documents', version(1).folder);
    const [body] = (await readdir(folder)).filter((name) => name.endsWith('.xml.gz'));
    const file = join(folder, body!);
    const bytes = await readFile(file);
    bytes[bytes.length - 5]! ^= 1;
    await writeFile(file, bytes);
    const cache = openCache(render);
    await cache.scan();
    await cache.get(version(2), () => plan(2));
    assert.deepEqual(olderOnes, [undefined, undefined]);
  });

  it('removes records that a power failure left empty, and their bodies', async () => {
    const names = async () => (await readdir(join(dataFolder, 'documents'), { recursive: true })).sort();
    const pathOf = (name: string) => join(dataFolder, 'documents', name);
    await openCache().get(version(1), () => MAKING);
    const lost = (await names()).filter((name) => name.includes('.'));
    await openCache().get({ ...version(1), name: 'changelist' }, () => MAKING);
    const whole = (await names()).filter((name) => !lost.includes(name));
    for (const name of lost) {
      if (!name.endsWith(BODY_ENDING)) await writeFile(pathOf(name), '');
      await utimes(pathOf(name), 0, 0);
    }
    await openCache().removeLeftOver();
    assert.deepEqual(await names(), whole);
  });

  it('counts the documents of an earlier process also when something left over cannot be removed', async () => {
    await openCache().get(version(1), () => MAKING);
    // The first folder that is scanned has a folder in place of a file.
    const left = join(dataFolder, 'documents', '0', 'left-over');
    await mkdir(left, { recursive: true });
    await utimes(left, 0, 0);
    const cache = openCache();
    await cache.scan();
    assert.equal(cache.figures().documents, 1);
    await assert.rejects(cache.removeLeftOver(), { code: 'ERR_FS_EISDIR' });
  });

  it('keeps the newest of two versions that a killed process left', async () => {
    for (const number of [2, 1]) await openCache().get(version(number), () => MAKING);
    const cache = openCache();
    await cache.scan();
    await wait(AFTER_GRACE);
    assert.equal(await cache.peek(version(1)), undefined);
    await requireReadable(await cache.get(version(2), () => assert.fail('it is there')));
    await requireNothingLeft();
  });

  it('keeps a document that was requested before the files of the earlier process were read', async () => {
    await openCache().get(version(1), () => MAKING);
    const cache = openCache();
    for (const scan of [async () => {}, () => cache.scan()]) {
      await scan();
      await requireReadable(await cache.get(version(1), () => assert.fail('it is there')));
    }
    assert.equal(cache.figures().documents, 1);
  });

  it('leaves nothing behind when two processes render the same documents', async () => {
    const caches = [openCache(), openCache()];
    for (const number of [1, 2, 3]) {
      await Promise.all(caches.map((cache) => cache.get(version(number), () => MAKING)));
      await wait(AFTER_GRACE);
      for (const cache of caches) await requireReadable(await cache.get(version(number), () => MAKING));
    }
    await wait(AFTER_GRACE);
    await requireNothingLeft();
  });

  it('counts one version of a document, also of those that another process makes', async () => {
    const [one, other] = [openCache(), openCache()];
    for (const number of [1, 2, 3]) {
      await one.get(version(number), () => MAKING);
      await other.get(version(number), () => assert.fail('it is there'));
    }
    for (const cache of [one, other]) assert.equal(cache.figures().documents, 1);
    assert.equal(other.figures().bytes, one.figures().bytes);
    await wait(AFTER_GRACE);
    await requireNothingLeft();
  });

  it('passes the older version to the renderer while that exists', async () => {
    const passed: (number | undefined)[] = [];
    const cache = openCache(async (record, { newest, older }) => {
      passed.push(older?.newest);
      if (older !== undefined) assert.equal(gunzipSync(await readFile(older.file)).length, older.length);
      return writeDocument(record, text(), { newest, immutable: false, basis: basisOf(PAGE) });
    });
    const plan = (newest: number, job: RenderJob = PAGE) => ({ newest, job });
    await cache.get(version(1), () => plan(1));
    await cache.get(version(2), () => plan(2));
    await cache.get({ ...version(3), fingerprint: 'other' }, () => plan(3));
    await cache.get(version(4), () => plan(4));
    await cache.get(version(5), () => plan(5, { ...PAGE, range: { from: '/b' } }));
    await cache.refresh(version(6), plan(6));
    assert.deepEqual(passed, [undefined, 1, undefined, undefined, undefined, undefined]);
    await wait(AFTER_GRACE);
    await requireNothingLeft();
  });

  it('serves what it made although another process has removed it at once', async () => {
    const cache = openCache(async (record, task) => {
      const made = await renderToDisk(record, task);
      await rm(record);
      return made;
    });
    await requireReadable(await cache.get(version(1), () => MAKING));
    await wait(AFTER_GRACE);
    await requireNothingLeft();
  });

  it('serves what another process has made anew', async () => {
    const [one, other] = [openCache(), openCache()];
    await one.get(version(1), () => MAKING);
    await other.refresh(version(1), MAKING);
    await one.get(version(1), () => MAKING);
    await wait(AFTER_GRACE);
    for (const cache of [one, other]) await requireReadable(await cache.get(version(1), () => MAKING));
    await requireNothingLeft();
  });
});

function version(number: number): DocumentReference {
  return { folder: '1', name: 'resourcelist', version: number, fingerprint: 'f' };
}

async function requireReadable(document: PublishedDocument): Promise<void> {
  const body = await document.open('identity');
  const bytes = Buffer.isBuffer(body) ? body : await buffer(body);
  assert.equal(bytes.length, document.lengths.identity);
  assert.equal(createHash('sha256').update(bytes).digest('base64url'), document.digest);
}
