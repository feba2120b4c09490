import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { RecordReader } from '../../src/records/digests/record-reader.ts';
import { readCursor } from '../../src/sources/records/artifact/sync-cursor.ts';
import { upsert } from '../support/builders.ts';
import { describeOnEachStore, type StorePlace } from '../support/each-store.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { Gate, RecordsProcess } from '../support/record-set.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const DAY1 = '2017-02-09T10:44:28Z';
const DAY2 = '2017-02-10T10:00:00Z';
const DAY3 = '2017-02-11T10:00:00Z';

describeOnEachStore('A set of records', (store, itOnce) => {
  const folder = useTempFolder();
  let place: StorePlace;
  let artifacts: ArtifactStore;
  let processes: RecordsProcess[];
  let one: RecordsProcess;

  const another = async () => {
    const process = await RecordsProcess.open(place, artifacts);
    processes.push(process);
    return process;
  };
  beforeEach(async () => {
    place = store.place(folder.path, { mayBeMade: true });
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
    processes = [];
    one = await another();
  });
  afterEach(async () => {
    for (const process of processes) await process.close();
    await artifacts.close();
    await place.dispose();
  });

  const put = (start: string, ...records: Parameters<typeof putArtifact>[1][number][]) =>
    putArtifact(artifacts, records, { start });
  const isUnavailable = (message: RegExp) => (error: unknown) =>
    isTidemarkError(error, 'unavailable') && message.test(error.message);

  it('lists the records of the newest artifact, with length, digest, type, date and place', async () => {
    const key = await put(DAY1, record('b', '<b/>'), record('a', '{"é":1}', 'application/json'));
    assert.equal(await one.counts(), '2: +2 ~0 -0 =0');
    const a = (await one.resources()).get('a');
    const { record: placed, ...state } = a!.state;
    assert.deepEqual(state, {
      lastmod: Date.parse(DAY1) / 1000,
      length: 8,
      mime: 'application/json',
      hashes: { 'sha-256': createHash('sha256').update('{"é":1}').digest('hex') },
    });
    assert.equal(placed!.artifact, key);
    assert.equal(
      (await new RecordReader(artifacts).read(placed!, state.hashes!['sha-256']!)).document.toString(),
      '{"é":1}',
    );
    assert.equal(await one.counts(), 'nothing to do');
  });

  it('makes changes of exactly what differs, and leaves what is the same where it was read first', async () => {
    const first = await put(DAY1, record('same'), record('edited', '<a/>'), record('gone'), record('typed', '1'));
    await one.sync();
    const second = await put(
      DAY2,
      record('typed', '1', 'application/json'),
      record('new'),
      record('same'),
      record('edited', '<b/>'),
    );
    assert.equal(await one.counts({ dryRun: true }), '4: +1 ~2 -1 =1');
    assert.equal(await one.counts(), '4: +1 ~2 -1 =1');
    const history = (await one.history()).slice(4);
    assert.deepEqual(history, ['updated edited', 'deleted gone', 'created new', 'updated typed']);
    const resources = await one.resources();
    const placeOf = (id: string) => resources.get(id)!.state.record!.artifact;
    assert.deepEqual(['same', 'edited', 'new'].map(placeOf), [first, second, second]);
    assert.equal(resources.get('same')!.state.lastmod, Date.parse(DAY1) / 1000);
    assert.equal(resources.get('edited')!.state.lastmod, Date.parse(DAY2) / 1000);
  });

  itOnce('makes ten changes of ten changed records, however many there are', async () => {
    const numbers = Array.from({ length: 3_000 }, (_, at) => (at * 1_009) % 3_000);
    const records = numbers.map((number) => record(`r${number}`, `<r>${'x'.repeat(number % 300)}</r>`));
    await putArtifact(artifacts, records, { start: DAY1 });
    assert.equal(await one.counts(), '3000: +3000 ~0 -0 =0');
    const edited = records.map((known, at) => (at % 300 === 7 ? record(known.id, 'edited') : known));
    await putArtifact(artifacts, edited.toReversed(), { start: DAY2 });
    assert.equal(await one.counts(), '3000: +0 ~10 -0 =2990');
    assert.equal((await one.history()).length, 3_010);
    assert.equal((await one.stores.index.summary(one.set.id)).resources, 3_000);
  });

  itOnce('counts the last of two records of one id, and reports the other', async () => {
    await put(DAY1, record('a', '1'), record('b', '2'), record('a', '3'), record('a', '4'));
    const summary = await one.sync();
    assert.deepEqual([summary!.files, summary!.created, summary!.duplicates], [2, 2, 2]);
    assert.deepEqual(summary!.duplicateKeys, ['/a', '/a']);
    const { state } = (await one.resources()).get('a')!;
    const { document } = await new RecordReader(artifacts).read(state.record!, state.hashes!['sha-256']!);
    assert.equal(document.toString(), '4');
    await put(DAY2, record('a', '4'), record('b', '2'), record('a', '4'));
    assert.equal(await one.counts(), '2: +0 ~0 -0 =2');
  });

  itOnce('publishes the other hashes that the set does', async () => {
    const set = { ...one.set, publishHashes: ['md5'] as const };
    await put(DAY1, record('a', 'x'));
    await one.sync();
    assert.equal(await one.counts({ set, rehash: true }), '1: +0 ~1 -0 =0');
    assert.equal((await one.resources()).get('a')!.state.hashes!.md5, createHash('md5').update('x').digest('hex'));
  });

  itOnce('deletes nothing when the artifact is empty, until that is accepted', async () => {
    await put(DAY1, record('a'), record('b'));
    await one.sync();
    await put(DAY2);
    await assert.rejects(one.sync(), isUnavailable(/has no records, and there are 2 resources.*--accept-empty/));
    assert.equal((await one.resources()).size, 2);
    assert.equal(await one.counts({ acceptsEmpty: true }), '0: +0 ~0 -2 =0');
    assert.equal(await one.counts(), 'nothing to do');
  });

  itOnce('stays as it is when the newest artifact is torn, and goes on with the next', async () => {
    const records = Array.from({ length: 3_000 }, (_, at) => record(`r${at}`));
    await putArtifact(artifacts, records, { start: DAY1 });
    await one.sync();
    const torn = await putArtifact(artifacts, records.slice(0, 2_000), { start: DAY2, torn: 0.8 });
    await assert.rejects(one.sync(), isUnavailable(new RegExp(`cannot be read: ${torn}: .*cut off`)));
    assert.equal((await one.history()).length, 3_000);
    await putArtifact(artifacts, records.slice(1), { start: DAY3 });
    assert.equal(await one.counts(), '2999: +0 ~0 -1 =2999');
  });

  itOnce('stays as it is when its artifact is removed, until an older one is accepted', async () => {
    const first = await put(DAY1, record('a', '1'));
    await one.sync();
    const second = await put(DAY2, record('a', '2'), record('b'));
    await one.sync();
    folder.remove(`artifacts/${second}`);
    await assert.rejects(one.sync(), isUnavailable(/which is newer: nothing is changed.*--accept-older/));
    assert.equal(await one.counts({ acceptsOlder: true }), '1: +0 ~1 -1 =0');
    assert.equal((await one.resources()).get('a')!.state.record!.artifact, first);
    assert.equal(await one.counts(), 'nothing to do');
  });

  itOnce('lists records anew whose artifact was removed', async () => {
    const first = await put(DAY1, record('a'), record('b'));
    await one.sync();
    const second = await put(DAY2, record('a'), record('b', 'new'));
    await one.sync();
    folder.remove(`artifacts/${first}`);
    assert.equal(await one.counts({ rehash: true }), '2: +0 ~1 -0 =1');
    assert.equal((await one.resources()).get('a')!.state.record!.artifact, second);
  });

  itOnce('says what is missing while there is no artifact', async () => {
    await assert.rejects(
      one.sync(),
      isUnavailable(/no artifact of cdl\/harvest in .*tidemark activity run harvest cdl/),
    );
    await putArtifact(artifacts, [record('a')], { start: DAY1, activity: 'mapping' });
    await putArtifact(artifacts, [record('a')], { start: DAY1, provider: 'mdl' });
    await assert.rejects(one.sync(), isUnavailable(/no artifact of cdl\/harvest/));
  });

  it('is compared to its end by the next process when one was broken off', async () => {
    await put(DAY1, record('a'), record('b'));
    const broken = new Error('broken off');
    one.beforeStep = async ({ differences }) => {
      if (differences.length > 0) throw broken;
    };
    await assert.rejects(one.sync(), broken);
    assert.equal((await readCursor(one.stores.catalog, one.set.id))!.body.compared, undefined);
    assert.equal(await (await another()).counts(), '2: +2 ~0 -0 =0');
    one.beforeStep = async () => {};
    assert.equal(await one.counts(), 'nothing to do');
  });

  it('has each change once when two processes compare the same artifact at once', async () => {
    const records = Array.from({ length: 500 }, (_, at) => record(`r${at}`));
    await putArtifact(artifacts, records, { start: DAY1 });
    const two = await another();
    await Promise.all([one.sync(), two.sync()]);
    assert.equal((await one.history()).length, 500);
    await putArtifact(artifacts, records.map(({ id }, at) => record(id, `${at % 2}`)).slice(5), { start: DAY2 });
    const gate = new Gate();
    one.beforeStep = () => gate.pass();
    const first = one.sync();
    await gate.reached;
    assert.equal(await two.counts(), '495: +0 ~495 -5 =0');
    gate.open();
    const late = await first;
    assert.deepEqual([late!.created, late!.updated, late!.deleted], [0, 0, 0]);
    assert.equal((await one.history()).length, 1_000);
  });

  it('is not brought back by a process that is late with an older artifact', async () => {
    await put(DAY1, record('a', '1'), record('gone', '1'));
    const gate = new Gate();
    one.beforeStep = ({ differences }) => (differences.length > 0 ? gate.pass() : Promise.resolve());
    const late = one.sync();
    await gate.reached;

    const two = await another();
    await put(DAY2, record('a', '2'), record('b', '2'));
    assert.equal(await two.counts(), '2: +2 ~0 -0 =0');
    gate.open();
    // It begins again, and finds that the newer one is listed.
    assert.equal(await late, undefined);
    assert.deepEqual(await one.history(), ['created a', 'created b']);
    assert.equal(await two.counts({ rehash: true }), '2: +0 ~0 -0 =2');
  });

  it('goes on when the catalog has lost how far it came, and the log has not', async () => {
    await put(DAY1, record('a', '1'));
    await one.sync();
    const { id } = one.set;
    const later = Math.floor(Date.now() / 1000) + 3;
    const event = {
      ...upsert(id, 'a', { length: 1 }),
      source: 'records',
      position: later,
      sharesPosition: true,
    } as const;
    await one.updater.post([event]);
    assert.equal(await one.counts({ rehash: true }), '1: +0 ~1 -0 =0');
  });
});
