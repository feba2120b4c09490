import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { DUMPED, DumpedStream, numbersTo, requireWholeDumps } from '../support/dumped-stream.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { testConfiguration } from '../support/start-app.ts';
import { Workplace } from '../support/workplace.ts';

/** A full dump passes by these twice: with its delta, and itself. */
const TWICE = ['dumping.stored', 'dumping.recorded'];

describeOnEachStore('making a dump of a stream that is killed', (store, itOnce) => {
  let place: Workplace;
  let expected: DumpedStream['records'];

  beforeEach(async () => {
    place = await Workplace.make(store);
    await withApp(async (app) => {
      await DumpedStream.make(app);
      const stream = new DumpedStream(app, place.folder);
      await stream.put(numbersTo(60));
      await app.records.streamDumps.build(DUMPED, 'full');
      await stream.put([3, 70, 71], 1);
      await stream.delete([5, 6]);
      expected = stream.records;
    });
  });
  afterEach(() => place?.close());

  async function withApp<Result>(work: (app: App) => Promise<Result>): Promise<Result> {
    const data = join(place.folder, 'data');
    const app = await openApp(testConfiguration(data, { store: place.store.location }));
    try {
      await app.sets.useBaseUrl('http://localhost:8080', true);
      return await work(app);
    } finally {
      await app.close();
    }
  }

  const failpoints = FAILPOINTS.streamDump.flatMap((name) => (TWICE.includes(name) ? [name, `${name}@2`] : [name]));
  for (const failpoint of failpoints) {
    // Before a dump is named in the catalog, files are written and the store is only read.
    const test = failpoint.startsWith('dumping.recorded') ? it : itOnce;
    test(`lists nothing of it, or all of it: at ${failpoint}`, async () => {
      const [name, pass = ''] = failpoint.split('@');
      const env = { TIDEMARK_FAILPOINT: `${name}:kill${pass && `@${pass}`}` };
      const args = ['streams', 'dump', 'lane', '--stream', 'main', '--full'];
      assert.equal((await place.runProcess(args, { env })).exitCode, null);

      await withApp(async (app) => {
        const listed = await app.records.streamDumps.list(DUMPED);
        assert.deepEqual(
          listed.map(({ kind }) => kind),
          ['full', 'delta', 'full'].slice(0, listed.length),
        );
        if (listed.length > 1) await requireWholeDumps(app, expected);
        await app.records.streamDumps.build(DUMPED, 'full');
        await requireWholeDumps(app, expected);
      });
    });
  }
});
