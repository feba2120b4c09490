import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { SyncLoop } from '../../src/sources/sync/sync-loop.ts';
import type { SyncSummary } from '../../src/sources/sync-counter.ts';
import { openScannedSet, type ScannedSet } from '../support/scanned-set.ts';
import { LONG_AGO, useTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

describe('a sync loop', () => {
  const folder = useTempFolder();
  let scanned: ScannedSet;
  let loop: SyncLoop;
  let events: string[];

  beforeEach(async () => {
    mkdirSync(folder.at('root'));
    scanned = await openScannedSet(folder);
    events = [];
    loop = newLoop();
  });
  const newLoop = () =>
    new SyncLoop({
      ...scanned,
      retryDelayMs: 50,
      events: {
        onScanned: (_summary, extent) => events.push(`scanned ${extent}`),
        onProblem: ({ path }) => events.push(`problem ${path}`),
        onTrouble: ({ message }) => events.push(`trouble: ${message}`),
        onRecovered: () => events.push('recovered'),
      },
    });
  afterEach(async () => {
    await loop.stop();
    await scanned.close();
  });

  const write = (path: string, content = path, mtime?: number): void => folder.write(`root/${path}`, content, mtime);
  /**
   * Puts a whole file there at once: one that is written in place may be seen while it is empty, which is a change
   * more.
   */
  const put = (path: string): void => {
    folder.write('written', path);
    renameSync(folder.at('written'), folder.at(`root/${path}`));
  };
  const paths = async (): Promise<string> => [...(await scanned.resources()).keys()].join(' ');
  const untilThere = (expected: string): Promise<boolean> => until(expected, async () => (await paths()) === expected);
  const untilContent = (path: string, content: string): Promise<boolean> => {
    const hash = createHash('sha256').update(content).digest('hex');
    return until(content, async () => (await scanned.resources()).get(path)?.state.hashes?.['sha-256'] === hash);
  };

  async function start(): Promise<SyncSummary | undefined> {
    loop.start();
    return loop.firstSync;
  }

  it('scans everything, and resolves when that is done', async () => {
    write('a');
    write('b/c');
    assert.equal((await start())?.created, 2);
    assert.equal(await paths(), 'a b/c');
  });

  it('publishes what is added, edited, moved and removed', async () => {
    for (const path of ['edited', 'folder/1', 'folder/2', 'removed']) write(path, 'x', LONG_AGO);
    await start();
    put('added');
    put('edited');
    renameSync(folder.at('root/folder'), folder.at('root/moved'));
    rmSync(folder.at('root/removed'));

    // biome-ignore format: two lines
    const expected = [
      'created added', 'created moved/1', 'created moved/2',
      'deleted folder/1', 'deleted folder/2', 'deleted removed', 'updated edited',
    ];
    const changes = async () => (await scanned.history()).slice(4).toSorted();
    await until('all changes', async () => (await changes()).length >= expected.length);
    assert.deepEqual(await changes(), expected);
    assert.equal(await paths(), 'added edited moved/1 moved/2');
  });

  it('publishes a second edit that leaves length and time as they were after the first', async () => {
    write('a', 'one', LONG_AGO);
    await start();
    for (const content of ['two', 'six']) {
      write('a', content);
      await untilContent('a', content);
    }
  });

  it('publishes what a link through another link leads to, and edits of that', async () => {
    write('d1/f', 'one');
    write('d2/f', 'other');
    symlinkSync('d1', folder.at('root/current'));
    symlinkSync('current/f', folder.at('root/latest'));
    await start();
    rmSync(folder.at('root/current'));
    symlinkSync('d2', folder.at('root/current'));
    await untilContent('latest', 'other');
    write('d2/f', 'edited');
    await untilContent('latest', 'edited');
  });

  it('publishes what an edit of the file hides and shows to which .tidemarkignore is a link', async () => {
    for (const path of ['a.tmp', 'b.log']) write(path);
    write('rules', '*.tmp\n');
    symlinkSync('rules', folder.at('root/.tidemarkignore'));
    await start();
    assert.equal(await paths(), 'b.log rules');
    write('rules', '*.log\n');
    await untilThere('a.tmp rules');
  });

  it('publishes a file that is written all the time, and goes on with the rest', async () => {
    await start();
    const writing = setInterval(() => appendFileSync(folder.at('root/log'), 'line\n'), 10);
    try {
      await until('the log', async () => (await paths()) !== '');
      write('other');
      await until('the other', async () => (await paths()).includes('other'));
    } finally {
      clearInterval(writing);
    }
    const length = statSync(folder.at('root/log')).size;
    await until('all of it', async () => (await scanned.resources()).get('log')?.state.length === length);
  });

  it('publishes thousands of files that come at once', async () => {
    await start();
    for (let at = 0; at < 3_000; at++) write(`${at % 3}/${at}`, '');
    await until('all', async () => (await scanned.index.summary(scanned.set.id)).resources === 3_000);
  });

  it('notices at its start what changed while it did not run', async () => {
    write('a', 'x', LONG_AGO);
    write('b', 'x', LONG_AGO);
    await start();
    await loop.stop();
    rmSync(folder.at('root/a'));
    write('c', 'x', LONG_AGO);

    loop = new SyncLoop(scanned);
    const summary = await start();
    assert.deepEqual([summary?.deleted, summary?.created, summary?.hashed], [1, 1, 1]);
  });

  it('says once that the root vanished, deletes nothing, and says when it is back', async () => {
    write('a');
    write('b');
    await start();
    renameSync(folder.at('root'), folder.at('away'));
    await until('trouble', async () => events.some((event) => event.startsWith('trouble')));
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(await paths(), 'a b');

    rmSync(folder.at('away/a'));
    renameSync(folder.at('away'), folder.at('root'));
    await untilThere('b');
    await until('recovery', async () => events.includes('recovered'));
    write('c');
    await untilThere('b c');
    const trouble = events.filter((event) => event.startsWith('trouble'));
    assert.equal(trouble.length, 1);
    assert.match(trouble[0]!, /the root .* does not exist/);
  });

  it('deletes nothing when the root comes back empty, as the place of a disk that is not mounted', async () => {
    write('a');
    await start();
    renameSync(folder.at('root'), folder.at('away'));
    mkdirSync(folder.at('root'));
    await until('trouble', async () => events.some((event) => event.includes('is empty, or all of it is left out')));
    assert.equal(await paths(), 'a');

    rmSync(folder.at('root'), { recursive: true });
    renameSync(folder.at('away'), folder.at('root'));
    await until('recovery', async () => events.includes('recovered'));
    assert.equal(await paths(), 'a');
  });

  it('deletes nothing when the root is empty at its start', async () => {
    write('a');
    await start();
    await loop.stop();
    rmSync(folder.at('root/a'));

    loop = newLoop();
    loop.start();
    await until('trouble', async () => events.some((event) => event.includes('tidemark scan')));
    assert.equal(await paths(), 'a');
  });

  it('waits for a root that is not there yet', async () => {
    rmSync(folder.at('root'), { recursive: true });
    loop.start();
    await until('trouble', async () => events.length > 0);
    folder.write('ready/a');
    renameSync(folder.at('ready'), folder.at('root'));
    assert.equal((await loop.firstSync)?.created, 1);
  });

  it('can be stopped in the middle of the first scan, and goes on where it was', async () => {
    for (let at = 0; at < 2_500; at++) write(`${at}`, '', LONG_AGO);
    loop.start();
    await until('a part', async () => (await paths()) !== '');
    await loop.stop();
    const { size } = await scanned.resources();
    if (size < 2_500) assert.equal(await loop.firstSync, undefined);

    loop = new SyncLoop(scanned);
    assert.equal((await start())?.hashed, 2_500 - size);
  });

  it('can be stopped before it was started', async () => {
    await loop.stop();
    assert.equal(await loop.firstSync, undefined);
  });
});
