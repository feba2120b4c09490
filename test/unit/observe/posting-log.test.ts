import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { SetId } from '../../../src/core/resource-set.ts';
import type { NewEntry, Sender } from '../../../src/observe/audit/posting-entry.ts';
import { PostingLog } from '../../../src/observe/audit/posting-log.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { describeOnEachStore, type StorePlace } from '../../support/each-store.ts';
import { until } from '../../support/until.ts';

const SET = 1;
const OTHER = 2;
const ANNA: Sender = { kind: 'token', id: 'a1', name: 'Anna' };
const BERT: Sender = { kind: 'token', id: 'b2', name: 'Bert' };
/** Milliseconds between two times of writing, before it is closed. */
const WRITE_INTERVAL_MS = 5_000;

function posting(sender: Sender, fields: Partial<NewEntry> = {}): NewEntry {
  const now = Date.now();
  const totals = { applied: 1, unchanged: 0, rejected: 0 };
  return { sender, began: now, ended: now, postings: 1, ...totals, duration: 5, rejections: [], ...fields };
}

describeOnEachStore('The log of postings', (store) => {
  let folder: string;
  let place: StorePlace;
  let opened: Stores[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = store.place(folder, { mayBeMade: true });
    opened = [];
  });

  afterEach(async () => {
    for (const { close } of opened) await close();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  async function open(): Promise<PostingLog> {
    const stores = await openStores(place.location);
    opened.push(stores);
    return new PostingLog(stores.catalog);
  }

  /** Closes it until the store has taken everything: it gives up what is not written within three seconds. */
  async function closed(log: PostingLog): Promise<void> {
    const reader = await open();
    const isWritten = async (id: SetId) => isDeepStrictEqual(await reader.read(id, 1_000), await log.read(id, 1_000));
    await until('all entries are written', async () => {
      await log.close();
      return (await isWritten(SET)) && (await isWritten(OTHER));
    });
  }

  const summaries = async (log: PostingLog, limit = 200) =>
    (await log.read(SET, limit)).map(({ sender, postings, applied }) => [
      'name' in sender ? sender.name : sender.kind,
      postings,
      applied,
    ]);

  it('reads at once what this process added, newest first, and writes it when it is closed', async () => {
    const opened = performance.now();
    const log = await open();
    const another = await open();
    const began = Date.now();
    log.add(SET, posting(ANNA, { applied: 500, began: began - 2_000 }));
    log.add(SET, posting(BERT, { applied: 600, began: began - 1_000 }));
    log.add(OTHER, posting(ANNA));
    const all = [
      ['Bert', 1, 600],
      ['Anna', 1, 500],
    ];
    assert.deepEqual(await summaries(log), all);
    const written = await summaries(another);
    if (performance.now() - opened < WRITE_INTERVAL_MS) assert.deepEqual(written, []);
    await closed(log);
    assert.deepEqual(await summaries(another), all);
    assert.deepEqual(await summaries(log, 1), all.slice(0, 1));
  });

  it('gathers small postings of one sender within a minute', async () => {
    const log = await open();
    const began = Date.now();
    const small = (number: number) =>
      posting(ANNA, { applied: 0, rejected: 1, rejections: [rejection(number)], began: began + number * 1_000 });
    for (let number = 1; number <= 30; number++) log.add(SET, small(number));
    log.add(SET, posting(BERT, { began: began + 31_000 }));
    log.add(SET, posting(ANNA, { source: 'harvester', began: began + 32_000 }));
    log.add(SET, posting(ANNA, { applied: 101, began: began + 33_000 }));
    log.add(SET, small(70));
    assert.deepEqual(await summaries(log), [
      ['Anna', 1, 0],
      ['Anna', 1, 101],
      ['Anna', 1, 1],
      ['Bert', 1, 1],
      ['Anna', 30, 0],
    ]);
    const { rejected, rejections, duration } = (await log.read(SET, 200)).at(-1)!;
    assert.deepEqual([rejected, duration], [30, 150]);
    assert.deepEqual(
      rejections,
      Array.from({ length: 20 }, (_, at) => rejection(at + 1)),
    );
    await closed(log);
  });

  it('goes on with an entry that was written already', async () => {
    const log = await open();
    log.add(SET, posting(ANNA));
    await closed(log);
    log.add(SET, posting(ANNA));
    assert.deepEqual(await summaries(log), [['Anna', 2, 2]]);
    await closed(log);
    assert.deepEqual(await summaries(await open()), [['Anna', 2, 2]]);
  });

  it('has the entries of all processes, which write at the same time', async () => {
    const logs = [await open(), await open(), await open()];
    for (let number = 0; number < 20; number++) {
      for (const [at, log] of logs.entries()) {
        log.add(SET, posting({ kind: 'token', id: `${at}-${number}`, name: `${at}-${number}` }));
      }
    }
    await Promise.all(logs.map(closed));
    const names = (await summaries(await open())).map(([name]) => name);
    assert.equal(new Set(names).size, 60);
    for (const log of logs) assert.equal((await summaries(log)).length, 60);
  });

  it('keeps the last 200 entries, and fewer that are long', async () => {
    const log = await open();
    const began = Date.now();
    for (let number = 0; number < 250; number++) {
      log.add(SET, posting(ANNA, { applied: 1_000 + number, began: began + number }));
      const rejections = Array.from({ length: 20 }, (_, at) => ({ ...rejection(at), message: 'x'.repeat(300) }));
      log.add(OTHER, posting(ANNA, { applied: 1_000 + number, began: began + number, rejections }));
    }
    await closed(log);
    const reader = await open();
    const applied = (await reader.read(SET, 1_000)).map(({ applied }) => applied);
    assert.deepEqual(
      applied,
      Array.from({ length: 200 }, (_, at) => 1_249 - at),
    );
    const long = await reader.read(OTHER, 1_000);
    assert.ok(long.length >= 20 && long.length < 40, `${long.length} entries`);
    assert.equal(long[0]!.applied, 1_249);
  });

  it('keeps older entries in which something went wrong', async () => {
    const log = await open();
    const began = Date.now();
    const rejections = [rejection(1)];
    log.add(SET, posting(ANNA, { rejected: 1, applied: 1_000, began: began - 2, rejections }));
    log.add(SET, posting(ANNA, { problem: 'the client went away', applied: 1_001, began: began - 1 }));
    for (let number = 0; number < 210; number++) {
      log.add(SET, posting(ANNA, { applied: 1_002 + number, began: began + number }));
    }
    await closed(log);
    const kept = await (await open()).read(SET, 1_000);
    assert.deepEqual([kept.length, kept.at(-1)?.rejected, kept.at(-2)?.problem], [202, 1, 'the client went away']);
  });
});

function rejection(number: number) {
  return { number, location: `file-${number}`, code: 'wrong-type', message: 'length is "x"' };
}
