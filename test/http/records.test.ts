import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { keyOfRecordId } from '../../src/core/record-key.ts';
import type { ResourceSet } from '../../src/core/resource-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { SyncLoop } from '../../src/sources/sync/sync-loop.ts';
import { ask, askJson } from '../support/ask.ts';
import { type ArtifactPlace, describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { describeOnEachStore, SQLITE, type StoreKind } from '../support/each-store.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { itWithReferenceClient, ReferenceClient } from '../support/reference-client.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const DAY1 = '2017-02-09T10:44:28Z';
const DAY2 = '2017-02-10T10:00:00Z';

const IDS = [
  '1',
  '.',
  '..',
  'a/../b',
  '../../etc/passwd',
  '/',
  'a b',
  '100%',
  'a%2Fb',
  'a#b?c=d&e',
  '=x',
  'http://ark.cdlib.org/ark:/13030/tf6',
  'oai:example.org:café',
  '地図\u{1f5fa}',
  'back\\slash',
  'line\nbreak',
  'l'.repeat(230),
  'é'.repeat(1_000),
];

function records(started: StartedApp, set: ResourceSet) {
  const { app, url } = started;
  const synced = () => ({ set, source: app.sources.sourceOf(set), updater: app.updater });
  return {
    synced,
    scan: () => sync(synced()),
    urlOf: (id: string) => `${url}/sets/${set.slug}/resources${keyOfRecordId(id)}`,
  };
}

async function start(kind: StoreKind, artifacts: ArtifactPlace['location']) {
  const started = await startApp(kind, { artifacts, recordsPollIntervalMs: 30 });
  const set = await started.app.sets.add({
    slug: 'cdl',
    origin: { kind: 'artifact', provider: 'cdl', activity: 'harvest' },
  });
  await started.app.sets.markReady('cdl');
  return { started, set, ...records(started, set) };
}

describeOnEachArtifactStore('Records over HTTP', (place) => {
  let source: Awaited<ReturnType<typeof start>>;
  let artifacts: ArtifactStore;
  beforeEach(async () => {
    source = await start(SQLITE, place.location);
    artifacts = place.open();
  });
  afterEach(async () => {
    await artifacts.close();
    await closeApps();
  });

  it('are documents with their own types, whatever their ids are', async () => {
    const written = IDS.map((id, at) => record(id, `${at} ${id}`, at % 2 === 0 ? 'text/turtle' : 'application/json'));
    await putArtifact(artifacts, written, { start: DAY1 });
    await source.scan();
    for (const { id, document, mimetype } of written) {
      const { status, headers, text } = await ask(source.urlOf(id));
      assert.deepEqual([status, headers['content-type'], text], [200, mimetype, document], id);
    }
    const list = (await ask(`${source.started.url}/sets/cdl/resourcelist.xml`)).text;
    const locs = [...list.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, loc]) => loc!.replaceAll('&amp;', '&'));
    assert.deepEqual(locs.toSorted(), IDS.map(source.urlOf).toSorted());
    assert.ok(!list.includes('.avro'), 'its place is not published');
  });

  it('have parts, an ETag and a date, and answer HEAD and conditions', async () => {
    await putArtifact(artifacts, [record('0', 'zero'), record('a', '0123456789')], { start: DAY1, codec: 'null' });
    await source.scan();
    const url = source.urlOf('a');
    const { headers } = await ask(url);
    const etag = `"${createHash('sha256').update('0123456789').digest('hex')}"`;
    assert.equal(headers.etag, etag);
    assert.equal(headers['last-modified'], 'Thu, 09 Feb 2017 10:44:28 GMT');
    assert.equal(headers['content-length'], '10');
    assert.equal(headers['content-security-policy'], "sandbox; frame-ancestors 'self'");
    assert.match(String(headers.link), /capabilitylist\.xml>; rel="resourcesync"/);

    const head = await ask(url, { method: 'HEAD' });
    assert.deepEqual([head.status, head.bytes.length, head.headers['content-length']], [200, 0, '10']);
    for (const condition of [{ 'If-None-Match': etag }, { 'If-Modified-Since': headers['last-modified']! }]) {
      assert.equal((await ask(url, { headers: condition as Record<string, string> })).status, 304);
    }
    assert.equal((await ask(url, { headers: { 'If-Match': '"other"' } })).status, 412);
    const part = await ask(url, { headers: { Range: 'bytes=2-4', 'If-Range': etag } });
    assert.deepEqual([part.status, part.text, part.headers['content-range']], [206, '234', 'bytes 2-4/10']);
    assert.equal((await ask(url, { headers: { Range: 'bytes=10-' } })).status, 416);
  });

  it('are the new ones as soon as a newer artifact was compared, and 404 when it has them not', async () => {
    await putArtifact(artifacts, [record('a', 'one'), record('b')], { start: DAY1 });
    await source.scan();
    // The second answer is one that was kept.
    for (let at = 0; at < 2; at++) assert.equal((await ask(source.urlOf('a'))).text, 'one');
    await putArtifact(artifacts, [record('a', 'two')], { start: DAY2 });
    await source.scan();
    for (let at = 0; at < 2; at++) assert.equal((await ask(source.urlOf('a'))).text, 'two');
    assert.equal((await ask(source.urlOf('b'))).status, 404);
    assert.equal((await ask(source.urlOf('never'))).status, 404);
  });
});

