import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { readUploadState, statusOf } from '../../src/records/arrivals/upload-state.ts';
import type { Records } from '../support/dump-consumer.ts';
import { DUMPED, DumpedStream, numbersTo, requireWholeDumps } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const UPLOADS = 24;
/** Come when the first dump is made: a fast machine may have processed most of the others. */
const LATER_UPLOADS = 12;
const ALL = UPLOADS + LATER_UPLOADS;
/** Of each upload: those that all of them have, and one of its own. */
const RECORDS = 2_000;
const PROCESSES = 2;

// On Elasticsearch, these uploads take minutes; no store has a part in this.
describe('a stream whose uploads come without a pause', () => {
  let place: Workplace;
  let app: App;
  let stream: DumpedStream;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    app = await openApp(testConfiguration(join(place.folder, 'data'), { store: place.store.location }));
    await app.sets.useBaseUrl('http://localhost:8080', true);
    await DumpedStream.make(app);
    stream = new DumpedStream(app, place.folder);
  });
  afterEach(async () => {
    await app.close();
    await place.close();
  });

  /** Returns its number. */
  async function upload(numbers: readonly number[], version: number): Promise<number> {
    const receiving = await app.records.uploads.begin('lane', 'main');
    await receiving.add('new.mrc', [Buffer.concat(numbers.map((number) => stream.documentOf(number, version)))]);
    return (await receiving.finish({ stream: 'main' })).number;
  }

  const processed = async (): Promise<number> => {
    const { states } = await app.records.uploads.list('lane', 'main', { limit: 100 });
    return [...states.values()].filter((state) => statusOf(state) === 'processed').length;
  };

  /** How many uploads are below its boundary. */
  async function uploadsOfLastDump(): Promise<number> {
    const { until: boundary } = (await app.records.streamDumps.list(DUMPED)).at(-1)!;
    const { states } = await app.records.uploads.list('lane', 'main', { limit: 100 });
    const below = [...states.values()].filter(({ applying }) => applying !== undefined && applying.after < boundary);
    return below.length;
  }

  async function dump(kind: 'full' | 'delta'): Promise<void> {
    const { kind: job, id } = await app.jobs.streamDumps.add({ ...DUMPED, kind });
    await until(`the ${kind} dump is made`, async () => {
      const { state, error } = await app.jobs.queue.get(`${job}/${id}`);
      assert.notEqual(state, 'failed', error);
      return state === 'done';
    });
  }

  it('gets dumps between two of them, which tile', async () => {
    const receive = async (from: number, to: number) => {
      for (let at = from; at < to; at++) await upload([...numbersTo(RECORDS), RECORDS + at], at);
    };
    await receive(0, UPLOADS);
    // Two at a time in each, so that uploads overlap.
    for (let at = 0; at < PROCESSES; at++) place.startProcess(['work']);
    await until('an upload is processed', async () => (await processed()) > 0);

    await dump('full');
    const inFull = await uploadsOfLastDump();
    assert.ok(inFull < UPLOADS, 'the full dump was made after all uploads');
    await receive(UPLOADS, ALL);
    await dump('delta');
    const inDelta = await uploadsOfLastDump();
    assert.ok(inFull < inDelta && inDelta < ALL, `the full dump has ${inFull} uploads, the delta ${inDelta}`);

    await until('all are processed', async () => (await processed()) === ALL);
    await dump('delta');
    const versionOf = (number: number) => (number < RECORDS ? ALL - 1 : number - RECORDS);
    const expected: Records = new Map(
      numbersTo(RECORDS + ALL).map((number) => [stream.idOf(number), stream.documentOf(number, versionOf(number))]),
    );
    await requireWholeDumps(app, expected);
    const dumps = await app.records.streamDumps.list(DUMPED);
    for (const [at, { after }] of dumps.entries()) if (at > 0) assert.equal(after, dumps[at - 1]!.until);
  });

  it('has its uploads wait while a dump does, but not for a process that was killed', async () => {
    const { commits } = await stream.uploads.begin(new Map([[stream.idOf(1), stream.documentOf(1, 0)]]));
    await commits[0]!();
    // A worker has claimed the job of the upload that it waits for, and does nothing.
    await app.jobs.queue.add('process-upload', 'lane~main~1', DUMPED);
    const worker = { name: 'tester', leaseMs: 60_000 };
    await app.jobs.queue.claimer({ kinds: ['process-upload'], worker }).claim();
    const dumping = place.startProcess(['streams', 'dump', 'lane', '--stream', 'main']);
    await dumping.says(/Waits: the upload lane\/main\/000000001 is being applied/);
    const pause = () => app.catalog.latest<{ readonly isOn: boolean }>('upload-pause', '');
    await until('uploads are to wait', async () => (await pause())[0]?.body.isOn);

    const signal = new AbortController().signal;
    const name = { organization: 'lane', stream: 'main', number: await upload([2], 0) };
    assert.equal(name.number, 1, 'the one before was not received');
    const next = { ...(await app.records.uploads.get('lane', 'main', 1)), number: 2 };
    let isApplied = false;
    const reports: (string | undefined)[] = [];
    const processing = app.records.uploadProcessor
      .process(next, { signal, isLast: false, report: ({ text }) => reports.push(text), log() {} })
      .then(() => {
        isApplied = true;
      });
    await until('the next upload waits', async () => reports.includes('waits until a dump of the stream has begun'));
    assert.equal((await readUploadState(app.catalog, next))!.body.applying, undefined);
    assert.equal(isApplied, false);

    dumping.signal('SIGKILL');
    await dumping.exit();
    assert.equal((await pause())[0]!.body.isOn, true, 'it could not end its pause');
    await processing;
  });
});
