import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { dumpId, type StreamDump } from '../../src/records/dumps/stored-stream-dump.ts';
import { collect } from '../support/builders.ts';
import { readDumpFiles } from '../support/dump-consumer.ts';
import { DUMPED, DumpedStream, numbersTo, requireWholeDumps, storedDumpFiles } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const DAYS_MS = 86_400_000;

describe('Dumps of a stream', () => {
  let started: StartedApp;
  let stream: DumpedStream;
  afterEach(closeApps);

  async function begin(settings = {}): Promise<void> {
    started = await startApp(SQLITE, settings);
    await DumpedStream.make(started.app);
    stream = new DumpedStream(started.app, started.folder);
  }

  const build = (kind: 'full' | 'delta', waitMs = 0) => started.app.records.streamDumps.build(DUMPED, kind, { waitMs });
  const kinds = async () => (await started.app.records.streamDumps.list(DUMPED)).map(({ kind }) => kind);

  async function requireNothingLeft(): Promise<void> {
    const { stored, named } = await storedDumpFiles(started.app);
    assert.deepEqual(stored, named);
  }

  async function fileOfRecords(): Promise<string> {
    const [{ key } = { key: '' }] = await collect(started.app.artifacts.list('_streams/'));
    return join(started.folder, 'artifacts', key);
  }

  it('are not made of a missing artifact, and the message names it', async () => {
    await begin();
    await stream.put(numbersTo(50));
    const file = await fileOfRecords();
    const bytes = readFileSync(file);
    rmSync(file);
    await assert.rejects(
      build('full'),
      /^TidemarkError: the artifact _streams\/lane\/main\/000000001\/\w+\.avro is not in/,
    );
    assert.deepEqual(await kinds(), []);
    await requireNothingLeft();

    writeFileSync(file, bytes);
    await build('full');
    await requireWholeDumps(started.app, stream.records);
  });

  it('are not made of an artifact with one wrong byte', async () => {
    await begin();
    await stream.put(numbersTo(200));
    const file = await fileOfRecords();
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(file, bytes);
    await assert.rejects(build('full'), /the artifact cannot be read: _streams\/lane\/main\/000000001/);
    assert.deepEqual(await kinds(), []);
    await requireNothingLeft();
  });

  itOnSmallDisk('are not made on a full disk, and made when it has room again', 24, async (disk) => {
    await mkdir(join(disk.folder, 'artifacts'));
    await begin({ artifacts: { kind: 'folder', folder: join(disk.folder, 'artifacts') } });
    await stream.put(numbersTo(1_000));
    await disk.fill(50_000);
    await assert.rejects(build('full'), /disk is full|no space/i);
    assert.deepEqual(await kinds(), []);
    await requireNothingLeft();
    await disk.empty();
    await build('full');
    await requireWholeDumps(started.app, stream.records);
  });

  it('wait for an upload that is being applied, and have all of it then', async () => {
    await begin();
    await stream.put(numbersTo(20));
    await build('full');
    const { records, uploads } = stream;
    const changes = new Map([...records].slice(0, 15).map(([id]): [string, undefined] => [id, undefined]));
    const { commits, end } = await uploads.begin(changes);
    await commits[0]!();
    await assert.rejects(build('delta'), /^TidemarkError: the upload lane\/main\/000000002 is being applied/);
    await assert.rejects(build('full'), /the upload lane\/main\/000000002 is being applied/);
    const waiting = build('delta', 30_000);
    for (const post of commits.slice(1)) await post();
    await end();
    const [delta] = await waiting;
    assert.deepEqual(delta!.totals, { records: 0, deletions: 15, errata: 0 });
    await requireNothingLeft();
  });

  it('that two processes make at once are one after the other, or one is given up', async () => {
    await begin();
    await stream.put(numbersTo(30));
    const other = await openApp(started.app.configuration);
    try {
      const results = await Promise.allSettled([
        build('full'),
        other.records.streamDumps.build(DUMPED, 'full'),
        other.records.streamDumps.build(DUMPED, 'delta'),
      ]);
      for (const result of results) {
        if (result.status === 'rejected')
          assert.match(String(result.reason), /another process has made a dump of lane/);
      }
    } finally {
      await other.close();
    }
    const numbers = (await started.app.records.streamDumps.list(DUMPED)).map(({ number }) => number);
    assert.deepEqual(
      numbers,
      [...numbers.keys()].map((at) => at + 1),
    );
    await requireWholeDumps(started.app, stream.records);
    await requireNothingLeft();
  });

  it('begin anew with a full dump when the history of the set does, and the dumps before are removed', async () => {
    await begin();
    await stream.put(numbersTo(10));
    await build('full');
    await stream.put([1], 1);
    await build('delta');
    await started.app.sets.renew('lane--main');
    await stream.put([2], 1);
    assert.deepEqual(
      (await build('delta')).map(({ kind, number }) => [kind, number]),
      [['full', 3]],
    );
    assert.deepEqual(await kinds(), ['full']);
    await requireWholeDumps(started.app, stream.records);
  });

  it('are removed when newer full dumps are made, with their files a day later', async () => {
    await begin();
    const { app } = started;
    await app.records.organizations.changeStream('lane', 'main', { dumps: { keep: 1 } });
    await stream.put(numbersTo(10));
    const [first] = await build('full');
    await stream.put([1], 1);
    await build('full');
    assert.deepEqual(await kinds(), ['full']);
    await assert.rejects(app.records.streamDumps.get(DUMPED, 1), /the dump 1 of lane\/main was removed/);
    const { signal } = new AbortController();
    assert.equal(await app.records.streamDumps.removeUnused(signal), 0);

    const { body, version, id } = (await app.catalog.get<StreamDump>('stream-dump', dumpId(first!)))!;
    await app.catalog.put('stream-dump', id, { ...body, removed: Date.now() - 2 * DAYS_MS }, version);
    assert.equal(await app.records.streamDumps.removeUnused(signal), first!.files.length);
    await requireWholeDumps(app, stream.records);
  });

  it('have errata of the uploads since the last one, each once', async () => {
    await begin();
    const erratum = { file: 1, path: ['a.mrc'], ordinal: 2, offset: 100, reason: 'no 001' };
    await stream.put([1], 0, [erratum]);
    const [full] = await build('full');
    await stream.put([2], 0, [erratum, { ...erratum, ordinal: 3 }]);
    const [delta] = await build('delta');
    assert.deepEqual(await build('delta'), []);
    const errataOf = async (dump: StreamDump) => (await readDumpFiles(dump, started.app.records.streamDumps)).errata;
    assert.deepEqual(await errataOf(full!), [{ upload: 1, ...erratum }]);
    assert.deepEqual(await errataOf(delta!), [
      { upload: 2, ...erratum },
      { upload: 2, ...erratum, ordinal: 3 },
    ]);
    assert.match(full!.files[0]!.name, /^lane--main-\d{4}-\d\d-\d\d-full-marc21\.mrc\.gz$/);
  });
});
