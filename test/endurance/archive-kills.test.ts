import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { ArchiveBench, readDocuments, URL_OF_SETS } from '../support/archived-source.ts';
import { collect, upsert } from '../support/builders.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { runProcess } from '../support/run-tidemark.ts';

const ofPrefix = (prefix: string) => FAILPOINTS.archive.filter((failpoint) => failpoint.startsWith(prefix));

describeOnEachStore('a process that dies', (kind) => {
  let bench: ArchiveBench;
  let app: App;
  let maps: number;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    bench = await ArchiveBench.make();
    const place = await bench.place(kind);
    environment = place.environment;
    app = await bench.open(place.location);
    await app.sets.useBaseUrl('http://source.example.org', false);
    maps = (await app.sets.add({ slug: 'maps', urlPrefix: URL_OF_SETS, windowChanges: 3 })).id;
    await app.index.commit([upsert(maps, 'a'), upsert(maps, 'b')]);
  });
  afterEach(() => bench.close());

  /** @param store what names it to the program */
  const die = async (command: string, failpoint: string, store: Readonly<Record<string, string>>) => {
    const env = {
      ...store,
      TIDEMARK_ARTIFACTS: `file:${bench.artifactFolder}`,
      TIDEMARK_FAILPOINT: `${failpoint}:kill`,
    };
    const { exitCode, stderr } = await runProcess([command, '--data', bench.folder], { cwd: bench.folder, env });
    assert.equal(exitCode, null, `it was not killed: ${stderr}`);
  };

  for (const failpoint of ofPrefix('archive.')) {
    it(`while it archives leaves an archive without a hole, at ${failpoint}`, async () => {
      await bench.archive(app);
      await app.index.commit([upsert(maps, 'c'), upsert(maps, 'a', { length: 5 })]);
      await die('archive', failpoint, environment);
      await app.index.commit([upsert(maps, 'd')]);
      const { mark } = await bench.archive(app);
      assert.deepEqual([mark?.number, mark?.total], [failpoint === 'archive.written' ? 2 : 3, 5]);
      const { location } = await bench.place(SQLITE);
      await bench.rebuild(location);
      await requireSame(await bench.open(location), app);
    });
  }

  it('while it rebuilds a store leaves one that no process can open, and that the next run completes', async () => {
    const { id: gone } = await app.sets.add({ slug: 'gone', urlPrefix: 'http://other.example.org/' });
    // A segment is a commit at least.
    for (let round = 0; round < 2; round++) {
      await bench.archive(app);
      await app.index.commit([upsert(maps, 'a', { length: 100 + round }), upsert(maps, `e${round}`)]);
      await app.index.commit([{ ...upsert(gone, 'x'), order: round }]);
    }
    await app.sets.remove('gone');
    await bench.archive(app);
    const { location, environment: store } = await bench.place(kind);
    for (const failpoint of ofPrefix('rebuild.')) {
      await die('rebuild', failpoint, store);
      await assert.rejects(bench.open(location), (error) => isTidemarkError(error, 'unavailable'), failpoint);
    }
    await bench.rebuild(location);
    await requireSame(await bench.open(location), app);
  });
});

async function requireSame(made: App, old: App): Promise<void> {
  assert.deepEqual(await collect(made.index.log({ after: 0 })), await collect(old.index.log({ after: 0 })));
  assert.deepEqual(await readDocuments(made), await readDocuments(old));
}