describe('Records whose artifact is damaged', () => {
  const folder = useTempFolder();
  afterEach(closeApps);

  it('answer that it is, and are all there still', async () => {
    const location = { kind: 'folder', folder: folder.at('artifacts') } as const;
    const { scan, urlOf } = await start(SQLITE, location);
    const artifacts = openArtifacts(location);
    const key = await putArtifact(artifacts, [record('a'), record('b')], { start: DAY1, codec: 'null' });
    await scan();
    const bytes = readFileSync(folder.at(`artifacts/${key}`));
    const said = async () => {
      const { status, body, headers } = await askJson(urlOf('a'));
      assert.deepEqual([status, body.error.code, body.error.artifact], [503, 'unavailable', key]);
      assert.ok(headers['retry-after'] !== undefined);
      return body.error.message as string;
    };
    folder.remove(`artifacts/${key}`);
    assert.match(await said(), /is not in .* \(any more\): put it back/);
    folder.write(`artifacts/${key}`, bytes.subarray(0, bytes.length - 20));
    assert.match(await said(), /cannot be read: cdl\/harvest.*is cut off/);
    const other = Buffer.from(bytes);
    other.write('x', bytes.indexOf('<record>a'));
    folder.write(`artifacts/${key}`, other);
    assert.match(await said(), /is not what it was when it was compared: record 0 of the block at byte \d+/);
    folder.write(`artifacts/${key}`, bytes);
    assert.equal((await ask(urlOf('a'))).text, '<record>a</record>');
    assert.equal((await ask(`${urlOf('b')}`)).status, 200);
  });
});

describeOnEachStore('A set of records over HTTP', (store, itOnce) => {
  const folder = useTempFolder();
  let source: Awaited<ReturnType<typeof start>>;
  let artifacts: ArtifactStore;
  beforeEach(async () => {
    const location = { kind: 'folder', folder: folder.at('artifacts') } as const;
    source = await start(store, location);
    artifacts = openArtifacts(location);
  });
  afterEach(closeApps);

  itOnce('accepts no posted changes, and says where its changes come from', async () => {
    const { status, body } = await askJson(`${source.started.url}/api/sets/cdl/changes`, { changes: [] });
    assert.deepEqual([status, body.error.code, body.error.records], [409, 'conflict', 'cdl/harvest']);
    assert.match(body.error.message, /run "tidemark activity run harvest cdl"/);
  });

  itOnce('says whose records it has', async () => {
    const key = await putArtifact(artifacts, [record('a/b')], { start: DAY1 });
    await source.scan();
    const { body } = await askJson(`${source.started.url}/api/sets/cdl`);
    assert.deepEqual([body.records, body.hasRoot], ['cdl/harvest', true]);
    const page = await ask(`${source.started.url}/sets/cdl/`, { headers: { Accept: 'text/html' } });
    assert.match(page.text, /records of <code>cdl\/harvest<\/code>/);
    assert.ok(page.text.includes(key));
    assert.ok(page.text.includes('>a/b</a>'), 'ids are shown as they are');
  });

  itOnce('is kept in sync by a server, which reports trouble once', async () => {
    const events: string[] = [];
    const loop = new SyncLoop({
      ...source.synced(),
      retryDelayMs: 20,
      events: {
        onScanned: ({ created, updated, deleted }) => events.push(`+${created} ~${updated} -${deleted}`),
        onTrouble: ({ message }) => events.push(`trouble: ${message.slice(0, 39)}`),
        onRecovered: () => events.push('recovered'),
      },
    });
    loop.start();
    try {
      await until('trouble', async () => events.length > 0);
      // Artifacts are named by the second, and looked for among those of today.
      const now = Date.now();
      const at = (time: number) => ({ start: new Date(time).toISOString() });
      await putArtifact(artifacts, [record('a'), record('b')], at(now - 1_000));
      assert.equal((await loop.firstSync)?.created, 2);
      await putArtifact(artifacts, [record('a'), record('b', 'new')], at(now));
      await until('the second', async () => events.length >= 4);
      assert.deepEqual(events, [
        'trouble: there is no artifact of cdl/harvest in ',
        '+2 ~0 -0',
        'recovered',
        '+0 ~1 -0',
      ]);
    } finally {
      await loop.stop();
    }
  });

  if (store.kind === 'sqlite') {
    itWithReferenceClient('is copied by the reference client, and the copy stays in sync', async () => {
      const copies = mkdtempSync(join(tmpdir(), 'copy-'));
      try {
        const client = new ReferenceClient(`${source.started.url}/sets/cdl`, copies);
        await putArtifact(
          artifacts,
          IDS.map((id) => record(id, `1 ${id}`)),
          { start: DAY1 },
        );
        await source.scan();
        assert.equal((await client.baseline()).created, IDS.length);
        const list = await ask(`${source.started.url}/sets/cdl/resourcelist.xml`);
        const [, at] = /at="([^"]*)"/.exec(list.text) ?? [];
        await putArtifact(
          artifacts,
          IDS.slice(1).map((id, at) => record(id, at === 2 ? 'new' : `1 ${id}`)),
          { start: DAY2 },
        );
        await source.scan();
        const { updated, deleted } = await client.incremental({ from: at! });
        assert.deepEqual([updated, deleted], [1, 1]);
        const files = readdirSync(client.copy, { recursive: true, withFileTypes: true }).filter((entry) =>
          entry.isFile(),
        );
        assert.equal(files.length, IDS.length - 1);
        assert.equal((await client.audit()).status, 'IN SYNC');
      } finally {
        rmSync(copies, { recursive: true });
      }
    });
  }
});
