import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import type { StreamDump } from '../../src/records/dumps/stored-stream-dump.ts';
import { buildRecord } from '../../src/records/forms/marc/build-record.ts';
import { AppliedUploads, type UploadChanges } from '../support/applied-uploads.ts';
import { type Records, readDumpFiles, withDelta } from '../support/dump-consumer.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { Catalogue } from '../support/marc-catalogue.ts';
import { type Random, randomOf } from '../support/marc-records.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const NAME = { organization: 'lane', stream: 'main' };
const catalogue = new Catalogue({ seed: 5, bytes: 400 });
const STEPS = 40;
const RECORDS = 40;

/** Ids of all kinds: `=` and names that keys escape, long ones, and those of which a key has only a digest. */
const idOf = (number: number): string =>
  number % 13 === 5 ? `=${'é'.repeat(number * 20)}` : number % 13 === 7 ? `a/b ${number}` : catalogue.idOf(number);

describeOnEachStore('A client that takes dumps', (store, itOnce) => {
  afterEach(closeApps);

  for (const seed of [1, 2]) {
    // How uploads follow each other does not depend on the store.
    itOnce(`has what the stream has at each boundary, whichever full dump it begins with (seed ${seed})`, async () => {
      const { app, folder } = await startApp(store);
      const history = new History(app, folder);
      await history.begin();
      const random = randomOf(seed);
      for (let step = 0; step < STEPS; step++) await history.step(random);
      await history.build(true);

      const dumps = await app.records.streamDumps.list(NAME);
      assert.ok(dumps.filter(({ kind }) => kind === 'full').length > 1, 'full dumps');
      assert.ok(dumps.filter(({ kind }) => kind === 'delta').length > 5, 'deltas');
      await history.check(dumps);
    });
  }

  it('has whole uploads, when dumps are made while uploads are applied', async () => {
    const { app, folder } = await startApp(store);
    const history = new History(app, folder);
    await history.begin();
    const random = randomOf(9);
    let building: Promise<unknown> = Promise.resolve();
    for (let step = 0; step < 12; step++) {
      building = building.then(() => history.build(random() < 0.4));
      for (let upload = 0; upload < 3; upload++) await history.upload(random);
    }
    await building;
    await history.check(await app.records.streamDumps.list(NAME));
  });
});

/** A stream, and what it was after each upload. */
class History {
  readonly #app: App;
  readonly #uploads: AppliedUploads;
  readonly #states: Records[] = [new Map()];

  constructor(app: App, folder: string) {
    this.#app = app;
    this.#uploads = new AppliedUploads(app, { ...NAME, folder });
  }

  async begin(): Promise<void> {
    await this.#app.records.organizations.add(NAME.organization, { contacts: [] });
    await this.#app.records.organizations.addStream(NAME.organization, NAME.stream);
    const dumps = { keep: 1_000 };
    await this.#app.records.organizations.changeStream(NAME.organization, NAME.stream, { dumps });
  }

  async step(random: Random): Promise<void> {
    if (random() < 0.65) await this.upload(random);
    else await this.build(random() < 0.25);
  }

  async build(isFull: boolean): Promise<void> {
    await this.#app.records.streamDumps.build(NAME, isFull ? 'full' : 'delta', { waitMs: 60_000 });
  }

  async upload(random: Random): Promise<void> {
    const changes = this.#randomChanges(random);
    await this.#uploads.apply(changes);
    const after = new Map(this.#states.at(-1)!);
    for (const [id, document] of changes) {
      if (document === undefined) after.delete(id);
      else after.set(id, document);
    }
    this.#states.push(after);
  }

  /** Few versions, so that records become again what they were. */
  #randomChanges(random: Random): UploadChanges {
    const count = 1 + Math.floor(random() * 25);
    const changes = Array.from({ length: count }, (): [string, Buffer | undefined] => {
      const number = Math.floor(random() * RECORDS);
      return [idOf(number), random() < 0.4 ? undefined : documentOf(number, Math.floor(random() * 2))];
    });
    return new Map(changes);
  }

  async check(dumps: readonly StreamDump[]): Promise<void> {
    assert.deepEqual(
      dumps.map(({ number }) => number),
      dumps.map((_, at) => at + 1),
    );
    assertTiled(dumps);
    const contents = new Map<number, Awaited<ReturnType<typeof readDumpFiles>>>();
    for (const dump of dumps) contents.set(dump.number, await readDumpFiles(dump, this.#app.records.streamDumps));
    for (const first of dumps.filter(({ kind }) => kind === 'full')) {
      let records = contents.get(first.number)!.records;
      let upload = this.#indexOf(records, 0);
      for (const next of dumps.filter(({ number }) => number > first.number)) {
        const content = contents.get(next.number)!;
        if (next.kind === 'delta') {
          assertNeeded(content, records);
          records = withDelta(records, content);
          upload = this.#indexOf(records, upload);
        } else assert.deepEqual(sorted(records), sorted(content.records), `full dump ${next.number}`);
      }
    }
  }

  /** After which upload the stream was so: at or above `from`. */
  #indexOf(records: Records, from: number): number {
    const expected = sorted(records);
    const found = this.#states.findIndex(
      (state, at) => at >= from && state.size === records.size && sorted(state).join() === expected.join(),
    );
    assert.notEqual(found, -1, 'the records are those after a whole upload');
    return found;
  }
}

/** Each delta begins where the one before it ends, and the first one where the first full dump does. */
function assertTiled(dumps: readonly StreamDump[]): void {
  const deltas = dumps.filter(({ kind }) => kind === 'delta');
  const ends = [dumps[0]!.until, ...deltas.map(({ until }) => until)];
  assert.deepEqual(
    deltas.map(({ after }) => after),
    ends.slice(0, -1),
  );
}

/** It has only net effects. */
function assertNeeded({ records, deletions }: { records: Records; deletions: readonly string[] }, before: Records) {
  for (const [id, document] of records) assert.notDeepEqual(document, before.get(id), `${id} is as before`);
  assert.ok(records.size + deletions.length > 0);
}

function documentOf(number: number, version: number): Buffer {
  const { leader, fields } = catalogue.record({ number, version });
  const withId = fields.map((field) => (field.tag === '001' ? { tag: '001', value: idOf(number) } : field));
  return buildRecord(leader, withId).bytes;
}

function sorted(records: Records): readonly string[] {
  return [...records].map(([id, document]) => `${id} ${document.toString('base64')}`).toSorted();
}
