import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { testConfiguration } from '../support/start-app.ts';
import { TwoStreams } from '../support/two-streams.ts';
import { Workplace } from '../support/workplace.ts';

const NEVER = new AbortController().signal;

describeOnEachStore('removing a stream that is killed (131)', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
  });
  afterEach(() => place?.close());

  async function withApp<Result>(work: (app: App) => Promise<Result>): Promise<Result> {
    const app = await openApp(testConfiguration(join(place.folder, 'data'), { store: place.store.location }));
    try {
      await app.sets.useBaseUrl('http://localhost:8080', true);
      return await work(app);
    } finally {
      await app.close();
    }
  }

  for (const failpoint of FAILPOINTS.removing) {
    const what = failpoint === 'removing.revoked' ? ['organizations', 'lane'] : ['streams', 'lane', 'old'];
    const [group = '', ...names] = what;
    // The other steps are single documents, and artifacts.
    const test = failpoint === 'removing.closed' || failpoint === 'removing.unpublished' ? it : itOnce;
    test(`is ended by the nightly job, with every record of the other stream: at ${failpoint}`, async () => {
      await withApp(async (app) => {
        const streams = await TwoStreams.make(app);
        await streams.put('old', { a: 'A', b: 'B' });
        await streams.follow();
        await streams.put('new', { a: 'A' });
        await streams.makeDefault('new');
      });
      const env = { TIDEMARK_FAILPOINT: `${failpoint}:kill` };
      const killed = await place.runProcess([group, 'remove', ...names, '--confirm'], { env });
      assert.equal(killed.exitCode, null, killed.stderr);
      await withApp(async (app) => {
        const { streamRemovals, organizations } = app.records;
        const left = group === 'streams' ? ['lane/old'] : ['lane'];
        assert.deepEqual(await streamRemovals.endAll(NEVER), left);
        const streams = new TwoStreams(app);
        assert.deepEqual(
          (await streams.stored('_')).filter((key) => /\/old\//.test(key)),
          [],
        );
        if (group === 'organizations') return assert.deepEqual(await organizations.list(), []);
        assert.deepEqual(Object.keys(await streams.records('lane')), ['a']);
        assert.equal((await streams.stored('_uploads/')).length, 1);
        assert.deepEqual(
          (await app.sets.list()).map(({ slug }) => slug).filter((slug) => /old/.test(slug)),
          [],
        );
      });
    });
  }
});
