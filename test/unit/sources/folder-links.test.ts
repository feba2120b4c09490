import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { ContentRoot, RootWatch, SkippedEntries } from '../../../src/sources/content-root.ts';
import { CopyPacker } from '../../../src/sources/folder/copy-packer.ts';
import { hashFile, realRootOf } from '../../../src/sources/folder/hash-file.ts';
import { LinkTargets } from '../../../src/sources/folder/link-targets.ts';
import { LocalFiles } from '../../../src/sources/folder/local-files.ts';
import { openWithin } from '../../../src/sources/folder/open-within.ts';
import { openRoot } from '../../../src/sources/open-contents.ts';
import { collect } from '../../support/builders.ts';
import { itWithPermissions, useTempFolder, whileUnreadable } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

// Alternates: a file and a link to one outside under one name, a folder and a link to one outside under another.
const SWAP = `
  const { renameSync, symlinkSync, unlinkSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData: { root, outside, turns } } = require('node:worker_threads');
  const at = (name) => root + '/' + name;
  parentPort.postMessage('begun');
  for (;; Atomics.add(turns, 0, 1)) {
    symlinkSync(outside + '/name', at('.link'));
    renameSync(at('.link'), at('name'));
    renameSync(at('dir'), at('.dir'));
    symlinkSync(outside, at('dir'));
    writeFileSync(at('.file'), 'public');
    renameSync(at('.file'), at('name'));
    unlinkSync(at('dir'));
    renameSync(at('.dir'), at('dir'));
  }
`;

/** Turns while a path is opened and hashed again and again. */
const TURNS = 1_000;

const unavailable = (error: unknown): boolean => isTidemarkError(error, 'unavailable');
const notFound = (error: unknown): boolean => isTidemarkError(error, 'not-found');

