import assert from 'node:assert/strict';
import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { ArchiveChain } from '../../src/backup/archive-chain.ts';
import type { SegmentMark } from '../../src/backup/segment.ts';
import { nameChain } from '../../src/backup/store-chain.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ResourceIndex } from '../../src/stores/resource-index.ts';
import { ArchiveBench, URL_OF_SETS } from '../support/archived-source.ts';
import { collect, upsert } from '../support/builders.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';

describeOnEachStore('archiving a log', (kind, itOnce) => {
  let bench: ArchiveBench;
  let app: App;
  let maps: number;

  beforeEach(async () => {
    bench = await ArchiveBench.make();
    app = await bench.open((await bench.place(kind)).location);
    await app.sets.useBaseUrl('http://source.example.org', false);
    maps = (await app.sets.add({ slug: 'maps', urlPrefix: `${URL_OF_SETS}maps/` })).id;
  });
  afterEach(() => bench.close());

  const marks = async (): Promise<readonly SegmentMark[]> => {
    const { chain } = await bench.archive(app);
    return new ArchiveChain(bench.artifacts, chain).all();
  };

  it('writes what the log has gained as the next segment, and nothing when it has gained nothing', async () => {
    await app.index.commit([upsert(maps, 'a'), upsert(maps, 'b')]);
    const first = await bench.archive(app);
    assert.deepEqual([first.status, first.mark?.number, first.mark?.changes?.records], ['written', 1, 2]);
    assert.equal((await bench.archive(app)).status, 'nothing-new');

    await app.index.commit([upsert(maps, 'a', { length: 7 })]);
    const { status, mark, chain } = await bench.archive(app);
    assert.deepEqual([status, mark?.number, mark?.changes?.records, mark?.total], ['written', 2, 1, 3]);
    assert.equal(mark!.after, first.mark!.through);
    assert.equal(mark!.documents.file, first.mark!.documents.file);
    // Both boundaries are in the name, too.
    assert.match(mark!.changes!.file, new RegExp(`^_log/${chain}/changes/0000000002-${mark!.after}-${mark!.through}-`));
  });

  it('writes only the catalog when only a set has changed, and positions when only a source has come further', async () => {
    await bench.archive(app);
    await app.sets.change('maps', { private: true });
    const { status, mark } = await bench.archive(app);
    assert.deepEqual([status, mark?.changes, mark?.total], ['written', undefined, 0]);
    await app.index.commit([{ ...upsert(maps, 'a'), state: undefined, source: 'h', position: 4 }]);
    const next = await bench.archive(app);
    assert.deepEqual([next.status, next.mark?.positions.records], ['written', 1]);
    assert.equal(next.mark!.documents.file, mark!.documents.file);
  });

  it('keeps one chain when several processes archive while others post', async () => {
    const other = await bench.open(app.configuration.store);
    let done = false;
    const posting = (async () => {
      for (let round = 0; round < 12; round++) {
        await app.index.commit([0, 1, 2].map((at) => upsert(maps, `k${at}`, { length: round })));
      }
      done = true;
    })();
    const statuses = new Set<string>();
    while (!done)
      for (const { status } of await Promise.all([bench.archive(app), bench.archive(other)])) statuses.add(status);
    await posting;
    const segments = await marks();
    assert.ok(statuses.has('written'));
    assert.equal(segments.at(-1)!.total, 36);
    for (const { through } of segments) {
      // Each commit has three changes: no segment ends within one.
      assert.equal((await collect(app.index.log({ after: 0, until: through }))).length % 3, 0);
    }
  });

  itOnce('never has a source further than its changes, though others post while it is written', async () => {
    const late = { ...upsert(maps, 'late'), source: 'h', position: 7 };
    await app.index.commit([upsert(maps, 'a')]);
    // The event comes as late as it can without being among the changes of the segment.
    const index = new Proxy(app.index, {
      get(target, name: keyof ResourceIndex) {
        if (name !== 'watermark') return target[name].bind(target);
        return async () => {
          const watermark = await target.watermark();
          await target.commit([late]);
          return watermark;
        };
      },
    });
    assert.equal((await bench.archive({ ...app, index })).mark?.total, 1);
    const { location } = await bench.place(kind);
    await bench.rebuild(location);
    const [again] = await (await bench.open(location)).index.commit([late]);
    assert.equal(again!.status, 'applied');
  });

  it('does not mix two histories in one archive, and begins another archive when that is asked for', async () => {
    await app.index.commit([upsert(maps, 'a')]);
    const { chain } = await bench.archive(app);
    const another = await bench.open((await bench.place(SQLITE)).location);
    await another.sets.useBaseUrl('http://source.example.org', false);
    const { id } = await another.sets.add({ slug: 'maps', urlPrefix: URL_OF_SETS });
    await another.index.commit([upsert(id, 'b')]);
    await nameChain(another.catalog, chain);
    await assert.rejects(bench.archive(another), (error) => isTidemarkError(error, 'conflict'));

    const { chain: own, status } = await bench.archive(another, { anew: true });
    assert.equal(status, 'written');
    assert.notEqual(own, chain);
    await assert.rejects(bench.rebuild((await bench.place(SQLITE)).location), /several archives; name one with --from/);
    const rebuilt = await bench.rebuild((await bench.place(SQLITE)).location, { from: own });
    assert.deepEqual([rebuilt.archive, rebuilt.changes], [own, 1]);
  });

  it('archives in a thread of a server, and stops when it is asked to', async () => {
    await app.index.commit([upsert(maps, 'a')]);
    const { status, mark } = await app.backup.archive(new AbortController().signal);
    assert.deepEqual([status, mark?.total], ['written', 1]);
  });
});

