import assert from 'node:assert/strict';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../../src/core/errors.ts';
import type { ContentRoot, FileEntry, RootEntry } from '../../src/sources/content-root.ts';
import { compareFiles } from '../../src/sources/files/compare-files.ts';
import { describeFile } from '../../src/sources/files/describe-file.ts';
import type { FileMemory } from '../../src/sources/files/file-memory.ts';
import type { CompareOptions, SyncStep } from '../../src/sources/source.ts';
import { SyncCounter } from '../../src/sources/sync-counter.ts';
import { upsert } from '../support/builders.ts';
import { openScannedSet, type ScannedSet, scan } from '../support/scanned-set.ts';
import { LONG_AGO, useTempFolder } from '../support/temp-folder.ts';

type ListedRoot = (entries: readonly RootEntry[]) => readonly RootEntry[];

describe('A comparison of files', () => {
  const folder = useTempFolder();
  let scanned: ScannedSet;
  let counter: SyncCounter;

  beforeEach(async () => {
    mkdirSync(folder.at('root'));
    scanned = await openScannedSet(folder);
    counter = new SyncCounter();
  });
  afterEach(() => scanned.close());

  const write = (path: string, content = path): void => folder.write(`root/${path}`, content, LONG_AGO);
  const remembered = () => [...scanned.memory.read({})].flat().map(({ key }) => key);
  const keysOf = ({ differences }: SyncStep) => differences.map(({ key }) => key);

  /** The root, with other methods. */
  function rootWith(methods: Partial<ContentRoot>): ContentRoot {
    return new Proxy(scanned.root, {
      get(root, name: keyof ContentRoot) {
        if (name in methods) return methods[name];
        const value = root[name];
        return typeof value === 'function' ? value.bind(root) : value;
      },
    });
  }
  function listing(change: ListedRoot): ContentRoot {
    return rootWith({
      async *list(under) {
        for await (const entries of scanned.root.list(under)) yield change(entries);
      },
    });
  }

  async function compare(options: Partial<CompareOptions> = {}, root = scanned.root): Promise<readonly SyncStep[]> {
    const steps: SyncStep[] = [];
    for await (const step of compareFiles({ ...scanned, root }, { counter, ...options })) steps.push(step);
    return steps;
  }

  it('takes steps of at most a thousand findings', async () => {
    for (let at = 0; at < 1_001; at++) write(`${at}`, '');
    const steps = await compare();
    assert.deepEqual(
      steps.map(({ differences }) => differences.length),
      [1_000, 1],
    );
  });

  it('ends a step when 256 MB wait to be read for it', async () => {
    for (const path of ['a', 'b', 'c', 'd', 'e']) write(path);
    const half = 134_217_728;
    const steps = async (change: (entry: FileEntry) => FileEntry) => {
      const root = listing((entries) => entries.map((entry) => change(entry as FileEntry)));
      return (await compare({}, root)).map(keysOf).map((keys) => keys.toSorted().join(' '));
    };
    assert.deepEqual(await steps((entry) => ({ ...entry, length: half })), ['/a /b', '/c /d', '/e']);
    assert.deepEqual(await steps((entry) => ({ ...entry, length: half, toRead: 1 })), ['/a /b /c /d /e']);
    assert.deepEqual(await steps((entry) => ({ ...entry, toRead: 2 * half })), ['/a', '/b', '/c', '/d', '/e', '']);
  });

  const counted = () => {
    const { files, hashed, bytes, unchanged, left, problems } = counter.summary();
    return { files, hashed, bytes, unchanged, left, problems };
  };

  it('counts files that are the same, and those that it described', async () => {
    for (const path of ['a', 'b', 'gone']) write(path);
    await scan(scanned);
    rmSync(folder.at('root/gone'));
    write('new', 'xyz');
    const [step] = await compare();
    assert.deepEqual(keysOf(step!).toSorted(), ['/gone', '/new']);
    assert.deepEqual(counted(), { files: 3, hashed: 1, bytes: 3, unchanged: 2, left: 0, problems: [] });
  });

  it('remembers in the present way what an earlier version remembered, and changes nothing', async () => {
    write('a');
    await scan(scanned);
    const [known] = [...scanned.memory.read({})].flat();
    const { tag, ...older } = { ...known!, scanned: BigInt(Date.now() + 10_000) * 1_000_000n };
    scanned.memory.update({ remember: [older], forget: [] });
    const [step] = await compare();
    assert.deepEqual(step!.differences, []);
    step!.onCommitted!();
    assert.deepEqual([...scanned.memory.read({})].flat(), [{ ...older, tag }]);
    assert.deepEqual(counted(), { files: 1, hashed: 0, bytes: 0, unchanged: 1, left: 0, problems: [] });
  });

  it('reports what could not be listed or described, and leaves what is being written', async () => {
    for (const path of ['a', 'b', 'c', 'd/e']) write(path);
    await scan(scanned);
    const problem = { path: 'd', problem: 'cannot be read' };
    const root = rootWith({
      async *list() {
        for await (const entries of scanned.root.list()) yield [...entries.slice(0, 3), problem];
      },
      async digest(path) {
        if (path === 'a') return scanned.root.digest(path);
        throw new TidemarkError(path === 'b' ? 'not-found' : 'unavailable', `${path} failed`, { path });
      },
    });
    const [step, ...more] = await compare({ rehash: true }, root);
    assert.deepEqual([keysOf(step!), more.length], [['/a'], 0]);
    const problems = [problem, { path: 'c', problem: 'c failed' }];
    assert.deepEqual(counted(), { files: 3, hashed: 1, bytes: 1, unchanged: 0, left: 1, problems });
  });

  it('remembers and forgets exactly what it found, with each of several steps', async () => {
    for (let at = 0; at < 1_001; at++) write(`${at + 1_000}`, '');
    await scan(scanned);
    rmSync(folder.at('root/2000'));
    const updates: { remember: string[]; forget: readonly string[] }[] = [];
    const memory: FileMemory = {
      read: (range) => scanned.memory.read(range),
      update: ({ remember, forget }) => updates.push({ remember: remember.map(({ key }) => key), forget }),
    };
    const files = { ...scanned, memory };
    for await (const { onCommitted } of compareFiles(files, { counter, rehash: true })) onCommitted!();
    assert.deepEqual(
      updates.map(({ remember, forget }) => [remember.length, forget]),
      [
        [1_000, []],
        [0, ['/2000']],
      ],
    );
  });

  it('of paths within each other reads each file once, in the order of the paths', async () => {
    for (const path of ['a/1', 'a/b/2', 'c', 'd']) write(path);
    const root = rootWith({ digestsAtOnce: 1 });
    const keysBelow = async (...under: readonly string[]) => (await compare({ under }, root)).flatMap(keysOf);
    assert.deepEqual(await keysBelow('d', 'a/b', 'c', 'a/b/2'), ['/a/b/2', '/c', '/d']);
    assert.deepEqual(await keysBelow('a/1'), ['/a/1']);
    assert.deepEqual(await keysBelow('a', '', 'a/b'), ['/a/1', '/a/b/2', '/c', '/d']);
  });

  it('leaves no error unhandled of a path that comes later', async () => {
    for (const path of ['a', 'b']) write(path);
    const unhandled: unknown[] = [];
    const listener = (error: unknown) => unhandled.push(error);
    process.on('unhandledRejection', listener);
    const failure = new TidemarkError('unavailable', 'the root is not there');
    const root = rootWith({
      async *list(under) {
        if (under === 'b') throw failure;
        await wait(50);
        yield* scanned.root.list(under);
      },
    });
    await assert.rejects(compare({ under: ['a', 'b'] }, root), failure);
    process.off('unhandledRejection', listener);
    assert.deepEqual(unhandled, []);
  });

  it('remembers what it described, and forgets what is not there, when a step is committed', async () => {
    for (const path of ['a', 'b', 'gone']) write(path);
    await scan(scanned);
    assert.deepEqual(remembered(), ['/a', '/b', '/gone']);
    rmSync(folder.at('root/gone'));
    write('a', 'changed');
    write('new');
    const [step] = await compare();
    assert.deepEqual(remembered(), ['/a', '/b', '/gone']);
    step!.onCommitted!();
    assert.deepEqual(remembered(), ['/a', '/b', '/new']);
    const differences = step!.differences.map(({ key, state, known }) => [key, state?.length, known?.length]);
    assert.deepEqual(differences.toSorted(), [
      ['/a', 7, 1],
      ['/gone', undefined, 4],
      ['/new', 3, undefined],
    ]);
  });

  it('forgets a file that is not there, though it is not a resource', async () => {
    write('a');
    await scan(scanned);
    rmSync(folder.at('root/a'));
    await scanned.updater.post([{ ...upsert(scanned.set.id, 'a'), state: undefined }]);
    const [step] = await compare();
    assert.deepEqual(keysOf(step!), []);
    step!.onCommitted!();
    assert.deepEqual(remembered(), []);
  });

  it('of many paths has the files below each of them once, and of no others', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `${at + 10}`);
    for (const name of names) write(`${name}/file`);
    write('other');
    const steps = await compare({ under: [...names, '10/file', '29'] });
    assert.deepEqual(
      steps.flatMap(keysOf).toSorted(),
      names.map((name) => `/${name}/file`),
    );
    assert.equal(counter.files, 20);
  });

  it('of a path fails with what its root says of it, also when it comes later', async () => {
    for (const path of ['a', 'b']) write(path);
    const failure = new TidemarkError('unavailable', 'the root is not there');
    const root = rootWith({
      async *list(under) {
        if (under === 'b') throw failure;
        yield* scanned.root.list(under);
      },
    });
    await assert.rejects(compare({ under: ['a', 'b'] }, root), failure);
  });

  it('closes what it lists when the caller stops', async () => {
    for (let at = 0; at < 1_205; at++) write(`${at < 1_005 ? 0 : 1}/${at}`, '');
    let open = 0;
    const root = rootWith({
      async *list(under) {
        open += 1;
        try {
          for await (const entries of scanned.root.list(under)) {
            for (const entry of entries) yield [entry];
          }
        } finally {
          open -= 1;
        }
      },
    });
    const steps = compareFiles({ ...scanned, root }, { counter, under: ['0', '1'] });
    const { value } = await steps.next();
    assert.equal(value!.differences.length, 1_000);
    assert.equal(open, 2, 'the second path was begun early');
    await steps.return(undefined);
    assert.equal(open, 0);
  });

  it('stops between two files when it is aborted', async () => {
    for (let at = 0; at < 20; at++) write(`${at}`);
    const stop = new AbortController();
    const reason = new Error('stopped');
    let digests = 0;
    const root = rootWith({
      digestsAtOnce: 1,
      digest: (path) => {
        digests += 1;
        stop.abort(reason);
        return scanned.root.digest(path);
      },
    });
    await assert.rejects(compare({ signal: stop.signal }, root), reason);
    assert.equal(digests, 1);
    const list: ContentRoot['list'] = async function* (under) {
      yield* scanned.root.list(under);
    };
    await assert.rejects(compare({ signal: AbortSignal.abort(reason) }, rootWith({ list })), reason);
    assert.equal(counter.files, 20, 'the second comparison counted nothing');
  });

  it('describes as many files at a time as its root can', async () => {
    for (let at = 0; at < 6; at++) write(`${at}`);
    let underWay = 0;
    let most = 0;
    const root = rootWith({
      digestsAtOnce: 3,
      digest: async (path) => {
        underWay += 1;
        most = Math.max(most, underWay);
        const digest = await scanned.root.digest(path);
        underWay -= 1;
        return digest;
      },
    });
    await compare({}, root);
    assert.equal(most, 3);
  });

  describe('describes a file', () => {
    const FILE = { path: 'a.html', length: 1, mtime: 0n };
    /** What is found of it when these come one after the other, and after the last its digest. */
    async function described(...errors: readonly Error[]) {
      write('a.html');
      let attempts = 0;
      const root = rootWith({
        digest: (path) => {
          const error = errors[attempts++];
          return error === undefined ? scanned.root.digest(path) : Promise.reject(error);
        },
      });
      const result = await describeFile({ root, file: FILE, signal: undefined, known: undefined });
      return { result, attempts };
    }
    const failure = (code: TidemarkError['code'], details: object = { path: 'a.html' }) =>
      new TidemarkError(code, 'it failed', { ...details });

    it('with its media type and its time, and when that was', async () => {
      const before = BigInt(Date.now()) * 1_000_000n;
      const { result } = await described();
      assert.ok(typeof result === 'object' && 'state' in result);
      assert.deepEqual([result.state.mime, result.state.lastmod, result.state.length], ['text/html', LONG_AGO, 6]);
      const { key, length, mtime, scanned } = result.remember;
      assert.deepEqual([key, length, mtime], ['/a.html', 6, BigInt(LONG_AGO) * 1_000_000_000n]);
      assert.ok(scanned >= before && scanned <= BigInt(Date.now()) * 1_000_000n);
    });

    it('with the media type that its root knows', async () => {
      write('a.html');
      const root = rootWith({ digest: async (path) => ({ ...(await scanned.root.digest(path)), mime: 'text/plain' }) });
      const result = await describeFile({ root, file: FILE, signal: undefined, known: undefined });
      assert.ok(typeof result === 'object' && 'state' in result && result.state.mime === 'text/plain');
    });

    it('a second time when it was changed meanwhile, and then leaves it', async () => {
      const once = await described(failure('conflict'));
      assert.ok(typeof once.result === 'object' && 'state' in once.result);
      assert.equal(once.attempts, 2);
      assert.deepEqual(await described(failure('conflict'), failure('conflict')), { result: 'left', attempts: 2 });
    });

    it('not when it is not there any more', async () => {
      assert.deepEqual(await described(failure('not-found')), { result: 'left', attempts: 1 });
    });

    it('as a problem when it cannot be read', async () => {
      const problem = { path: 'a.html', problem: 'it failed' };
      assert.deepEqual(await described(failure('unavailable')), { result: problem, attempts: 1 });
      assert.deepEqual(await described(failure('conflict'), failure('unavailable')), { result: problem, attempts: 2 });
    });

    it('not when its root is not there, or the program fails', async () => {
      await assert.rejects(described(failure('not-found', {})), (error) => isTidemarkError(error, 'not-found'));
      const fault = new TypeError('a fault');
      await assert.rejects(described(Object.assign(fault, { details: { path: 'a.html' } })), fault);
    });
  });
});
