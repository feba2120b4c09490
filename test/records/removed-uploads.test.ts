import assert from 'node:assert/strict';
import fc from 'fast-check';
import { recordUpload } from '../../src/records/arrivals/record-upload.ts';
import { uploadId } from '../../src/records/arrivals/upload.ts';
import { putUploadState, readUploadState, type UploadState } from '../../src/records/arrivals/upload-state.ts';
import type { Normalization } from '../../src/records/forms/normalization.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { RemovingStream, recordsOf, recordsOfDumps, type Said, sorted, syncSet } from '../support/removing-stream.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';

describeOnEachStore('131: a removed upload', (store, itOnce) => {
  let started: StartedApp;
  let stream: RemovingStream;

  beforeEach(async () => {
    started = await startApp(store);
    const { organizations } = started.app.records;
    await organizations.add('lane', { contacts: [] });
    await organizations.addStream('lane', 'main');
    stream = new RemovingStream(started.app, 'main');
  });
  afterEach(closeApps);

  const upload = (records: Readonly<Record<string, string | undefined>>, to = stream) =>
    to.upload(...delivery(new Map(Object.entries(records))));

  it('leaves the stream as if it had not come, and changes nothing else', async () => {
    await upload({ a: 'one', b: 'one', c: 'one', x: 'one' });
    const second = await upload({ a: 'two', c: undefined, d: 'two', e: 'two', f: 'two' });
    await upload({ e: 'three', f: undefined, x: 'three' });
    const before = (await stream.stream.changes()).length;

    await stream.remove(second);

    await stream.compare();
    assert.deepEqual((await stream.stream.changes()).slice(before), ['updated a', 'created c', 'deleted d']);
  });

  it('gives a record that came again, byte for byte, its place in what stays, also in sets that follow', async () => {
    const first = await upload({ a: 'same', b: 'one' });
    await upload({ a: 'same' });
    await syncSet(started.app);
    await stream.remove(first);
    await stream.compare();
    assert.deepEqual(await recordsOf(started.app, 'lane'), sorted(stream.model));
    const [, verified] = [await recordsOf(started.app, 'lane--main'), await stream.stream.resource('a')];
    assert.match(verified.state.record!.artifact, /000000003/);
  });

  it('leaves nothing in what has read it again, and its records are those of the others', async () => {
    const [files, said] = delivery(new Map(Object.entries({ a: 'one', b: 'one' })));
    const first = await stream.upload({ ...files, 'bad.mrc': unreadable('x') }, said);
    await upload({ b: 'two', c: 'two' });
    await stream.processAgain();
    const errata = async () => (await collect(started.app.artifacts.list('_streams/lane/main/'))).flat();
    const isErrata = ({ key }: { readonly key: string }) => key.endsWith('.errata');
    assert.equal((await errata()).filter(isErrata).length, 2);
    await stream.remove(first);
    await stream.compare();
    assert.deepEqual((await errata()).filter(isErrata), []);
    const { body } = (await started.app.catalog.get<{ read: { records: string } }>(
      'upload-state',
      'lane/main/000000003',
    ))!;
    assert.equal(await started.app.artifacts.head(body.read.records), undefined);
  });

  itOnce('is never applied when it waits, or has failed', async () => {
    await upload({ a: 'one' });
    const waiting = await stream.upload(...delivery(new Map([['a', 'two']])), false);
    await stream.remove(waiting, false);
    const failed = await stream.upload({ 'a.pdf': '%PDF-1.4' }, new Map());
    await stream.remove(failed);
    await stream.compare();
    await assert.rejects(stream.remove(failed), /was removed already, by the delivery 5/);
    assert.deepEqual(await stream.stream.changes(), ['created a']);
  });

  itOnce('whose removal has failed is removed by the next one', async () => {
    const { catalog, records } = started.app;
    const first = await upload({ a: 'one', b: 'one' });
    await upload({ b: 'two' });
    const request = { reason: 'a test', by: { name: 'tester' } };
    const { number } = await records.readingAgain.remove(await records.uploads.get('lane', 'main', first), request);
    const failure = { at: 1, error: 'its job was cancelled', isFinal: true };
    await catalog.put('upload-state', uploadId('lane', 'main', number), { failure }, undefined);
    // After it, the removal that has failed cannot be retried.
    await stream.processAgain();
    assert.deepEqual(Object.keys(await recordsOf(started.app, 'lane--main')), ['a', 'b']);
    await stream.remove(first);
    await stream.compare();
    await assert.rejects(stream.remove(first), /was removed already, by the delivery 5/);
  });

  itOnce(
    'is taken back by the records of the others as they are stored, where their files are kept no more',
    async () => {
      const { app } = started;
      const first = await upload({ a: 'one', b: 'one' });
      const second = await upload({ a: 'two', b: undefined });
      const { catalog } = app;
      const stored = (await catalog.get<object>('upload-state', `lane/main/00000000${first}`))!;
      await catalog.put('upload-state', stored.id, { ...stored.body, originalsRemoved: Date.now() }, stored.version);
      const { files } = await app.records.uploads.get('lane', 'main', first);
      for (const { artifact } of files) await app.artifacts.delete(artifact);
      await stream.remove(second);
      await stream.compare();
    },
  );

  itOnce('keeps no record of an upload that was applied after the delivery had come, and before the mark', async () => {
    const first = await upload({ a: 'same' });
    const { catalog } = started.app;
    const readsAgain = { removes: first, reason: 'a test' };
    const asked = { organization: 'lane', stream: 'main', files: [], token: 'a', readsAgain };
    const { number } = await recordUpload({ catalog }, asked);
    const later = await upload({ a: 'same' });
    const name = { organization: 'lane', stream: 'main', number: later };
    const change = async (how: (body: UploadState) => UploadState) => {
      const before = (await readUploadState(catalog, name))!;
      await putUploadState(catalog, name, { body: how(before.body), before });
    };
    const { applied } = (await readUploadState(catalog, name))!.body;
    // As if the events of the later one were on their way.
    await change(({ applied: _, ...body }) => body);
    await assert.rejects(stream.stream.process(number), /the upload 3 is being applied/);
    await change((body) => ({ ...body, applied: applied! }));
    await stream.stream.process(number);
    stream.removed.add(first);
    await stream.compare();
  });

  itOnce('leaves no name of a file and no text of an error, also where it has failed', async () => {
    const { catalog } = started.app;
    const bad = { 'confidential.mrc': Buffer.concat([unreadable('x'), marc('a', 'one')]) };
    const first = await stream.upload(bad, new Map([['a', 'one']]));
    const failed = await stream.upload({ 'confidential.pdf': '%PDF-1.4' }, new Map());
    for (const number of [first, failed]) {
      const id = `lane/main/00000000${number}`;
      assert.match(JSON.stringify(await catalog.get('upload-state', id)), /confidential/);
      await stream.remove(number);
      const { body } = (await catalog.get<UploadState>('upload-state', id))!;
      assert.doesNotMatch(JSON.stringify(body), /confidential|UTF-8|reasons|failure/);
    }
  });

  itOnce('leaves every record of the others readable that was stored with what has read it again', async () => {
    const { app } = started;
    const first = await upload({ a: 'one', b: 'one' });
    await upload({ b: 'two', c: 'two' });
    const items = [{ source: '500', destination: '998', subfields: { a: 'a' } }];
    const normalization = { kind: 'pod', code: 'LANE', items } as unknown as Normalization;
    await app.records.organizations.change('lane', { normalization });
    await stream.processAgain();
    const before = await recordsOf(app, 'lane--main');
    await stream.remove(first);
    assert.deepEqual(await recordsOf(app, 'lane--main'), { b: before.b, c: before.c });
  });

  itOnce('is not marked while it is being applied', async () => {
    const first = await upload({ a: 'one' });
    const name = { organization: 'lane', stream: 'main', number: first };
    const { catalog, records } = started.app;
    const before = (await readUploadState(catalog, name))!;
    const { applied: _, ...body } = before.body;
    const applying = await putUploadState(catalog, name, { body, before });
    const asked = { reason: 'a test', by: {} };
    const { number } = await records.readingAgain.remove(await records.uploads.get('lane', 'main', first), asked);
    assert.deepEqual((await readUploadState(catalog, name))!.body, body);
    await putUploadState(catalog, name, { body: before.body, before: applying });
    await stream.stream.process(number);
    assert.deepEqual(await recordsOf(started.app, 'lane--main'), {});
  });

  itOnce('134: and processing again bring nothing back that a full upload has deleted', async () => {
    const { app } = started;
    await upload({ a: 'one', b: 'one' });
    const receiving = await app.records.uploads.begin('lane', 'main');
    await receiving.add('a.mrc', [marc('b', 'full')]);
    const full = await receiving.finish({ stream: 'main', unmentioned: 'deleted', acceptsDrop: true });
    await stream.stream.process(full.number);
    await stream.processAgain();
    assert.deepEqual(Object.keys(await recordsOf(app, 'lane--main')), ['b']);
  });

  itOnce('leaves files that another upload names, until that one is removed, too', async () => {
    const { app } = started;
    const first = await upload({ a: 'one' });
    const { files } = await app.records.uploads.get('lane', 'main', first);
    const again = await recordUpload(app, { organization: 'lane', stream: 'main', files, token: 'again' });
    await stream.stream.process(again.number);
    await app.records.readingAgain
      .remove(await app.records.uploads.get('lane', 'main', first), { reason: 'a test', by: {} })
      .then(({ number }) => stream.stream.process(number));
    assert.ok(await app.artifacts.head(files[0]!.artifact));
    assert.deepEqual(Object.keys(await recordsOf(app, 'lane--main')), ['a']);
    await app.records.readingAgain
      .remove(again, { reason: 'a test', by: {} })
      .then(({ number }) => stream.stream.process(number));
    assert.equal(await app.artifacts.head(files[0]!.artifact), undefined);
    assert.deepEqual(await recordsOf(app, 'lane--main'), {});
  });

  itOnce('that was full gives back what it deleted', async () => {
    await upload({ a: 'one', b: 'one' });
    const full = await upload({ a: 'full' });
    const { catalog } = started.app;
    const stored = (await catalog.get<object>('upload', `lane/main/00000000${full}`))!;
    await catalog.put('upload', stored.id, { ...stored.body, unmentioned: 'deleted' }, stored.version);
    await upload({ c: 'three' });
    await stream.remove(full);
    await stream.compare();
  });

  itOnce('below a full one keeps what that has left, as it could not read it', async () => {
    const ids = async () => Object.keys(await recordsOf(started.app, 'lane--main'));
    const first = await upload({ a: 'one', x: 'one', y: 'one' });
    const second = await upload({ x: 'two', y: 'two' });
    await stream.uploadFull({ 'a.mrc': Buffer.concat([marc('a', 'full'), unreadable('x')]) });
    assert.deepEqual(await ids(), ['a', 'x']);
    await stream.remove(first);
    const [, x] = Object.values(await recordsOf(started.app, 'lane--main'));
    assert.match(x!, /two/);
    await stream.remove(second);
    assert.deepEqual(await ids(), ['a']);
  });

  itOnce('below a full one that has left all keeps what the others say', async () => {
    const first = await upload({ a: 'one', x: 'one' });
    await upload({ x: 'two' });
    await stream.uploadFull({ 'a.mrc': marc('a', 'full'), 'b.pdf': Buffer.from('%PDF-1.4') });
    await stream.remove(first);
    const [a, x] = Object.values(await recordsOf(started.app, 'lane--main'));
    assert.match(a!, /full/);
    assert.match(x!, /two/);
  });

  it('leaves a set that followed its stream, and follows another one now, whole', async () => {
    const { app } = started;
    const first = await upload({ a: 'same', b: 'main' });
    await syncSet(app);
    await app.records.organizations.addStream('lane', 'next');
    const next = new RemovingStream(app, 'next');
    await upload({ a: 'same' }, next);
    await app.records.organizations.changeStream('lane', 'next', { default: true });
    await syncSet(app);
    await app.records.streamDumps.build({ organization: 'lane' }, 'full');
    await stream.remove(first);
    await stream.compare();
    assert.deepEqual(await recordsOf(app, 'lane'), sorted(next.model));
    // The delta between both streams, and what comes after it, is what the set has.
    await upload({ a: 'same', c: 'main' });
    await app.records.organizations.changeStream('lane', 'main', { default: true });
    await app.records.streamDumps.build({ organization: 'lane' }, 'full');
    await upload({ d: 'main' });
    await app.records.streamDumps.build({ organization: 'lane' }, 'delta');
    assert.deepEqual(Object.keys(await recordsOfDumps(app)), Object.keys(sorted(stream.model)));
    const [oldest] = await app.records.streamDumps.list({ organization: 'lane' });
    assert.deepEqual([oldest!.number, oldest!.kind], [2, 'delta'], 'the full dump with its records is removed');
  });

  it('is the fold without it, whatever came before and after (random runs)', async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 3, maxLength: 9 }), async (steps) => {
        run += 1;
        await started.app.records.organizations.addStream('lane', `run-${run}`);
        const one = new RemovingStream(started.app, `run-${run}`);
        for (const step of steps) await take(step, one);
        await one.process();
        await one.compare();
      }),
      { numRuns: store.kind === 'sqlite' ? 20 : 2 },
    );
  });
});