describe('a damaged archive', () => {
  let bench: ArchiveBench;
  let folder: string;

  beforeEach(async () => {
    bench = await ArchiveBench.make();
    const app = await bench.open((await bench.place(SQLITE)).location);
    await app.sets.useBaseUrl('http://source.example.org', false);
    const { id } = await app.sets.add({ slug: 'maps', urlPrefix: URL_OF_SETS });
    for (const path of ['a', 'b', 'c']) {
      await app.index.commit([upsert(id, path), upsert(id, `${path}2`)]);
      await bench.archive(app);
    }
    const { chain } = await bench.archive(app);
    folder = join(bench.artifactFolder, '_log', chain);
  });
  afterEach(() => bench.close());

  const refuses = async (problem: RegExp) => {
    const { location } = await bench.place(SQLITE);
    await assert.rejects(
      bench.rebuild(location),
      (error: Error) => isTidemarkError(error, 'invalid') && problem.test(error.message),
    );
  };
  const fileOf = async (part: string, number: number) =>
    join(folder, part, (await readdir(join(folder, part)))[number]!);

  it('is refused when a segment is missing', async () => {
    await rm(join(folder, 'segments/0000000002.json'));
    await refuses(/has a hole: segment 2 is missing/);
  });

  it('is refused when a segment does not follow the one before', async () => {
    await writeFile(join(folder, 'segments/0000000003.json'), await readFile(join(folder, 'segments/0000000002.json')));
    await refuses(/has segment 2 under the name of 3/);
  });

  it('is refused when a segment does not begin where the one before ends', async () => {
    const file = join(folder, 'segments/0000000002.json');
    const mark: SegmentMark = JSON.parse(await readFile(file, 'utf8'));
    for (const shift of [-2, 2]) {
      await writeFile(file, JSON.stringify({ ...mark, after: mark.after + shift }));
      await refuses(/has a hole: segment 2 does not begin where the one before ends/);
    }
  });

  it('is refused when a file is cut off', async () => {
    const file = await fileOf('changes', 1);
    await truncate(file, (await readFile(file)).length - 20);
    await refuses(/is cut off/);
  });

  it('is refused when a file is another one', async () => {
    await writeFile(await fileOf('changes', 1), await readFile(await fileOf('changes', 0)));
    await refuses(/is not the file that its segment names/);
  });

  it('is refused when a mark is of a newer version', async () => {
    const mark = join(folder, 'segments/0000000003.json');
    await writeFile(mark, (await readFile(mark, 'utf8')).replace('"format": 2', '"format": 3'));
    await refuses(/newer version/);
  });
});
