import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Stamp } from '../../src/core/stamp.ts';
import type { AppliedUpload, ReadUpload } from '../../src/records/arrivals/upload-state.ts';
import { applyDelivery } from '../../src/records/deliveries/apply-delivery.ts';
import { type Delivery, deliveryOf } from '../../src/records/deliveries/delivery.ts';
import { ProcessingThread } from '../../src/records/deliveries/processing-thread.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc, zip } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

describeOnEachStore('a delivery that is a full run', (store, itOnce) => {
  let started: StartedApp;
  let stream: ProcessedStream;
  let thread: ProcessingThread;
  let logged: string[];

  beforeEach(async () => {
    started = await startApp(store);
    stream = await ProcessedStream.make(started.app);
    const { artifacts, dataFolder, store: location } = started.app.configuration;
    const folder = join(dataFolder, 'spool');
    thread = new ProcessingThread({ store: location, artifacts, folder, failpoint: undefined });
    logged = [];
  });
  afterEach(async () => {
    await thread.close();
    await closeApps();
  });

  const { signal } = new AbortController();
  const unreadable = (id: string): Buffer => {
    const record = Buffer.from(marc(id, 'note'));
    record[record.indexOf('note')] = 0xff;
    return record;
  };
  const ids = async () => (await Object.keys(await stream.records())).sort().join(' ');
  const deliver = async (number: number, limits: Partial<Delivery['limits']> = {}): Promise<Delivery> => {
    const delivery = deliveryOf(await started.app.records.uploads.get('lane', 'main', number));
    return { ...delivery, unmentioned: 'deleted', limits: { ...delivery.limits, ...limits } };
  };
  const read = async (delivery: Delivery): Promise<ReadUpload> => {
    const { number, limits } = delivery;
    const { files } = await started.app.records.uploads.get('lane', 'main', number);
    const { publishHashes } = await started.app.sets.bySlug(delivery.set);
    const upload = { organization: 'lane', stream: 'main', number, files, normalization: undefined, publishHashes };
    return thread.read({ ...upload, limits, isHarvest: false }, signal, () => {});
  };
  const apply = async (delivery: Delivery, found: ReadUpload, after: Stamp): Promise<Omit<AppliedUpload, 'at'>> => {
    const set = await started.app.sets.bySlug(delivery.set);
    const { updater } = started.app;
    const attempt = { signal, report() {}, log: (text: string) => logged.push(text) };
    return applyDelivery({ delivery, set, read: found, after }, { thread, updater }, attempt);
  };

  it('deletes what it did not mention, but not what it saw and could not read, or a later delivery has set', async () => {
    await stream.process(await stream.upload({ a: Buffer.concat(['a', 'b', 'c', 'd', 'e'].map((id) => marc(id))) }));
    const full = await stream.upload({
      full: Buffer.concat([marc('a'), marc('b', 'changed'), unreadable('c'), marc('new')]),
    });
    await stream.process(await stream.upload({ late: Buffer.concat([marc('e'), marc('f')]) }));
    const delivery = await deliver(full);
    const after = await started.app.index.watermark();

    const applied = await apply(delivery, await read(delivery), after);

    assert.equal(await ids(), 'a b c e f new');
    const { created, updated, unchanged, deleted, unmentioned } = applied;
    assert.deepEqual(
      { created, updated, unchanged, deleted, unmentioned },
      {
        created: 1,
        updated: 1,
        unchanged: 1,
        deleted: 0,
        unmentioned: 1,
      },
    );
    assert.deepEqual(logged, []);
  });

  it('has the same totals when it is applied again after its process was killed', async () => {
    await stream.process(await stream.upload({ a: Buffer.concat(['a', 'b', 'c'].map((id) => marc(id))) }));
    const full = await stream.upload({ 'x.del.txt': 'b\n', full: marc('a', 'changed') });
    const delivery = await deliver(full);
    const found = await read(delivery);
    const after = await started.app.index.watermark();

    const applied = await apply(delivery, found, after);
    assert.deepEqual([applied.updated, applied.deleted, applied.unmentioned], [1, 1, 1]);
    assert.deepEqual(await apply(delivery, found, after), applied);
    assert.equal(await ids(), 'a');
  });

  itOnce('deletes nothing when it is not known which records it saw', async () => {
    await stream.process(await stream.upload({ a: Buffer.concat(['a', 'b', 'c'].map((id) => marc(id))) }));
    const nameless = Buffer.from(marc('x'));
    nameless.write('x', 26);
    const entries = { 'a.mrc': marc('a'), 'b.mrc': marc('b') };
    for (const [files, limits, reason] of [
      [{ full: Buffer.concat([marc('a'), nameless]) }, {}, 'an error of it has no id'],
      [{ 'full.zip': zip(entries) }, { entries: 1 }, 'a file of it was not read'],
    ] as const) {
      logged = [];
      const delivery = await deliver(await stream.upload(files), limits);
      const applied = await apply(delivery, await read(delivery), await started.app.index.watermark());
      assert.deepEqual([applied.unchanged, applied.unmentioned ?? 0], [1, 0]);
      assert.deepEqual(logged, [`nothing that it does not mention is deleted: ${reason}`]);
    }
    assert.equal(await ids(), 'a b c');
  });

  itOnce('names its set: an upload that of the records of its stream', () => {
    const upload = { organization: 'lane', stream: 'main', number: 7, received: 1_000 };
    const { set, number, received, unmentioned } = deliveryOf(upload);
    assert.deepEqual(
      { set, number, received, unmentioned },
      {
        set: 'lane--main',
        number: 7,
        received: 1_000,
        unmentioned: 'kept',
      },
    );
  });
});
