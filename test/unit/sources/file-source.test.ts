import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { ComparedFiles } from '../../../src/sources/files/compare-files.ts';
import { FileSource } from '../../../src/sources/files/file-source.ts';
import type { CompareOptions, Comparison } from '../../../src/sources/source.ts';
import { SyncCounter } from '../../../src/sources/sync-counter.ts';
import { collect, upsert } from '../../support/builders.ts';
import { openScannedSet, type ScannedSet, scan } from '../../support/scanned-set.ts';
import { LONG_AGO, useTempFolder } from '../../support/temp-folder.ts';

describe('A source of files', () => {
  const folder = useTempFolder();
  let scanned: ScannedSet;
  let source: FileSource;
  beforeEach(async () => {
    mkdirSync(folder.at('root'));
    scanned = await openScannedSet(folder);
    source = scanned.source;
  });
  afterEach(() => scanned.close());

  const write = (path: string): void => folder.write(`root/${path}`, path, LONG_AGO);
  function compare(options: Partial<CompareOptions> = {}, from = source): Promise<Comparison> {
    return from.compare({ counter: new SyncCounter(), ...options });
  }
  /** Ends a comparison as a sync does. */
  async function end({ steps, end }: Comparison): Promise<readonly string[]> {
    const differences: string[] = [];
    for await (const step of steps) differences.push(...step.differences.map(({ key }) => key));
    await end!(new SyncCounter().summary());
    return differences;
  }

  it('is the files of its root', async () => {
    for (const path of ['a', 'b']) write(path);
    assert.equal(source.root, scanned.root);
    assert.deepEqual((await end(await compare())).toSorted(), ['/a', '/b']);
    assert.deepEqual(await end(await compare({ under: ['b'] })), ['/b']);
    await scan(scanned);
    folder.write('root/a', 'changed', LONG_AGO);
    folder.write('root/b', 'b', LONG_AGO + 1);
    const mismatches = await collect(source.verify({ counter: new SyncCounter() }));
    assert.deepEqual(mismatches.map(({ kind, key, message }) => [kind, key, message]).toSorted(), [
      ['differing', '/a', 'differs in length, sha-256'],
      ['differing', '/b', 'differs in lastmod'],
    ]);
    const resource = (await scanned.resources()).get('b')!;
    const opened = await source.open({ key: resource.key, state: resource.state }, { method: 'GET', isWhole: true });
    assert.ok('close' in opened && opened.length === 1);
    await opened.close();
    assert.equal((await source.leavesOut())('a'), false);
  });

  it('watches its root', async () => {
    const changes: string[] = [];
    const changed = Promise.withResolvers<void>();
    const watch = await source.watch(
      (path) => {
        changes.push(path);
        changed.resolve();
      },
      ({ problem }) => assert.fail(problem),
    );
    try {
      write('a');
      await changed.promise;
      assert.equal(changes[0], 'a');
    } finally {
      await watch.close();
    }
  });

  describe('whose root is empty', () => {
    const isRefused = (error: unknown) =>
      isTidemarkError(error, 'unavailable') && /is empty, or all of it is left out/.test(error.message);

    it('is not compared when it had files, unless a person asked for it, or for parts of it', async () => {
      write('a');
      await scan(scanned);
      assert.deepEqual(await end(await compare()), []);
      rmSync(folder.at('root/a'));
      await assert.rejects(compare(), isRefused);
      await assert.rejects(compare({ attended: false }), isRefused);
      assert.deepEqual(await end(await compare({ attended: true })), ['/a']);
      assert.deepEqual(await end(await compare({ under: ['a'] })), ['/a']);
    });

    it('is compared when it never had files', async () => {
      assert.deepEqual(await end(await compare()), []);
      await scanned.updater.post([{ ...upsert(scanned.set.id, 'a'), state: undefined }]);
      assert.deepEqual(await end(await compare()), []);
    });
  });

  describe('is compared one time after the other', () => {
    /** Whether a comparison has begun, when nothing else can happen before it. */
    async function hasBegun(comparison: Promise<unknown>): Promise<boolean> {
      const begun = comparison.then(() => true);
      // Two reads of the store take longer than all that a comparison begins with.
      const later = scanned.index.summary(scanned.set.id).then(() => scanned.index.summary(scanned.set.id));
      return Promise.race([begun, later.then(() => false)]);
    }

    it('also by another source with the same memory', async () => {
      write('a');
      const first = await compare();
      const second = compare({ under: ['a'] }, new FileSource({ ...scanned }));
      assert.equal(await hasBegun(second), false);
      await first.end!(undefined);
      const third = compare({ under: ['a'] });
      assert.equal(await hasBegun(third), false);
      await end(await second);
      await end(await third);
    });

    it('but at the same time as a root with another memory', async () => {
      const memory = { read: () => [], update: () => {} };
      const first = await compare();
      await end(await compare({}, new FileSource({ ...scanned, memory })));
      await first.end!(undefined);
    });

    it('and not at all when it is aborted while it waits', async () => {
      const reason = new Error('stopped');
      const stopping = new AbortController();
      const first = await compare();
      const second = compare({ signal: stopping.signal });
      stopping.abort(reason);
      await assert.rejects(second, reason);
      await first.end!(undefined);
      await end(await compare());
    });

    it('also after one that could not begin', async () => {
      write('a');
      await scan(scanned);
      rmSync(folder.at('root/a'));
      await assert.rejects(compare());
      assert.deepEqual(await end(await compare({ attended: true })), ['/a']);
    });
  });

  describe('that keeps versions', () => {
    let kept: number;
    let failure: Error | undefined;
    beforeEach(() => {
      kept = 0;
      failure = undefined;
      const artifacts = {
        put: () => assert.fail('nothing is stored'),
        putAll: () => assert.fail('nothing is stored'),
        head: () => assert.fail('nothing is looked for'),
      };
      const files: ComparedFiles = {
        ...scanned,
        versions: {
          set: scanned.set.id,
          artifacts,
          lastRemovals: async () => undefined,
          async onAllKept() {
            kept += 1;
            if (failure !== undefined) throw failure;
          },
        },
      };
      source = new FileSource(files);
    });

    it('says when everything was compared, and each version is stored', async () => {
      await end(await compare());
      assert.equal(kept, 1);
    });

    it('says nothing after a part, a trial, or a comparison that failed', async () => {
      await end(await compare({ under: ['a'] }));
      await end(await compare({ dryRun: true }));
      await (await compare()).end!(undefined);
      assert.equal(kept, 0);
    });

    it('is compared again when that could not be recorded', async () => {
      failure = new Error('the store does not answer');
      await assert.rejects(end(await compare()), failure);
      failure = undefined;
      await end(await compare());
      assert.equal(kept, 2);
    });
  });
});
