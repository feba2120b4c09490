import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { MirrorState, STATE_FILE } from '../../src/client/mirror/state/mirror-state.ts';
import type { MirrorPlace } from '../../src/client/mirror/target/mirror-place.ts';
import type { MirrorTarget } from '../../src/client/mirror/target/mirror-target.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { useTempFolder } from '../support/temp-folder.ts';

/** A place for a copy, as another program sees it. */
export interface PlaceUnderTest {
  /** @param stateFolder where its state is, if it is not in the place itself */
  place(stateFolder: string): MirrorPlace;
  write(path: string, text: string): Promise<void>;
  /** All files by their paths, also those that the mirror keeps aside, but not those that only say whose copy it is. */
  files(): Promise<Readonly<Record<string, string>>>;
  /** What is kept of files that are not visible. */
  leftovers(): Promise<readonly string[]>;
}

async function pathsOf(target: MirrorTarget): Promise<readonly string[]> {
  const paths: string[] = [];
  for await (const path of target.paths()) paths.push(path);
  return paths.sort();
}

const LONG = 16 * 1024 * 1024 + 1;

/** Compares a target with the promises of its port. */
export function testMirrorTarget(under: () => PlaceUnderTest): void {
  const folder = useTempFolder();
  const closers: (() => unknown)[] = [];
  let place: PlaceUnderTest;

  beforeEach(() => {
    place = under();
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
  });

  /** Opens the place as a process does. @param machine each has its own state */
  const open = async ({ adopts = false, machine = 'one' } = {}): Promise<MirrorTarget> => {
    const mirrorPlace = place.place(folder.at(machine));
    mirrorPlace.prepare(adopts);
    const own = join(mirrorPlace.stateFolder, '.tidemark-mirror');
    mkdirSync(own, { recursive: true });
    const state = new MirrorState(join(mirrorPlace.stateFolder, STATE_FILE));
    closers.push(() => state.close());
    const target = await mirrorPlace.open({ state, own, adopts, source: 'http://example.org/' });
    state.commit();
    closers.push(() => target.close());
    return target;
  };
  const stage = async (target: MirrorTarget, path: string, ...pieces: readonly (string | Buffer)[]) => {
    const file = target.begin(path, undefined);
    for (const piece of pieces) await file.write(Buffer.from(piece));
    return { path, staged: await file.finish() };
  };
  const put = async (target: MirrorTarget, path: string, ...pieces: readonly (string | Buffer)[]) =>
    assert.deepEqual(await target.publish([await stage(target, path, ...pieces)]), []);
  const read = async (target: MirrorTarget, path: string) => buffer(target.read(path));

  it('shows a file when it is published, and then all of it', async () => {
    const target = await open();
    const first = await stage(target, 'a/é 1.txt', 'some ', 'bytes');
    const second = await stage(target, 'b.txt');
    assert.deepEqual([await place.files(), await target.lengthOf('a/é 1.txt')], [{}, undefined]);
    assert.deepEqual(await target.publish([first, second]), []);
    assert.deepEqual(await place.files(), { 'a/é 1.txt': 'some bytes', 'b.txt': '' });
    assert.deepEqual([await target.lengthOf('a/é 1.txt'), await target.lengthOf('b.txt')], [10, 0]);
    assert.equal(String(await read(target, 'a/é 1.txt')), 'some bytes');
    assert.equal((await read(target, 'b.txt')).length, 0);
    assert.deepEqual(await pathsOf(target), ['a/é 1.txt', 'b.txt']);
  });

  it('keeps the bytes of before until the new ones are published', async () => {
    const target = await open();
    await put(target, 'a.txt', 'before');
    const later = await stage(target, 'a.txt', 'after');
    assert.equal(String(await read(target, 'a.txt')), 'before');
    await target.publish([later]);
    assert.deepEqual(await place.files(), { 'a.txt': 'after' });
  });

  it('takes long files, which are not visible before, and leaves nothing of those that are discarded', async () => {
    const target = await open();
    const bytes = Buffer.alloc(LONG, 'long ');
    const pieces = [bytes.subarray(0, 1), bytes.subarray(1, 9_000_000), bytes.subarray(9_000_000)];
    const discarded = target.begin('discarded', LONG);
    for (const piece of pieces) await discarded.write(piece);
    await discarded.discard();
    const staged = await stage(target, 'long', ...pieces);
    assert.equal(await target.lengthOf('long'), undefined);
    assert.deepEqual(await target.publish([staged]), []);
    assert.equal(await target.lengthOf('long'), LONG);
    assert.ok(bytes.equals(await read(target, 'long')));
    assert.deepEqual(await pathsOf(target), ['long']);
    assert.deepEqual(await place.leftovers(), []);
  });

  it('publishes as many batches as it takes at the same time, also into the same new folders', async () => {
    const target = await open();
    for (let round = 0; round < 5; round++) {
      const batches = await Promise.all(
        Array.from({ length: target.writesAtOnce }, (_, batch) =>
          Promise.all(
            // So many are written by a thread.
            Array.from({ length: 40 }, (_, at) => {
              const path = `new-${round}/${at % 4}/deep/${batch}-${at}.txt`;
              return stage(target, path, path);
            }),
          ),
        ),
      );
      assert.deepEqual((await Promise.all(batches.map((batch) => target.publish(batch)))).flat(), []);
      const found = await place.files();
      for (const { path } of batches.flat()) assert.equal(found[path], path);
    }
    assert.deepEqual(await place.leftovers(), []);
  });

  it('finds no file where there is none', async () => {
    const target = await open();
    await put(target, 'd/a.txt', 'a');
    for (const path of ['none', 'd/none', 'd/a.txt/none']) {
      assert.equal(await target.lengthOf(path), undefined);
      await assert.rejects(read(target, path), (error) => isTidemarkError(error, 'not-found'));
    }
  });

  it('removes what a killed process has left unfinished', async () => {
    const killed = await open();
    await stage(killed, 'long', Buffer.alloc(LONG));
    await killed.begin('other', LONG).write(Buffer.alloc(LONG));
    assert.notDeepEqual(await place.leftovers(), []);
    const target = await open();
    assert.deepEqual(await place.leftovers(), []);
    await put(target, 'long', 'short');
    assert.deepEqual(await place.files(), { long: 'short' });
  });

  it('leaves nothing unfinished when it is closed', async () => {
    const target = await open();
    await stage(target, 'long', Buffer.alloc(LONG));
    await target.close();
    assert.deepEqual([await place.files(), await place.leftovers()], [{}, []]);
  });

  it('removes files, or keeps them aside, beside those that were kept before', async () => {
    const target = await open();
    for (const text of ['one', 'two']) {
      await put(target, 'd/a.txt', text);
      assert.deepEqual(await target.remove(['d/a.txt', 'd/none.txt'], true), []);
    }
    await put(target, 'b.txt', 'three');
    assert.deepEqual(await target.remove(['b.txt'], false), []);
    const aside = '.tidemark-mirror-deleted/d/a.txt';
    assert.deepEqual(await place.files(), { [aside]: 'one', [`${aside}~2`]: 'two' });
    assert.deepEqual(await pathsOf(target), []);
  });

  it('lists files of other programs, and leaves them alone', async () => {
    await place.write('mine.txt', 'mine');
    const target = await open({ adopts: true });
    await put(target, 'a.txt', 'a');
    await target.remove(['a.txt'], false);
    assert.deepEqual(await pathsOf(target), ['mine.txt']);
    assert.deepEqual(await place.files(), { 'mine.txt': 'mine' });
    assert.equal(await target.lengthOf('min'), undefined);
  });

  it('is not opened where something else is, unless it may be taken over', async () => {
    await place.write('mine.txt', 'mine');
    await assert.rejects(open(), (error) => isTidemarkError(error, 'conflict') && /--adopt/.test(error.message));
    await open({ adopts: true });
    const again = await open();
    await again.requireOwned();
  });
}
