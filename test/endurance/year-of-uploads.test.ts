import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { recordIdOfKey } from '../../src/core/record-key.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { type Records, readDumpFiles, withDelta } from '../support/dump-consumer.ts';
import { SQLITE } from '../support/each-store.ts';
import { Catalogue, type CatalogueEntry, catalogueFile } from '../support/marc-catalogue.ts';
import { type Random, randomOf } from '../support/marc-records.ts';
import { type FormPart, file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const NIGHTS = 365;
const RECORDS = 1_000;
const NAME = { organization: 'lane' };
/** A new full dump goes to a stream of its own, which is made the default. */
const NEW_STREAM = 200;
const FULL_DUMPS = 30;
/** Deltas are of one night until this one, and then of a week: each is made by a thread that takes a while to start. */
const NIGHTLY_DELTAS = 60;
const WEEK = 7;

/**
 * Each night a file of changed records and a list of ids to delete, in all formats; once a new stream; a delta each
 * night or week, and a full dump each month. The numbers are those of a model that reads the same nights.
 */
describe('A year of nightly uploads', function () {
  this.timeout(1_200_000);
  let started: StartedApp;
  let runner: JobRunner;
  const catalogue = new Catalogue({ seed: 365, bytes: 400 });

  before(async () => {
    started = await startApp(SQLITE);
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 1 });
    runner.start();
  });
  after(async () => {
    await runner?.stop();
    await closeApps();
  });

  it('leaves the records, changes and dumps that the nights have', async () => {
    const { app } = started;
    await app.records.organizations.add('lane', { contacts: [] });
    await app.records.organizations.addStream('lane', 'first');
    await app.records.organizations.change('lane', { dumps: { keep: 1_000 } });
    const year = new Year(randomOf(12));
    const states: (readonly [until: number, ids: number])[] = [];

    for (let night = 0; night < NIGHTS; night++) {
      if (night === NEW_STREAM) await app.records.organizations.addStream('lane', 'second');
      const stream = night < NEW_STREAM ? 'first' : 'second';
      await uploadOf(stream, year.filesOf(night, catalogue));
      await processed(stream, night < NEW_STREAM ? night + 1 : night - NEW_STREAM + 1);
      if (night === NEW_STREAM) await app.records.organizations.changeStream('lane', 'second', { default: true });
      await follow();
      const kind = year.dumpAfter(night);
      if (kind === undefined) continue;
      const made = await app.records.streamDumps.build(NAME, kind, { waitMs: 60_000 });
      year.count();
      for (const { until } of made) states.push([until, year.records.size]);
    }

    const { id } = await app.sets.bySlug('lane');
    const { resources, changes } = await app.index.summary(id);
    assert.deepEqual([resources, changes], [year.records.size, year.changes]);
    const keys = (await collect(app.index.read(id, {}))).flat().map(({ key }) => recordIdOfKey(key)!);
    assert.deepEqual(keys.toSorted(), [...year.records.keys()].toSorted());

    const dumps = await app.records.streamDumps.list(NAME);
    assert.equal(dumps.filter(({ kind }) => kind === 'full').length, Math.ceil(NIGHTS / FULL_DUMPS));
    assert.equal(dumps.length, states.length);
    const { resources: listed } = (await askJson(`${started.url}/api/sets/lane.dumps`)).body;
    assert.ok(listed > 0, 'dump files are resources');
    await assertFollowed(dumps, year);
  });

  async function assertFollowed(dumps: Awaited<ReturnType<typeof started.app.records.streamDumps.list>>, year: Year) {
    let records: Records = new Map();
    let deletions = 0;
    for (const dump of dumps) {
      const content = await readDumpFiles(dump, started.app.records.streamDumps);
      records = dump.number === 1 ? content.records : dump.kind === 'full' ? records : withDelta(records, content);
      deletions += dump.totals.deletions;
    }
    const found = [...records].map(([id, document]) => `${id} ${Buffer.from(document).toString('latin1')}`).toSorted();
    const wanted = [...year.records].map(([id, entry]) => `${id} ${catalogue.marc21(entry).toString('latin1')}`);
    assert.deepEqual(found, wanted.toSorted());
    assert.equal(deletions, year.deletions);
  }

  /** As the loop of a server does it. */
  async function follow(): Promise<void> {
    for (const slug of ['lane', 'lane.uploads', 'lane.dumps']) {
      const set = await started.app.sets.bySlug(slug);
      await sync({ set, source: started.app.sources.sourceOf(set), updater: started.app.updater });
      await started.app.sets.markReady(slug);
    }
  }

  async function uploadOf(stream: string, files: readonly FormPart[]): Promise<void> {
    const url = `${started.url}/api/organizations/lane/uploads?stream=${stream}`;
    const answer = await postForm(url, files);
    assert.equal(answer.status, 201, answer.text);
  }

  async function processed(stream: string, number: number): Promise<void> {
    await until(`${stream}/${number} is processed`, async () => {
      const { state, error } = await started.app.jobs.queue.get(`process-upload/lane~${stream}~${number}`);
      assert.notEqual(state, 'failed', error);
      return state === 'done';
    });
  }
});

