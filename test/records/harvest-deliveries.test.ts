import assert from 'node:assert/strict';
import type { JobProgress } from '../../src/stores/job.ts';
import { JobWaits } from '../../src/stores/job-waits.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { HarvestedStream, recordsOf } from '../support/harvested-stream.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc, tar } from '../support/upload-packages.ts';

const TEN = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
const allBut = (ids: string) => TEN.filter((id) => !ids.includes(id));

describeOnEachStore('a full run of a collection', (store, itOnce) => {
  let started: StartedApp;
  let stream: HarvestedStream;

  beforeEach(async () => {
    started = await startApp(store);
    stream = await HarvestedStream.make(started.app);
  });
  afterEach(closeApps);

  it('deletes what it did not see, and counts that before', async () => {
    await stream.process(await stream.deliver(recordsOf(TEN)));
    const full = await stream.full(allBut('j'));
    const { unmentioned, unchanged } = await stream.process(full);
    assert.deepEqual([unmentioned, unchanged, await stream.ids()], [1, 9, allBut('j').join(' ')]);
    const { drop, failure } = await stream.state(full);
    assert.deepEqual([drop, failure], [{ existing: 10, unmentioned: 1, verdict: 'fine' }, undefined]);
  });

  it('stops before its first event when it would delete too much, unless that is accepted', async () => {
    await stream.process(await stream.deliver(recordsOf(TEN)));
    const before = await started.app.index.watermark();
    const full = await stream.full([...allBut('ghij'), 'new']);
    await assert.rejects(stream.process(full), { code: 'invalid' });
    const { drop, failure, applying } = await stream.state(full);
    assert.deepEqual([drop, applying], [{ existing: 10, unmentioned: 4, verdict: 'stop' }, undefined]);
    assert.match(failure!.error, /4 of 10 records, more than 30% .*--drop-limit.*run it again with --force$/);
    assert.deepEqual([failure!.isFinal, await stream.ids()], [true, TEN.join(' ')]);
    assert.equal(
      (await started.app.index.summary((await started.app.sets.bySlug('arxiv')).id)).lastChange <= before,
      true,
    );

    const forced = await stream.full([...allBut('ghij'), 'new'], { acceptsDrop: true });
    assert.equal((await stream.process(forced)).unmentioned, 4);
    assert.equal((await stream.state(forced)).drop!.verdict, 'warn');
    assert.equal(await stream.ids(), 'a b c d e f new');
  });

  itOnce('warns of a smaller drop, and says so in its log', async () => {
    await stream.process(await stream.deliver(recordsOf(TEN)));
    const full = await stream.full(allBut('ij'));
    await stream.process(full);
    assert.deepEqual((await stream.state(full)).drop, { existing: 10, unmentioned: 2, verdict: 'warn' });
    assert.ok(stream.logged.includes('it deletes 2 of 10 records, which it did not see'), stream.logged.join('\n'));
  });

  itOnce('counts neither what it saw and could not read, nor what a later delivery has set', async () => {
    await stream.process(await stream.deliver(recordsOf(TEN)));
    const bad = Buffer.from(marc('j', 'note'));
    bad[bad.indexOf('note')] = 0xff;
    const full = await stream.deliver(Buffer.concat([recordsOf(allBut('hij')), bad]), { unmentioned: 'deleted' });
    await stream.process(await stream.deliver(recordsOf(['i'], 'later')));
    assert.equal((await stream.process(full)).unmentioned, 1);
    assert.deepEqual((await stream.state(full)).drop, { existing: 10, unmentioned: 1, verdict: 'fine' });
    assert.equal(await stream.ids(), 'a b c d e f g i j');
  });

  itOnce('fails for good when it has no record at all, whatever is accepted', async () => {
    await stream.process(await stream.deliver(recordsOf(TEN)));
    const fields = { unmentioned: 'deleted', acceptsDrop: true } as const;
    const empty = await stream.deliver(tar({ 'changes.del.txt': '' }), fields, 'run.tar');
    await assert.rejects(stream.process(empty), { code: 'invalid' });
    const { failure } = await stream.state(empty);
    assert.deepEqual([failure!.isFinal, await stream.ids()], [true, TEN.join(' ')]);
    assert.match(failure!.error, /^0 records were read/);
  });

  it('waits for the uploads before it, unless they have failed for good', async () => {
    const first = await stream.deliver(recordsOf([...TEN, 'late']));
    const broken = await stream.deliver(Buffer.from('%PDF-'));
    const full = await stream.full(TEN);
    for (const before of [first, broken]) {
      await assert.rejects(stream.process(full, { mostPauseMs: 0 }), (error) => error instanceof JobWaits);
      assert.equal((await stream.state(full)).applying, undefined);
      await stream.process(before).catch(() => {});
    }
    assert.equal((await stream.state(broken)).failure!.isFinal, true);
    assert.equal((await stream.process(full, { mostPauseMs: 0 })).unmentioned, 1);
    assert.equal(await stream.ids(), TEN.join(' '));
  });

  it('is applied once, wherever an attempt ends', async () => {
    await stream.process(await stream.deliver(recordsOf(TEN)));
    const { id } = await started.app.sets.bySlug('arxiv');
    const changes = async () => (await collect(started.app.index.changes(id, { after: 0 }))).flat().length;
    for (const [at, text] of ['records counted', 'records applied', 'records compared'].entries()) {
      const before = await changes();
      const gone = TEN[at]!;
      const full = await stream.full(allBut(TEN.slice(0, at + 1).join('')));
      const stopping = new AbortController();
      const report = (progress: JobProgress) => progress.text === text && stopping.abort(new Error('killed'));
      // The last step of an attempt may be whole.
      await stream
        .process(full, { signal: stopping.signal, report })
        .catch((error) => assert.match(`${error}`, /killed/));
      assert.ok(stopping.signal.aborted, text);
      assert.equal((await stream.process(full)).unmentioned, 1, text);
      assert.equal((await stream.process(full)).unmentioned, 1, text);
      assert.deepEqual([await changes(), (await stream.ids()).includes(gone)], [before + 1, false], text);
    }
  });

  itOnce('goes on in its place when an upload before it ends', async () => {
    const first = await stream.deliver(recordsOf(TEN));
    const full = stream.process(await stream.full(allBut('a')));
    await stream.process(first);
    assert.equal((await full).unmentioned, 1);
  });

  itOnce('knows what it saw of more files than its state lists', async () => {
    await stream.process(await stream.deliver(recordsOf([...TEN, 'gone'])));
    const pages = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`${at}.mrc`, marc(`p${at}`)]));
    const fields = { unmentioned: 'deleted' } as const;
    const full = await stream.deliver(tar({ ...pages, 'last.mrc': recordsOf(TEN) }), fields, 'run.tar');
    assert.equal((await stream.process(full)).unmentioned, 1);
    const { files, totals } = (await stream.state(full)).read!;
    assert.deepEqual([files.length, totals.files], [1_000, 1_002]);
  });
});
