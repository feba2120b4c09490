import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ContentRoot, FileEntry } from '../../src/sources/content-root.ts';
import { openRoot } from '../../src/sources/open-contents.ts';
import { collect, deletion, upsert } from '../support/builders.ts';
import { openScannedSet, type ScannedSet, type ScanOptions, scan } from '../support/scanned-set.ts';
import { itWithPermissions, LONG_AGO, useTempFolder, whileUnreadable } from '../support/temp-folder.ts';

describe('a scan', () => {
  const folder = useTempFolder();
  let scanned: ScannedSet;

  beforeEach(async () => {
    mkdirSync(folder.at('root'));
    scanned = await openScannedSet(folder);
  });
  afterEach(() => scanned.close());

  const write = (path: string, content = path, mtime = LONG_AGO): void => folder.write(`root/${path}`, content, mtime);
  const run = (options: Partial<ScanOptions> = {}) => scan({ ...scanned, ...options });

  /** What a scan did, in short. */
  async function counts(options: Partial<ScanOptions> = {}): Promise<string> {
    const { files, hashed, created, updated, deleted, unchanged, problemCount } = await run(options);
    return `${files} files: ${hashed} hashed, +${created} ~${updated} -${deleted} =${unchanged} !${problemCount}`;
  }

  /** The hash of a path as it is published. */
  async function hashOf(path: string): Promise<string | undefined> {
    return (await scanned.resources()).get(path)?.state.hashes?.['sha-256'];
  }

  const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

  describe('of everything', () => {
    it('publishes every file with length, hash, media type and whole seconds of its time', async () => {
      write('a page.html', '<p>');
      write('b/unknown', 'xyz', LONG_AGO + 0.75);
      await run();

      const states = [...(await scanned.resources())].map(([path, { state }]) => [path, state]);
      assert.deepEqual(states, [
        ['a page.html', { lastmod: LONG_AGO, length: 3, mime: 'text/html', hashes: { 'sha-256': sha256('<p>') } }],
        [
          'b/unknown',
          { lastmod: LONG_AGO, length: 3, mime: 'application/octet-stream', hashes: { 'sha-256': sha256('xyz') } },
        ],
      ]);
    });

    it('counts what it finds, and hashes only what seems different the next time', async () => {
      for (const path of ['a', 'b', 'c/d']) write(path);
      assert.equal(await counts(), '3 files: 3 hashed, +3 ~0 -0 =0 !0');
      assert.equal(await counts(), '3 files: 0 hashed, +0 ~0 -0 =3 !0');

      write('a', 'longer');
      write('b', 'B', LONG_AGO + 1);
      write('e');
      rmSync(folder.at('root/c'), { recursive: true });
      assert.equal(await counts(), '3 files: 3 hashed, +1 ~2 -1 =0 !0');
      assert.deepEqual((await scanned.history()).slice(-4).toSorted(), [
        'created e',
        'deleted c/d',
        'updated a',
        'updated b',
      ]);
      assert.equal(await hashOf('b'), sha256('B'));
    });

    it('makes a moved folder into deletions and creations', async () => {
      for (const path of ['old/1', 'old/2', 'older']) write(path);
      await run();
      renameSync(folder.at('root/old'), folder.at('root/new'));

      assert.equal(await counts(), '3 files: 2 hashed, +2 ~0 -2 =1 !0');
      assert.deepEqual([...(await scanned.resources()).keys()], ['new/1', 'new/2', 'older']);
    });

    it('works over many batches, and finds each change among them', async () => {
      const paths = Array.from({ length: 2_500 }, (_, at) => `${at % 10}/${at}.txt`);
      for (const path of paths) write(path, '');
      assert.equal(await counts(), '2500 files: 2500 hashed, +2500 ~0 -0 =0 !0');
      for (const at of [0, 999, 1_234, 2_499]) rmSync(folder.at(`root/${paths[at]}`));
      write('5/between', 'x');
      assert.equal(await counts(), '2497 files: 1 hashed, +1 ~0 -4 =2496 !0');
    });

    it('hashes again what was touched within two seconds of the last scan', async () => {
      for (const path of ['a', 'b']) write(path, 'one');
      await run();
      for (const path of ['a', 'b']) write(path, 'two');
      // As if the scan had been then, and the system's clock too coarse to distinguish the two versions.
      const remembered = [...scanned.memory.read({})].flat();
      const listed = new Map(
        (await collect(scanned.root.list())).map((entry) => [`/${entry.path}`, entry as FileEntry]),
      );
      const scannedAfter = { '/a': 1_999_999_999n, '/b': 2_000_000_000n };
      scanned.memory.update({
        remember: remembered.map((file) => ({
          ...file,
          tag: listed.get(file.key)!.tag,
          scanned: file.mtime + scannedAfter[file.key as '/a'],
        })),
        forget: [],
      });

      assert.equal(await counts(), '2 files: 1 hashed, +0 ~1 -0 =1 !0');
      assert.equal(await hashOf('a'), sha256('two'));
    });

    it('finds a file that was written, or replaced, with the same length and time', async () => {
      for (const path of ['written', 'replaced', 'same']) write(path, 'one');
      folder.write('other', 'two', LONG_AGO);
      await run();
      write('written', 'two');
      renameSync(folder.at('other'), folder.at('root/replaced'));

      assert.equal(await counts(), '3 files: 2 hashed, +0 ~2 -0 =1 !0');
      assert.deepEqual([await hashOf('written'), await hashOf('replaced')], [sha256('two'), sha256('two')]);
    });

    it('finds a link that leads to another file of the same length and time', async () => {
      write('one');
      write('two');
      symlinkSync('one', folder.at('root/link'));
      await run();
      rmSync(folder.at('root/link'));
      symlinkSync('two', folder.at('root/link'));
      await run();
      assert.equal(await hashOf('link'), sha256('two'));
    });

    it('finds an edit of a file under each of its names', async () => {
      write('folder/one', 'one', LONG_AGO);
      linkSync(folder.at('root/folder/one'), folder.at('root/two'));
      await run();
      write('folder/one', 'edited', LONG_AGO + 60);
      assert.equal(await counts(), '2 files: 2 hashed, +0 ~2 -0 =0 !0');
      assert.equal(await hashOf('two'), sha256('edited'));
    });

    it('records no change of files with other rights, another hard link, or other inodes', async () => {
      for (const path of ['rights', 'linked', 'copied']) write(path);
      await run();
      chmodSync(folder.at('root/rights'), 0o600);
      linkSync(folder.at('root/linked'), folder.at('elsewhere'));
      write('copy', 'copied');
      renameSync(folder.at('root/copy'), folder.at('root/copied'));

      assert.equal(await counts(), '3 files: 3 hashed, +0 ~0 -0 =3 !0');
      assert.equal(await counts(), '3 files: 0 hashed, +0 ~0 -0 =3 !0');
    });

    it('hashes everything on request', async () => {
      write('a', 'one');
      await run();
      assert.equal(await counts({ rehash: true }), '1 files: 1 hashed, +0 ~0 -0 =1 !0');
    });

    it('believes what an earlier version remembered of files that were not changed since', async () => {
      for (const path of ['a', 'b']) write(path);
      await run();
      const before = [...scanned.memory.read({})].flat().map(({ tag: _, ...file }) => file);
      const scannedAt = {
        '/a': BigInt(Date.now() + 10_000) * 1_000_000n,
        '/b': BigInt(Date.now() - 60_000) * 1_000_000n,
      };
      const remember = before.map((file) => ({ ...file, scanned: scannedAt[file.key as '/a'] }));
      scanned.memory.update({ remember, forget: [] });

      assert.equal(await counts(), '2 files: 1 hashed, +0 ~0 -0 =2 !0');
      const tags = [...scanned.memory.read({})].flat().map(({ tag }) => tag);
      assert.ok(tags.every((tag) => tag !== undefined));
      assert.equal(await counts(), '2 files: 0 hashed, +0 ~0 -0 =2 !0');
    });

    it('corrects what a client posted for a file', async () => {
      write('a');
      await run();
      await scanned.updater.post([upsert(scanned.set.id, 'a', { length: 77 }), upsert(scanned.set.id, 'no-file')]);
      assert.equal(await counts(), '1 files: 1 hashed, +0 ~1 -1 =0 !0');

      await scanned.updater.post([deletion(scanned.set.id, 'a')]);
      assert.equal(await counts(), '1 files: 1 hashed, +1 ~0 -0 =0 !0');
    });

    it('leaves alone what is not a file of the root', async () => {
      const elsewhere = { ...upsert(scanned.set.id, 'x'), key: 'http://example.org/elsewhere' };
      const query = { ...upsert(scanned.set.id, 'x'), key: '/x?y=z' };
      await scanned.updater.post([elsewhere, query]);

      assert.equal(await counts(), '0 files: 0 hashed, +0 ~0 -0 =0 !0');
      assert.equal((await scanned.resources()).size, 2);
    });

    it('deletes what is excluded now', async () => {
      for (const path of ['a.tmp', 'b', 'c/d']) write(path);
      await run();
      const root = openRoot({ root: folder.at('root'), exclude: ['*.tmp', 'c/'] });
      assert.equal(await counts({ root }), '1 files: 0 hashed, +0 ~0 -2 =1 !0');
    });

    it('knows no time of a file whose time is in the far future', async () => {
      write('tomorrow', 'x', Date.now() / 1000 + 3_600);
      write('never', 'x', Date.now() / 1000 + 1_000_000);
      write('2400', 'x', Date.UTC(2400) / 1000);
      assert.equal(await counts(), '3 files: 3 hashed, +3 ~0 -0 =0 !0');
      assert.match(await counts(), /=3 !0$/);

      const resources = await scanned.resources();
      assert.equal(resources.get('2400')?.state.lastmod, undefined);
      assert.equal(resources.get('never')?.state.lastmod, undefined);
      assert.notEqual(resources.get('tomorrow')?.state.lastmod, undefined);
    });
  });

  describe('that meets trouble', () => {
    it('deletes nothing when the root is not there', async () => {
      write('a');
      await run();
      renameSync(folder.at('root'), folder.at('away'));
      await assert.rejects(run(), (error) => isTidemarkError(error, 'unavailable'));
      await assert.rejects(run({ under: ['a'] }), (error) => isTidemarkError(error, 'unavailable'));
      assert.deepEqual([...(await scanned.resources()).keys()], ['a']);
    });

    it('deletes nothing more once the root vanishes in the middle', async () => {
      for (let at = 0; at < 1_500; at++) write(`${at % 30}/${at}`, '');
      await run();
      let files = 0;
      const index = spyOn(scanned, () => {
        if (++files === 1) renameSync(folder.at('root'), folder.at('away'));
      });
      await assert.rejects(run({ root: index }), (error) => isTidemarkError(error, 'unavailable'));
      assert.equal((await scanned.resources()).size, 1_500);
    });

    itWithPermissions('deletes nothing below a folder that cannot be read', async () => {
      for (const path of ['a', 'secret/b', 'secret/c/d', 'secret.txt']) write(path);
      await run();
      for (const path of ['secret-', 'secretly', 'z']) await scanned.updater.post([upsert(scanned.set.id, path)]);

      const summary = await whileUnreadable(folder.at('root/secret'), () => run());
      assert.deepEqual(summary.problems, [{ path: 'secret', problem: 'cannot be read: permission denied (EACCES)' }]);
      assert.deepEqual([...(await scanned.resources()).keys()], ['a', 'secret.txt', 'secret/b', 'secret/c/d']);
      assert.equal(await counts(), '4 files: 0 hashed, +0 ~0 -0 =4 !0', 'it is still remembered');
    });

    it('reports a path whose URI would be too long, and does not publish it', async () => {
      const name = 'n'.repeat(250);
      const path = Array.from({ length: 9 }, () => name).join('/');
      write(path);
      write('a');
      const { problems, created } = await run();

      assert.equal(created, 1);
      assert.equal(problems[0]?.path, path);
      assert.match(problems[0]?.problem ?? '', /URI would have \d+ characters; at most 2048/);
    });

    it('leaves a file that vanishes after it was listed to the next scan', async () => {
      for (const path of ['a', 'b']) write(path);
      const root = spyOn(scanned, () => rmSync(folder.at('root/a'), { force: true }));
      const summary = await run({ root });

      assert.deepEqual([summary.created, summary.deleted, summary.left, summary.problemCount], [1, 0, 1, 0]);
      assert.deepEqual([...(await scanned.resources()).keys()], ['b']);
      assert.equal(await counts(), '1 files: 0 hashed, +0 ~0 -0 =1 !0');
    });

    itWithPermissions('keeps the state of a file that cannot be read any more', async () => {
      write('a');
      write('b');
      await run();
      write('a', 'changed');
      const summary = await whileUnreadable(folder.at('root/a'), () => run());

      assert.deepEqual(summary.problems, [{ path: 'a', problem: '"a" cannot be read: permission denied (EACCES)' }]);
      assert.equal(await hashOf('a'), sha256('a'));
      assert.equal(await counts(), '2 files: 1 hashed, +0 ~1 -0 =1 !0');
    });

    it('publishes no mixture of a file that is being written', async () => {
      const size = 64 * 1024 * 1024;
      folder.write('root/large', Buffer.alloc(size, 'a'), LONG_AGO);
      const file = openSync(folder.at('root/large'), 'r+');
      const writing = setInterval(() => writeSync(file, 'b', size - 1), 2);
      try {
        const summary = await run();
        assert.deepEqual([summary.created, summary.left], [0, 1]);
      } finally {
        clearInterval(writing);
        closeSync(file);
      }
      assert.equal(await counts(), '1 files: 1 hashed, +1 ~0 -0 =0 !0');
    });

    it('stops when it is aborted, and what it posted until then stays', async () => {
      // More batches than are hashed while the first one is being committed.
      for (let at = 0; at < 4_000; at++) write(`${at}`, '');
      const stopping = new AbortController();
      const reason = new Error('stopped');
      let changes = 0;
      const onChange = () => {
        changes += 1;
        if (changes === 1_000) stopping.abort(reason);
      };
      await assert.rejects(run({ onChange, signal: stopping.signal }), reason);

      const { size } = await scanned.resources();
      assert.ok(size >= 1_000 && size < 4_000, `${size} were posted`);
      assert.equal((await run()).hashed, 4_000 - size, 'what was posted is remembered');
    });

    it('remembers nothing that was not committed', async () => {
      write('a');
      const refused = new Error('the store is full');
      await assert.rejects(run({ updater: { post: () => Promise.reject(refused) } }), refused);
      assert.equal(await counts(), '1 files: 1 hashed, +1 ~0 -0 =0 !0');
    });
  });

  describe('of a part', () => {
    it('compares a file, or a folder with all below it, and nothing else', async () => {
      for (const path of ['a/1', 'a/2', 'a b', 'a.txt', 'b']) write(path);
      assert.equal(await counts({ under: ['a'] }), '2 files: 2 hashed, +2 ~0 -0 =0 !0');
      assert.equal(await counts({ under: ['b', 'a.txt'] }), '2 files: 2 hashed, +2 ~0 -0 =0 !0');
      assert.deepEqual([...(await scanned.resources()).keys()].toSorted(), ['a.txt', 'a/1', 'a/2', 'b']);

      rmSync(folder.at('root/a'), { recursive: true });
      rmSync(folder.at('root/b'));
      assert.equal(await counts({ under: ['b'] }), '0 files: 0 hashed, +0 ~0 -1 =0 !0');
      assert.equal(await counts({ under: ['a'] }), '0 files: 0 hashed, +0 ~0 -2 =0 !0');
    });

    it('reads once what is below another part', async () => {
      for (const path of ['a/1', 'a/b/2', 'ab/3']) write(path);
      assert.equal(await counts({ under: ['a/b/2', 'a', 'a/b', 'ab', 'a'] }), '3 files: 3 hashed, +3 ~0 -0 =0 !0');
      assert.equal(await counts({ under: ['a', ''] }), '3 files: 0 hashed, +0 ~0 -0 =3 !0');
    });

    it('notices a file that became a folder, and a folder that became a file', async () => {
      write('a');
      write('b/1');
      await run();
      rmSync(folder.at('root/a'));
      rmSync(folder.at('root/b'), { recursive: true });
      write('a/1');
      write('b');
      assert.equal(await counts({ under: ['a', 'b'] }), '2 files: 2 hashed, +2 ~0 -2 =0 !0');
      assert.deepEqual([...(await scanned.resources()).keys()], ['a/1', 'b']);
    });
  });

  describe('on trial', () => {
    it('posts and remembers nothing, and reports what would be done', async () => {
      for (const path of ['a', 'b', 'c']) write(path);
      await run();
      write('a', 'changed');
      rmSync(folder.at('root/b'));
      write('d');
      const reported: string[] = [];
      const onChange: ScanOptions['onChange'] = (kind, key) => reported.push(`${kind} ${key}`);

      assert.equal(await counts({ dryRun: true, onChange }), '3 files: 2 hashed, +1 ~1 -1 =1 !0');
      assert.deepEqual(reported.toSorted(), ['created /d', 'deleted /b', 'updated /a']);
      assert.equal((await scanned.history()).length, 3);
      assert.equal(await counts(), '3 files: 2 hashed, +1 ~1 -1 =1 !0');
    });
  });

  it('reports its progress', async () => {
    write('a');
    const reported: unknown[] = [];
    await run({ onProgress: (progress) => reported.push(progress) });
    assert.deepEqual(reported[0], { files: 1, hashed: 0, bytes: 0 });
  });

  it('computes the other hashes that the set publishes, also of files that were hashed before', async () => {
    write('a', 'x');
    await run();
    const set = { ...scanned.set, publishHashes: ['md5'] as const };
    const root = openRoot({ root: folder.at('root'), exclude: [], hashes: ['md5'] });
    assert.equal((await run({ set, root })).updated, 1);
    const [a] = await scanned.index.lookup(set.id, ['/a']);
    assert.deepEqual(a!.state!.hashes, { 'sha-256': sha256('x'), md5: createHash('md5').update('x').digest('hex') });
    assert.equal((await run({ set, root })).hashed, 0);
  });
});

/** The root, reporting when the first batch was listed. */
function spyOn({ root }: ScannedSet, listed: () => void): ContentRoot {
  return {
    hashes: root.hashes,
    digestsAtOnce: root.digestsAtOnce,
    isEmpty: () => root.isEmpty(),
    leavesOut: () => root.leavesOut(),
    open: (path) => root.open(path),
    digest: (path, options) => root.digest(path, options),
    watch: (onChange, onProblem) => root.watch(onChange, onProblem),
    async *list(under) {
      for await (const batch of root.list(under)) {
        listed();
        yield batch;
      }
    },
  };
}
