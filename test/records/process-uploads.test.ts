import assert from 'node:assert/strict';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import { isTidemarkError, TidemarkError } from '../../src/core/errors.ts';
import { readUploadState, statusOf } from '../../src/records/arrivals/upload-state.ts';
import { removeUnusedReadings } from '../../src/records/deliveries/remove-unused.ts';
import type { Erratum } from '../../src/records/errata/erratum.ts';
import { MarcRecord } from '../../src/records/forms/marc/marc-record.ts';
import { MARCXML_NAMESPACE } from '../../src/records/forms/marc/marcxml-markup.ts';
import { writeMarcXml } from '../../src/records/forms/marc/write-marcxml.ts';
import { ageOrganization } from '../support/aged-organization.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { jsonLines } from '../support/json-lines.ts';
import { bytesOf, ModelStream, RANDOM_UPLOADS, type RandomFile } from '../support/random-uploads.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc, tar, zip } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

describeOnEachStore('a processed upload', (store, itOnce) => {
  let started: StartedApp;
  let stream: ProcessedStream;

  beforeEach(async () => {
    started = await startApp(store);
    stream = await ProcessedStream.make(started.app);
  });
  afterEach(closeApps);

  const stateOf = async (number: number) =>
    (await readUploadState(started.app.catalog, { organization: 'lane', stream: 'main', number }))!.body;
  const errataOf = async (number: number): Promise<readonly Erratum[]> => {
    const { body } = await started.app.artifacts.get((await stateOf(number)).read!.errata!);
    const text = Buffer.concat(await body.toArray()).toString();
    return jsonLines(text);
  };

  it('publishes its records, and says what each file was taken for', async () => {
    const pack = tar({
      'new.mrc': Buffer.concat([marc('2', 'new'), marc('3')]),
      'read.me': '%PDF-1.4',
      gone: '1\n7\n',
    });
    const number = await stream.upload({
      'full.mrc': Buffer.concat([marc('1'), marc('2')]),
      'more.tgz': gzipSync(pack),
    });
    const applied = await stream.process(number);
    const { at: _, ...totals } = applied;
    // The list of deletions counts before the records of the same upload.
    assert.deepEqual(totals, {
      created: 3,
      updated: 0,
      deleted: 0,
      unchanged: 0,
      unknown: 1,
      superseded: 0,
      replaced: 2,
      replacedInFiles: [1, 1, 0, 0],
    });
    assert.deepEqual(await stream.records(), {
      1: marc('1').toString().replace('nam a22', 'nam a22'),
      2: marc('2', 'new').toString(),
      3: marc('3').toString(),
    });
    const state = await stateOf(number);
    assert.equal(statusOf(state), 'processed');
    assert.deepEqual(state.read!.totals, { files: 4, records: 4, deletions: 2, errors: 0 });
    const taken = state.read!.files.map(({ file, path, kind, records, deletions }) => {
      return [file, path.join('/'), kind, records, deletions];
    });
    assert.deepEqual(taken, [
      [2, 'more.tgz/gone', 'deleted-ids', 0, 2],
      [1, 'full.mrc', 'marc21', 2, 0],
      [2, 'more.tgz/new.mrc', 'marc21', 2, 0],
      [2, 'more.tgz/read.me', 'unknown', 0, 0],
    ]);
    assert.match(state.read!.files[3]!.reason!, /it is a PDF/);
    assert.equal(state.read!.errata, undefined);
    const { state: resource } = await stream.resource('2');
    assert.equal(resource.mime, 'application/marc');
    assert.equal(
      resource.lastmod,
      Math.floor((await started.app.records.uploads.get('lane', 'main', number)).received / 1000),
    );
  });

  itOnce('fails, and publishes nothing, when a stored file is not the one that was uploaded', async () => {
    const { uploads } = started.app.records;
    const { artifacts } = started.app;
    // Long enough that not all of it is read to see what it is.
    const records = Buffer.concat(Array.from({ length: 1_000 }, (_, at) => marc(`${at}`, 'title'.padEnd(2_000, '.'))));
    const damage = (bytes: Buffer, from: string, to: string) => {
      const copy = Buffer.from(bytes);
      copy.write(to, copy.indexOf(from), 'latin1');
      return [bytes, copy] as const;
    };
    const elements = writeMarcXml(new MarcRecord(marc('1'))).repeat(10_000);
    const xml = Buffer.from(`<collection xmlns="${MARCXML_NAMESPACE}">${elements}</collection>`);
    const packed = gzipSync(records, { level: 0 });
    const damages: Readonly<Record<string, readonly [Buffer, Buffer]>> = {
      'a.mrc': damage(records, 'title', 'tatle'),
      // These end the reading of the file, or of what is in it, as errors of it.
      'a.xml': damage(xml, '</record>', '</racord>'),
      'a.mrc.gz': damage(Buffer.concat([packed, packed]), 'title', 'tatle'),
      'a.zip': damage(zip({ 'a.mrc': records }, { method: 0 }), 'title', 'tatle'),
    };
    for (const [name, [whole, damaged]] of Object.entries(damages)) {
      const number = await stream.upload({ [name]: whole, 'b.mrc': marc('2') });
      const { artifact } = (await uploads.get('lane', 'main', number)).files[0]!;
      await artifacts.delete(artifact);
      await artifacts.put(artifact, [damaged]);
      await assert.rejects(stream.process(number), /the stored bytes of _uploads\S+ are damaged/, name);
    }
    assert.deepEqual(await stream.changes(), []);
  });

  itOnce(
    'publishes the neighbours of a record that cannot be read, and lists that one with its place and the reason',
    async () => {
      const bad = Buffer.from(marc('2', 'note'));
      bad[bad.indexOf('note')] = 0xff;
      const number = await stream.upload({ 'a.zip': zip({ 'x.mrc': Buffer.concat([marc('1'), bad, marc('3')]) }) });
      await stream.process(number);
      assert.deepEqual(Object.keys(await stream.records()), ['1', '3']);
      const [erratum, ...more] = await errataOf(number);
      assert.deepEqual(more, []);
      const { reason, ...place } = erratum!;
      assert.deepEqual(place, {
        ...{ file: 1, path: ['a.zip', 'x.mrc'], ordinal: 2, offset: marc('1').length, id: '2' },
        ...{ field: '500', occurrence: 1, subfield: 'a', position: 1 },
        ...{ before: '$a ', fault: '\\xFF', after: 'ote', kind: 'latin-1' },
      });
      assert.match(reason, /has the byte FF, which is not UTF-8/);
      assert.deepEqual((await stateOf(number)).read!.totals, { files: 1, records: 2, deletions: 0, errors: 1 });
    },
  );

  it('makes no change of what is published already, byte for byte, and each change once', async () => {
    const first = await stream.upload({ a: Buffer.concat([marc('1'), marc('2', 'one'), marc('3')]) });
    await stream.process(first);
    const second = await stream.upload({ b: Buffer.concat([marc('1'), marc('2', 'two')]), c: '3\n3\n4\n' });
    const applied = await stream.process(second);
    assert.deepEqual([applied.unchanged, applied.updated, applied.deleted, applied.unknown], [1, 1, 1, 1]);
    assert.deepEqual(await stream.process(second), applied, 'a second job for it changes nothing');
    assert.deepEqual((await stream.changes()).toSorted(), [
      ...['created 1', 'created 2', 'created 3', 'deleted 3', 'updated 2'],
    ]);
    const { order, state } = await stream.resource('1');
    assert.equal(order, second, 'a late upload in between would not win');
    const { received } = await started.app.records.uploads.get('lane', 'main', first);
    assert.equal(state.lastmod, Math.floor(received / 1000));
  });

  itOnce('has failed when nothing of it was taken, with the reason, and is read again when it is retried', async () => {
    const number = await stream.upload({ 'a.pdf': '%PDF-', 'empty.mrc': '', 'bad.mrc': `${marc('1')}`.slice(0, -1) });
    const reason = /^nothing was taken of a\.pdf: it is a PDF: .*; nor of 2 other files$/;
    for (let times = 1; times <= 2; times++) {
      await assert.rejects(stream.process(number), (error) => isTidemarkError(error, 'invalid'));
      const { failure, read, applying } = await stateOf(number);
      assert.match(failure!.error, reason);
      assert.deepEqual([failure!.isFinal, read!.files.length, read!.totals.errors, applying], [true, 3, 1, undefined]);
      assert.equal((await errataOf(number)).length, 1);
    }
    assert.deepEqual(await stream.changes(), []);
  });

  itOnce('that has no records is processed when a file of it says so, whatever comes along', async () => {
    const pack = zip({ 'changes.del.txt': '', 'read.me': 'Nothing was deleted today.\n' });
    const { at: _, ...totals } = await stream.process(await stream.upload({ 'night.zip': pack }));
    assert.deepEqual(new Set(Object.values(totals)), new Set([0]));
    assert.deepEqual(await stream.changes(), []);
  });

  itOnce('does not wait for one of another organization that is being processed', async () => {
    const first = await stream.upload({ a: marc('1') });
    const { app } = started;
    await app.records.organizations.add('green', { contacts: [] });
    await app.records.organizations.addStream('green', 'main');
    const receiving = await app.records.uploads.begin('green', 'main');
    await receiving.add('b', [marc('2')]);
    const second = await receiving.finish({ stream: 'main' });
    const ended: string[] = [];
    const [begun, holding] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const confirm = () => {
      begun.resolve();
      return holding.promise;
    };
    const processing = stream.process(first, { confirm }).then(() => ended.push('lane'));
    await begun.promise;
    const { signal } = new AbortController();
    await app.records.uploadProcessor.process(second, { signal, isLast: false, report() {}, log() {} });
    ended.push('green');
    holding.resolve();
    await processing;
    assert.deepEqual(ended, ['green', 'lane']);
  });

  itOnce('adds what the normalization of its organization says', async () => {
    await started.app.records.organizations.change('lane', { normalization: { kind: 'pod', code: 'LANE', items: [] } });
    await stream.process(await stream.upload({ a: marc('1') }));
    const { 1: record } = await stream.records();
    assert.match(record!, /\x1f5POD\x1fbLANE\x1e\x1d$/);
  });

  it('has failed after the last attempt, with the reason, until it can be read', async () => {
    const number = await stream.upload({ a: marc('1') });
    const { files } = await started.app.records.uploads.get('lane', 'main', number);
    const { name } = started.app.artifacts;
    const bytes = Buffer.concat(await (await started.app.artifacts.get(files[0]!.artifact)).body.toArray());
    await started.app.artifacts.delete(files[0]!.artifact);
    await assert.rejects(stream.process(number), (error) => isTidemarkError(error));
    assert.equal(statusOf(await stateOf(number)), 'waiting');
    await assert.rejects(stream.process(number, { isLast: true }));
    const failed = await stateOf(number);
    assert.equal(statusOf(failed), 'failed');
    assert.match(failed.failure!.error, /^there is no _uploads\/lane/);
    assert.ok(!failed.failure!.error.includes(started.folder), `${failed.failure!.error} in ${name}`);
    assert.deepEqual(await stream.changes(), []);
    await started.app.artifacts.put(files[0]!.artifact, [bytes]);
    await stream.process(number);
    assert.equal(statusOf(await stateOf(number)), 'processed');
    assert.equal((await stateOf(number)).failure, undefined);
  });

  itOnce('keeps its artifacts when the store has recorded them, and its answer is lost', async () => {
    const { artifacts, catalog } = started.app;
    const { put } = catalog;
    let lost = 0;
    // The client repeats such a request, which is then a conflict.
    catalog.put = async (kind, id, body, replaces) => {
      const version = await put.call(catalog, kind, id, body, replaces);
      if (kind !== 'upload-state') return version;
      lost += 1;
      throw new TidemarkError('conflict', `${id} has changed`);
    };
    const number = await stream.upload({ a: Buffer.concat([marc('1'), Buffer.from('no record')]) });
    await stream.process(number);
    assert.ok(lost > 0);
    const stored = (await collect(artifacts.list('_streams/'))).flat().map(({ key }) => key);
    const { records, errata } = (await stateOf(number)).read!;
    assert.deepEqual(stored.toSorted(), [records!, errata!].toSorted());
    assert.deepEqual(Object.keys(await stream.records()), ['1']);
  });

  itOnce('leaves nothing behind when it is stopped while it is read', async () => {
    const number = await stream.upload({ a: Buffer.concat(Array.from({ length: 40_000 }, (_, id) => marc(`${id}`))) });
    const stopping = new AbortController();
    const processing = stream.process(number, { signal: stopping.signal });
    setImmediate(() => stopping.abort(new Error('stopped')));
    await assert.rejects(processing, /stopped/);
    await stream.process(number);
    const keys = (await collect(started.app.artifacts.list('_streams/'))).flat();
    assert.equal(keys.length, 1);
    await rm(join(started.folder, 'artifacts', '.unfinished'), { recursive: true, force: true });
  });

  itOnce('loses what an attempt has left that was not the first, a week later', async () => {
    const { app, folder } = started;
    await stream.process(await stream.upload({ a: Buffer.concat([marc('1'), Buffer.from('no record')]) }));
    const keys = async () => (await collect(app.artifacts.list('_streams/'))).flat().map(({ key }) => key);
    const used = await keys();
    const place = { organization: 'lane', stream: 'main', number: 1, id: '0'.repeat(32) };
    const unused = formatKey({ kind: 'stream-records', ...place });
    const ofUnknown = formatKey({ kind: 'upload-errata', ...place, number: 2 });
    for (const key of [unused, ofUnknown]) await app.artifacts.put(key, [Buffer.from('left')]);
    const { signal } = new AbortController();
    assert.equal(await removeUnusedReadings(app, signal), 0);
    const old = new Date(Date.now() - 8 * 86_400_000);
    for (const key of await keys()) await utimes(join(folder, 'artifacts', key), old, old);
    await ageOrganization(app, 'lane');
    assert.equal(await removeUnusedReadings(app, signal), 1);
    assert.deepEqual(await keys(), [...used, ofUnknown].toSorted());
  });

  it('counts by its number, whenever it is processed, and says what became of each of its records and deletions', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(RANDOM_UPLOADS, async ({ uploads, order, again }) => {
        run += 1;
        await started.app.records.organizations.addStream('lane', `run-${run}`);
        const one = new RandomStream(started.app, `run-${run}`, uploads);
        for (const files of uploads) await one.upload(files);
        for (const at of order) await one.process(at % uploads.length);
        for (const at of again) await one.process(at % uploads.length);
        for (const at of uploads.keys()) await one.process(at);
        await one.compare();
      }),
      { numRuns: store.kind === 'sqlite' ? 40 : 6 },
    );
  });
});