/** The simple model: what each night has, and what the default stream has after it. */
class Year {
  readonly records = new Map<string, CatalogueEntry>();
  changes = 0;
  /** Of all deltas: of the ids of the dump before, those that are not there any more. */
  deletions = 0;
  #dumped: ReadonlySet<string> = new Set();
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  dumpAfter(night: number): 'full' | 'delta' | undefined {
    if (night % FULL_DUMPS === 0) return 'full';
    return night < NIGHTLY_DELTAS || night % WEEK === 0 || night === NIGHTS - 1 ? 'delta' : undefined;
  }

  /** When there is a dump. */
  count(): void {
    for (const id of this.#dumped) if (!this.records.has(id)) this.deletions += 1;
    this.#dumped = new Set(this.records.keys());
  }

  filesOf(night: number, catalogue: Catalogue): readonly FormPart[] {
    const isFull = night === 0 || night === NEW_STREAM;
    const entries = isFull ? this.#full(night) : this.#some(night);
    const deleted = isFull ? [] : Array.from({ length: 3 }, () => ({ number: this.#number() }));
    this.#take(isFull, { entries, deleted }, catalogue);
    const format = night % 2 === 0 ? 'marc21' : 'marcxml';
    const bytes = Buffer.concat([...catalogueFile({ catalogue, format, entries })]);
    const ids = Buffer.concat([...catalogueFile({ catalogue, format: 'ids', entries: deleted })]);
    const records = night % 3 === 0 ? file(`${night}.gz`, gzipSync(bytes)) : file('records', bytes);
    return deleted.length === 0 ? [records] : [records, file('deleted.txt', ids)];
  }

  /** The second full dump has other versions of some records, lacks some, and has new ones. */
  #full(night: number): readonly CatalogueEntry[] {
    const first = night === 0 ? 0 : RECORDS / 10;
    return Array.from({ length: RECORDS }, (_, at) => ({ number: first + at, version: at % 3 === 0 ? night : 0 }));
  }

  #some(night: number): readonly CatalogueEntry[] {
    return Array.from({ length: 12 }, () => ({ number: this.#number(), version: this.#random() < 0.2 ? 0 : night }));
  }

  #number(): number {
    return Math.floor(this.#random() * RECORDS * 1.2);
  }

  #take(
    isFull: boolean,
    { entries, deleted }: { entries: readonly CatalogueEntry[]; deleted: readonly CatalogueEntry[] },
    catalogue: Catalogue,
  ): void {
    const next = new Map(isFull ? [] : this.records);
    for (const { number } of deleted) next.delete(catalogue.idOf(number));
    for (const entry of entries) next.set(catalogue.idOf(entry.number), entry);
    for (const id of new Set([...next.keys(), ...this.records.keys()])) {
      const [before, after] = [this.records.get(id), next.get(id)];
      if (before?.version === after?.version && (before === undefined) === (after === undefined)) continue;
      this.changes += 1;
    }
    this.records.clear();
    for (const [id, entry] of next) this.records.set(id, entry);
  }
}