describe('links and other things in a folder', () => {
  const folder = useTempFolder();
  let root: ContentRoot;
  let watch: RootWatch | undefined;

  beforeEach(() => {
    mkdirSync(folder.at('root'));
    folder.write('outside/secret', 'secret');
    root = openRoot({ root: folder.at('root'), exclude: [] });
  });
  afterEach(async () => {
    await watch?.close();
    watch = undefined;
  });

  const list = async (): Promise<string[]> => (await collect(root.list())).map(({ path }) => path);
  const link = (target: string, path: string): void => symlinkSync(target, folder.at(`root/${path}`));

  it('lists a link to a file of the root with the figures of that file, and opens it', async () => {
    folder.write('root/a/target', '12345', 1_600_000_000);
    link('a/target', 'latest');

    const [entry] = await collect(root.list('latest'));
    const [target] = await collect(root.list('a/target'));
    assert.deepEqual(entry, { ...target, path: 'latest' });
    assert.deepEqual(await list(), ['a/target', 'latest']);
    assert.equal(String(Buffer.concat(await (await root.open('latest')).stream().toArray())), '12345');
    assert.equal((await root.digest('latest')).length, 5);
  });

  it('neither lists nor opens what a link outside leads to', async () => {
    link('../outside/secret', 'relative');
    link(folder.at('outside/secret'), 'absolute');
    link('relative', 'twice');
    link(folder.at('outside'), 'folder');

    assert.deepEqual(await list(), []);
    for (const path of ['relative', 'absolute', 'twice', 'folder/secret', 'folder']) {
      assert.deepEqual(await collect(root.list(path)), []);
      await assert.rejects(root.open(path), notFound);
      await assert.rejects(root.digest(path), notFound);
    }
  });

  it("neither lists, opens nor hashes a link to one of Tidemark's own files", async () => {
    for (const path of ['own/store', 'tidemark.config.json', '.git/annex/KEY', 'versions/1', 'public']) {
      folder.write(`root/${path}`, 'secret');
    }
    folder.write('root/.tidemarkignore', 'versions/\n*.hidden\n');
    link('tidemark.config.json', 'x.txt');
    link('own/store', 'store');
    link('x.txt', 'twice');
    link(folder.at('root/own/store'), 'absolute');
    link('.tidemarkignore', 'patterns');
    // Patterns apply to the names of links, not to what they lead to, nor to links on the way.
    link('public', 'name.hidden');
    link('name.hidden', 'behind');
    link('versions/1', 'latest');
    link('.git/annex/KEY', 'annexed');
    symlinkSync('root', folder.at('alias'));

    for (const place of ['root', 'alias']) {
      root = openRoot({ root: folder.at(place), exclude: [], ownFiles: ['/own/'] });
      let links = 0;
      const listed = await collect(root.list('', (skipped) => (links += skipped.links)));
      const shown = ['annexed', 'behind', 'latest'];
      assert.deepEqual(
        listed.map(({ path }) => path),
        [...shown, 'public'],
      );
      const hidden = ['x.txt', 'store', 'twice', 'absolute', 'patterns'];
      assert.equal(links, hidden.length);
      for (const path of hidden) {
        const skipped: SkippedEntries[] = [];
        assert.deepEqual(await collect(root.list(path, (each) => skipped.push(each))), []);
        assert.deepEqual(skipped.at(-1), { links: 1, special: 0, path });
        // Then, a file of a folder that is known to be local may be opened in a faster way.
        await (await root.open('public')).close();
        for (let time = 1; time <= 2; time++) await assert.rejects(root.open(path), notFound);
        await assert.rejects(root.digest(path), notFound);
      }
      for (const path of shown) {
        await (await root.open(path)).close();
        assert.equal((await root.digest(path)).length, 6);
      }
    }
  });

  it('does not mistake a folder whose name begins alike for the root', async () => {
    folder.write('root-2/secret', 'secret');
    link('../root-2/secret', 'link');
    assert.deepEqual(await list(), []);
    await assert.rejects(root.open('link'), notFound);
  });

  it('lists no folder twice through a link, nor loops', async () => {
    folder.write('root/a/file');
    link('.', 'self');
    link('../a', 'a/again');
    link('loop', 'loop');
    link('nothing', 'dangling');

    assert.deepEqual(await list(), ['a/file']);
    assert.deepEqual(await collect(root.list('self/a/file')), []);
  });

  it('works through a root that is a link itself', async () => {
    folder.write('root/file', 'x');
    symlinkSync('root', folder.at('alias'));
    root = openRoot({ root: folder.at('alias'), exclude: [] });

    assert.deepEqual(await list(), ['file']);
    await (await root.open('file')).close();
    assert.equal((await root.digest('file')).length, 1);
  });

  it('leaves out FIFOs, sockets and devices, and waits for none', async () => {
    execFileSync('mkfifo', [folder.at('root/fifo')]);
    folder.write('root/file');
    link('/dev/zero', 'zero');
    link('fifo', 'to-fifo');

    assert.deepEqual(await list(), ['file']);
    for (const path of ['fifo', 'zero', 'to-fifo']) {
      await assert.rejects(root.open(path), notFound);
      await assert.rejects(root.digest(path), notFound);
    }
  });

  it('never opens or hashes what is outside while files and folders are swapped for links all the time', async () => {
    folder.write('root/name', 'public');
    folder.write('root/dir/name', 'public');
    folder.write('outside/name', 'not public');
    const turns = new Int32Array(new SharedArrayBuffer(4));
    const swapper = new Worker(SWAP, {
      eval: true,
      workerData: { root: folder.at('root'), outside: folder.at('outside'), turns },
    });
    try {
      await once(swapper, 'message');
      const found = new Set<string>();
      const small = new LocalFiles(folder.at('root'));
      // Both are there in most of its turns, so they are met at last also where this thread and that one seldom run
      // together.
      while (turns[0]! < TURNS || !found.has('public') || !found.has('6 bytes') || !found.has('at once: public')) {
        for (const path of ['name', 'dir/name']) {
          found.add(await openedText(folder.at('root'), path));
          found.add(hashedLength(folder.at('root'), path));
          found.add(await textAtOnce(small, folder.at('root'), path));
        }
      }
      found.delete('nothing');
      assert.deepEqual([...found].toSorted(), ['6 bytes', 'at once: public', 'public']);
    } finally {
      await swapper.terminate();
    }
  });

  it('hashes nothing of another folder of the root that a link, swapped in after the check, leads to', () => {
    folder.write('root/dir/name', 'public');
    folder.write('root/hidden/name', 'not public');
    for (const path of ['dir/latest', 'hidden/latest']) link('name', path);
    const { native } = realpathSync;
    realpathSync.native = ((path: string) => {
      const real = native(path);
      if (path === folder.at('root/dir')) {
        renameSync(folder.at('root/dir'), folder.at('root/.dir'));
        link('hidden', 'dir');
      }
      return real;
    }) as typeof native;
    try {
      assert.equal(hashedLength(folder.at('root'), 'dir/latest'), 'nothing');
    } finally {
      realpathSync.native = native;
    }
  });

  it('hashes nothing of Tidemark through a link that leads to another file since it was listed', () => {
    folder.write('root/public', 'public');
    folder.write('root/own/name', 'not public');
    link('public', 'link');
    assert.equal(hashedLength(folder.at('root'), 'link'), '6 bytes');
    rmSync(folder.at('root/link'));
    link('own/name', 'link');
    assert.equal(hashedLength(folder.at('root'), 'link'), 'nothing');
  });

  it('reports a name that is not UTF-8 as a problem', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${folder.at('root')}/bad-`), Buffer.from([0xff])]), 'x');
    folder.write('root/good-\ufffd', 'x');

    assert.deepEqual(
      (await collect(root.list())).map(({ path, problem }) => [path, problem]),
      [
        ['bad-\ufffd', 'its name is not UTF-8'],
        ['good-\ufffd', undefined],
      ],
    );
  });

  itWithPermissions('reports a folder that cannot be read as a problem, and lists the rest', async () => {
    folder.write('root/a');
    folder.write('root/secret/b');
    folder.write('root/z');

    const entries = await whileUnreadable(folder.at('root/secret'), () => collect(root.list()));
    assert.deepEqual(
      entries.find(({ problem }) => problem !== undefined),
      { path: 'secret', problem: 'cannot be read: permission denied (EACCES)' },
    );
    assert.deepEqual(
      entries.filter(({ problem }) => problem === undefined).map(({ path }) => path),
      ['a', 'z'],
    );
  });

  itWithPermissions('reports a path below a folder that cannot be read as a problem, and cannot open it', async () => {
    folder.write('root/secret/deep/b');
    await whileUnreadable(folder.at('root/secret'), async () => {
      const [entry] = await collect(root.list('secret/deep/b'));
      assert.deepEqual([entry?.path, entry?.problem], ['secret/deep/b', 'cannot be read: permission denied (EACCES)']);
      await assert.rejects(root.open('secret/deep/b'), unavailable);
      await assert.rejects(root.digest('secret/deep/b'), unavailable);
    });
  });

  itWithPermissions('is unavailable when the root itself cannot be read', async () => {
    folder.write('root/a');
    await whileUnreadable(folder.at('root'), () => assert.rejects(collect(root.list()), unavailable));
  });

  itWithPermissions('reports a folder that cannot be watched, and watches it once it can be read', async () => {
    folder.write('root/secret/b', 'x');
    const reported = new Set<string>();
    await whileUnreadable(folder.at('root/secret'), async () => {
      watch = await root.watch(
        (path) => reported.add(path),
        ({ path, problem }) => reported.add(`${path}: ${problem}`),
      );
      assert.deepEqual([...reported], ['secret: cannot be watched: permission denied (EACCES)']);
    });
    await until('the folder', async () => reported.has('secret'));
    folder.write('root/secret/b', 'y');
    await until('the file', async () => reported.has('secret/b'));
  });

  it('reports a link when the file that it names changes', async () => {
    folder.write('root/deep/target', 'x');
    link('deep/target', 'latest');
    const reported = new Set<string>();
    watch = await root.watch(
      (path) => reported.add(path),
      () => {},
    );

    folder.write('root/deep/target', 'y');
    await until('the link', async () => reported.has('latest'));
    reported.clear();
    renameSync(folder.at('root/deep'), folder.at('root/moved'));
    await until('the link', async () => reported.has('latest'));
  });

  it("reports no link to one of Tidemark's own files when that changes", async () => {
    for (const path of ['own', 'shown']) {
      folder.write(`root/${path}`, 'x');
      link(path, `to-${path}`);
    }
    root = openRoot({ root: folder.at('root'), exclude: [], ownFiles: ['/own'] });
    const reported = new Set<string>();
    watch = await root.watch(
      (path) => reported.add(path),
      () => {},
    );

    for (const path of ['own', 'shown']) folder.write(`root/${path}`, 'changed');
    await until('the link', async () => reported.has('to-shown'));
    assert.deepEqual([...reported].toSorted(), ['shown', 'to-shown']);
  });

  describe('that lead to each other @long', () => {
    let reported: Set<string>;

    async function watched(): Promise<void> {
      reported = new Set();
      watch = await root.watch(
        (path) => reported.add(path),
        () => {},
      );
    }

    /** Waits until everything before was reported, and forgets it. */
    async function settled(): Promise<void> {
      folder.write('root/marker', '');
      await until('the marker', async () => reported.has('marker'));
      reported.clear();
    }

    async function reports(path: string): Promise<void> {
      await until(path, async () => reported.has(path));
      await settled();
    }

    /** As `ln -sfn`. */
    function retarget(target: string, path: string): void {
      symlinkSync(target, folder.at('retargeted'));
      renameSync(folder.at('retargeted'), folder.at(`root/${path}`));
    }

    /** The links of a case, the one that is published, and how another one leads to d2/f instead of d1/f. */
    const CASES: readonly (readonly [title: string, links: Record<string, string>, link: string, other: string[]])[] = [
      ['a folder behind another link', { current: 'd1', latest: 'current/f' }, 'latest', ['d2', 'current']],
      ['another link to a file', { 'c/b': '../d1/f', 'c/a': 'b' }, 'c/a', ['../d2/f', 'c/b']],
      ['.. behind another link', { at: 'd1/below', latest: 'at/../f' }, 'latest', ['d2/below', 'at']],
      ['a link outside of the root', { now: 'd1', latest: '../outside/back/f' }, 'latest', ['d2', 'now']],
      ['links that were a loop', { one: 'two', two: 'one' }, 'one', ['d2/f', 'two']],
      ['a link to nothing', { one: 'two', two: 'missing/f' }, 'one', ['d2', 'missing']],
    ];
    for (const [title, links, path, [target, changed]] of CASES) {
      it(`reports a link that leads through ${title} when that changes, and what it then leads to`, async () => {
        for (const file of ['d1/f', 'd1/below/g', 'd2/f', 'd2/below/g', 'c/g']) folder.write(`root/${file}`);
        symlinkSync('../root/now', folder.at('outside/back'));
        for (const [name, text] of Object.entries(links)) link(text, name);
        await watched();
        await settled();

        retarget(target!, changed!);
        await reports(path);
        folder.write('root/d2/f', 'changed');
        await reports(path);
      });
    }

    it('reports a link to what is created later, folder by folder', async () => {
      link('a/b/../f', 'latest');
      await watched();
      for (const at of ['a', 'a/b']) {
        mkdirSync(folder.at(`root/${at}`));
        await reports('latest');
      }
      folder.write('root/a/f');
      await reports('latest');
      folder.write('root/a/f', 'changed');
      await reports('latest');
    });
  });

  it('learns links again only when what they lead to may lead elsewhere now', () => {
    for (const path of ['root/target', 'root/other', 'new']) folder.write(path);
    link('target', 'link');
    const links = new LinkTargets(folder.at('root'));
    const of = (path: string): string[] => [...links.of(path, true)];
    links.learn('link');
    assert.deepEqual(of('target'), ['link']);

    renameSync(folder.at('new'), folder.at('root/target'));
    assert.deepEqual(of('target'), ['link']);
    rmSync(folder.at('root/target'));
    assert.deepEqual(of('target'), ['link']);
    // As long as nothing reports it, the link is not read again.
    rmSync(folder.at('root/link'));
    link('other', 'link');
    assert.deepEqual(of('other'), []);
    rmSync(folder.at('root/link'));
    link('target', 'link');
    link('other', 'target');
    assert.deepEqual(of('target'), ['link']);
    assert.deepEqual(of('other'), ['link']);
  });

  for (const [place, file] of [
    ['in the root', 'root/rules'],
    ['in a folder that is left out', 'root/.git/rules'],
    ['outside of the root', 'outside/rules'],
  ] as const) {
    it(`reports the whole root when .tidemarkignore is a link, and the file that it names changes ${place} @long`, async () => {
      folder.write(file, 'hidden/');
      symlinkSync(folder.at(file), folder.at('root/.tidemarkignore'));
      folder.write('root/hidden/file');
      const reported = new Set<string>();
      watch = await root.watch(
        (path) => reported.add(path),
        () => {},
      );

      folder.write(file, '');
      await until('the root', async () => reported.has(''));
      folder.write('root/hidden/file', 'changed');
      await until('the file', async () => reported.has('hidden/file'));
    });
  }

  it('reports the whole root, and watches what is shown now, when .tidemarkignore changes', async () => {
    folder.write('root/.tidemarkignore', 'hidden/\n');
    folder.write('root/hidden/file');
    const reported = new Set<string>();
    watch = await root.watch(
      (path) => reported.add(path),
      () => {},
    );

    rmSync(folder.at('root/.tidemarkignore'));
    await until('the root', async () => reported.has(''));
    folder.write('root/hidden/file', 'changed');
    await until('the file', async () => reported.has('hidden/file'));
  });

  it('reports when another folder is put in the place of the root @long', async () => {
    const problems: string[] = [];
    watch = await root.watch(
      () => {},
      ({ path, problem }) => problems.push(`${path}: ${problem}`),
    );
    renameSync(folder.at('root'), folder.at('old'));
    mkdirSync(folder.at('root'));

    await until('the problem', async () => problems.length > 0);
    assert.match(problems.join(), /^: the root .* does not exist/);
  });
});

const isInternal = (path: string): boolean => path.startsWith('own/');

async function openedText(root: string, path: string): Promise<string> {
  try {
    return String(Buffer.concat(await (await openWithin({ root, isInternal }, path)).stream().toArray()));
  } catch (error) {
    if (isTidemarkError(error)) return 'nothing';
    throw error;
  }
}

/** What local-files.ts opens in a folder that it takes for known. */
async function textAtOnce(small: LocalFiles, root: string, path: string): Promise<string> {
  const file = await openWithin({ root, isInternal }, path, (device, real) => small.learn(device, real)).catch(
    () => undefined,
  );
  await file?.close();
  const realRoot = small.realRoot();
  const bytes = realRoot === undefined ? undefined : small.open(realRoot, path)?.bytes;
  return bytes === undefined ? 'nothing' : `at once: ${bytes}`;
}

function hashedLength(root: string, path: string): string {
  try {
    const hashed = hashFile({ root: realRootOf(root), hashes: ['sha-256'], isInternal }, { path }, new CopyPacker());
    return `${hashed.length} bytes`;
  } catch (error) {
    if (isTidemarkError(error)) return 'nothing';
    throw error;
  }
}
