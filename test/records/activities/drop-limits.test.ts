import assert from 'node:assert/strict';
import type { ArtifactStore } from '../../../src/artifacts/artifact-store.ts';
import { latestArtifact } from '../../../src/artifacts/find-artifacts.ts';
import type { RunOptions, RunOutcome } from '../../../src/records/activities/run-activity.ts';
import type { InputItem } from '../../../src/records/input-item.ts';
import { harvest, keysOf, readRecords, xmlRecords } from '../../support/activity-run.ts';
import { describeOnEachArtifactStore } from '../../support/each-artifact-store.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const FEBRUARY = new Date('2017-02-09T10:44:28.900Z');
const MARCH = new Date('2017-03-01T00:00:00Z');
const KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';

describeOnEachArtifactStore('a run of an activity', (place) => {
  const folder = useTempFolder();
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
  });
  afterEach(() => store.close());

  describe('that has fewer records than the one before', () => {
    beforeEach(async () => {
      await run(xmlRecords(100), { start: FEBRUARY });
    });

    it('stops before anything is published when more than 30 % are missing, and keeps its account', async () => {
      const { summary, verdict } = await run(xmlRecords(69), { start: MARCH });

      assert.deepEqual([verdict, summary.published, summary.drop, summary.written], ['stop', false, 0.31, 69]);
      assert.deepEqual(summary.previous, { key: KEY, written: 100 });
      assert.equal(await latest(), KEY);
      const keys = await keysOf(store, 'cdl/harvest/20170301/');
      assert.deepEqual(
        keys.map((key) => key.slice(key.indexOf('v1'))),
        ['v1-claim.json', 'v1-summary.json'],
      );
    });

    for (const [missing, verdict] of [
      [30, 'warn'],
      [16, 'warn'],
      [15, 'fine'],
    ] as const) {
      it(`is published when ${missing} % are missing: ${verdict}`, async () => {
        const outcome = await run(xmlRecords(100 - missing), { start: MARCH });

        assert.deepEqual([outcome.verdict, outcome.summary.published], [verdict, true]);
      });
    }

    it('is published whatever is missing when the drop is accepted', async () => {
      const { verdict, summary } = await run([], { start: MARCH, acceptDrop: true });

      assert.deepEqual([verdict, summary.published, await latest()], ['warn', true, summary.key]);
    });

    it('keeps to other limits when they are set, and compares with what began before it', async () => {
      const strict = await run(xmlRecords(99), { start: MARCH, limits: { stop: 0.005, warn: 0 } });
      const first = await run(xmlRecords(1), { start: new Date('2016-01-01T00:00:00Z') });

      assert.deepEqual([strict.verdict, first.verdict, first.summary.previous], ['stop', 'fine', undefined]);
    });
  });

  it('counts the records of a file without summary that another program has written', async () => {
    const { summary } = await run(xmlRecords(40), { start: FEBRUARY });
    const other = KEY.replaceAll('20170209', '20170210');
    await store.put(other, (await store.get(summary.key)).body);
    await store.put(other.replace('.avro', '-prov.json'), [Buffer.from('{"generator":"x","version":"y"}')]);

    const { summary: next } = await run(xmlRecords(40), { start: MARCH });

    assert.deepEqual(next.previous, { key: other, written: 40 });
  });

  it('publishes nothing when there is no record at all, unless that is accepted', async () => {
    const empty = await run([], { start: FEBRUARY });
    const accepted = await run([], { start: MARCH, acceptDrop: true });

    assert.deepEqual([empty.verdict, empty.summary.published], ['empty', false]);
    assert.deepEqual([accepted.verdict, accepted.summary.published], ['fine', true]);
    assert.deepEqual(await readRecords(store, accepted.summary.key, 'OriginalRecord.v1'), []);
  });

  function run(items: readonly InputItem[], options: Partial<RunOptions>): Promise<RunOutcome> {
    return harvest({ store, folder: folder.at('spool'), ...options }, items);
  }

  async function latest(): Promise<string | undefined> {
    return (await latestArtifact(store, { provider: 'cdl', activity: 'harvest' }))?.key;
  }
});