/** A record that is not in UTF-8. */
function unreadable(id: string): Buffer {
  const record = Buffer.from(marc(id, 'note'));
  record[record.indexOf('note')] = 0xff;
  return record;
}

type Step =
  | { readonly do: 'upload'; readonly said: Said; readonly isProcessed: boolean }
  | { readonly do: 'remove'; readonly which: number; readonly first: boolean }
  | { readonly do: 'again' | 'fail' };

const SAID = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.option(fc.constantFrom('1', '2'), { nil: undefined })), {
    minLength: 1,
    maxLength: 5,
  })
  .map((entries) => new Map(entries));
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('upload' as const), said: SAID, isProcessed: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), which: fc.nat(), first: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('again' as const, 'fail' as const) }) },
);

async function take(step: Step, stream: RemovingStream): Promise<void> {
  if (step.do === 'upload') await stream.upload(...delivery(step.said), step.isProcessed);
  if (step.do === 'fail') await stream.upload({ 'a.pdf': '%PDF-1.4' }, new Map());
  if (step.do === 'again') await stream.processAgain();
  if (step.do !== 'remove') return;
  const left = stream.numbers.filter((number) => !stream.removed.has(number));
  if (left.length > 0) await stream.remove(left[step.which % left.length]!, step.first);
}

/** Files that say so, and what they say of each id, as a set has it. */
function delivery(said: Said): [Readonly<Record<string, Buffer | string>>, Said] {
  const records = [...said].flatMap(([id, text]) => (text === undefined ? [] : [marc(id, text)]));
  const deleted = [...said].flatMap(([id, text]) => (text === undefined ? [`${id}\n`] : []));
  const files = {
    ...(deleted.length > 0 && { 'a.del.txt': deleted.join('') }),
    ...(records.length > 0 && { 'a.mrc': Buffer.concat(records) }),
  };
  const texts = [...said].map(
    ([id, text]) => [id, text === undefined ? undefined : marc(id, text).toString()] as const,
  );
  return [files, new Map(texts)];
}