/** Uploads random files to a stream, and compares its set, and what became of each upload, with a model. */
class RandomStream {
  readonly #app: StartedApp['app'];
  readonly #name: string;
  readonly #stream: ProcessedStream;
  readonly #model: ModelStream;

  constructor(app: StartedApp['app'], name: string, uploads: readonly (readonly RandomFile[])[]) {
    this.#app = app;
    this.#name = name;
    this.#stream = Object.assign(Object.create(ProcessedStream.prototype), { app, stream: name });
    this.#model = new ModelStream(uploads);
  }

  async upload(files: readonly RandomFile[]): Promise<void> {
    await this.#stream.upload(
      Object.fromEntries(files.map((file, at) => [`${at}${'ids' in file ? '.del' : ''}`, bytesOf(file)])),
    );
  }

  async process(at: number): Promise<void> {
    const number = at + 1;
    const { at: _, ...applied } = await this.#stream.process(number);
    assert.deepEqual(applied, this.#model.process(number), `${this.#name}, upload ${number}`);
    const { replacedInFiles: __, ...counts } = applied;
    const sum = Object.values(counts).reduce((sum, count) => sum + count, 0);
    assert.equal(sum, this.#model.entries(number), 'each record and deletion counts once');
  }

  async compare(): Promise<void> {
    assert.deepEqual(await this.#stream.records(), this.#model.records, this.#name);
    const { id } = await this.#app.sets.bySlug(`lane--${this.#name}`);
    const kinds = new Map<string, string>();
    for (const { key, kind } of (await collect(this.#app.index.changes(id, { after: 0 }))).flat()) {
      const before = kinds.get(key);
      assert.equal(kind === 'created', before === undefined || before === 'deleted', `${kind} after ${before}`);
      kinds.set(key, kind);
    }
  }
}
