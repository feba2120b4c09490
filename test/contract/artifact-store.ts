import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore, GetOptions, ListedObject } from '../../src/artifacts/artifact-store.ts';
import { BLOCK_BYTES } from '../../src/artifacts/blocks.ts';
import { newDraftName, writeDraft } from '../../src/artifacts/drafts.ts';
import { type ArtifactLocation, openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { type ErrorCode, isTidemarkError } from '../../src/core/errors.ts';
import { CalledThread, startWorker } from '../../src/lib/workers/rpc.ts';
import type { StoreFunctions } from '../support/artifact-store.worker.ts';
import { collect } from '../support/builders.ts';
import { until } from '../support/until.ts';

/** An artifact store, and what is stored in its place besides what it lists. */
export interface StoreUnderTest {
  readonly location: ArtifactLocation;
  /** Everything that is kept, also what it does not list: unfinished uploads, temporary files, probes. */
  leftovers(): Promise<readonly string[]>;
  /** Puts small objects there, as another program would. */
  fill(keys: readonly string[]): Promise<void>;
}

const KEY = 'cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro';
/** The characters that keys may have. */
const ODD_KEYS = ['a/!"#$%&\'()*+,-.', 'a/:;<=>?@[\\]^_`{|}~', 'A/%41+%2F', `${'l'.repeat(200)}/${'n'.repeat(200)}`];
const NO_KEYS = ['', '/', '/a', 'a/', 'a//b', '.', '..', 'a/../b', '.hidden', 'a/.hidden', 'a b', 'é', 'a\n', 'a\0b'];
const WITH = (code: ErrorCode) => (error: unknown) => isTidemarkError(error, code);

/** Holds an artifact store to the promises of its port. */
export function testArtifactStore(name: string, place: () => StoreUnderTest): void {
  describe(`${name} as artifact store`, () => {
    let store: ArtifactStore;
    let under: StoreUnderTest;

    beforeEach(() => {
      under = place();
      store = openArtifacts(under.location);
    });
    afterEach(async () => {
      await store.close();
    });

    it('is empty before anything is written', async () => {
      assert.deepEqual(await collect(store.list('')), []);
      assert.deepEqual(await store.folders(''), []);
      assert.deepEqual(await store.objects('cdl/'), []);
      assert.equal(await store.head(KEY), undefined);
      await assert.rejects(store.get(KEY), WITH('not-found'));
    });

    for (const [title, length] of [
      ['nothing', 0],
      ['some bytes', 100_000],
      ['just a block', BLOCK_BYTES],
      ['more than a block', BLOCK_BYTES * 2 + 12_345],
    ] as const) {
      it(`writes ${title}, returns length and hashes, and gives the same bytes back`, async () => {
        const bytes = someBytes(length);
        const { key, ...stored } = await store.put(KEY, chunksOf(bytes));

        assert.equal(key, KEY);
        assert.deepEqual(stored, { length, hashes: hashesOf(bytes) });
        assert.ok(bytes.equals(await read(store)));
        assert.deepEqual(await under.leftovers(), []);
      });
    }

    it('takes chunks of any size, also empty ones, and does not keep their memory', async () => {
      const chunk = Buffer.alloc(3, 'a');
      async function* body() {
        yield new Uint8Array(0);
        for (const letter of 'bcd') {
          chunk.fill(letter);
          yield chunk;
        }
      }
      await store.put(KEY, body());
      assert.equal((await read(store)).toString(), 'bbbcccddd');
    });

    it('lists an object only when it is whole', async () => {
      const seen: unknown[] = [];
      const check = async () =>
        seen.push(await store.head(KEY), await collect(store.list('')), await store.folders(''));
      async function* body() {
        yield someBytes(BLOCK_BYTES + 1);
        await check();
        yield Buffer.from('the end');
      }
      await store.put(KEY, body());

      assert.deepEqual(seen, [undefined, [], []]);
      assert.equal((await store.head(KEY))?.length, BLOCK_BYTES + 8);
    });

    it('deletes an object, and nothing else', async () => {
      await under.fill(['a/b', 'a/b.c', 'a/d/e']);
      await store.delete('a/b');
      assert.equal(await store.head('a/b'), undefined);
      await assert.rejects(store.get('a/b'), WITH('not-found'));
      assert.deepEqual(keysOf(await collect(store.list(''))), ['a/b.c', 'a/d/e']);
      await store.put('a/b', [Buffer.from('again')]);
      assert.equal((await read(store, 'a/b')).toString(), 'again');
    });

    it('deletes nothing where nothing is stored', async () => {
      await under.fill(['a/b']);
      for (const key of ['c', 'a', 'a/b/c', 'a/c']) await store.delete(key);
      for (const key of NO_KEYS) await assert.rejects(store.delete(key), WITH('invalid'));
      assert.deepEqual(keysOf(await collect(store.list(''))), ['a/b']);
    });

    for (const count of [1, 40]) {
      it(`writes ${count} small object(s) together, and restores those that exist`, async () => {
        const objects = Array.from({ length: count }, (_, at) => ({
          key: `a/${at % 7}/${at}`,
          bytes: someBytes(at * 100),
        }));
        await store.putAll(objects);
        for (const { key, bytes } of objects) assert.ok(bytes.equals(await read(store, key)), key);
        const { modified } = (await store.head('a/0/0'))!;
        await passASecond();
        await store.putAll([objects[0]!, { key: 'b', bytes: Buffer.from('new') }]);
        assert.ok((await store.head('a/0/0'))!.modified > modified);
        assert.equal((await read(store, 'b')).toString(), 'new');
        assert.equal((await collect(store.list(''))).length, count + 1);
        assert.deepEqual(await under.leftovers(), []);
      });
    }

    it('writes a large object in little memory', async () => {
      const bytes = someBytes(2 * BLOCK_BYTES + 3);
      await store.put(KEY, [bytes], { hashes: ['sha-256'], sparesMemory: true });
      assert.ok(bytes.equals(await read(store, KEY)));
    });

    it('restores an object whose key follows from its bytes', async () => {
      for (const bytes of [someBytes(3), someBytes(BLOCK_BYTES + 3)]) {
        const key = `${bytes.length}`;
        await store.put(key, [bytes], { restores: true });
        const { modified } = (await store.head(key))!;
        await passASecond();
        await store.put(key, [bytes], { restores: true });
        assert.ok((await store.head(key))!.modified > modified);
        assert.ok(bytes.equals(await read(store, key)));
      }
      assert.deepEqual(await under.leftovers(), []);
    });

    it('writes no small objects under keys that are none, and several processes the same ones', async () => {
      await assert.rejects(store.putAll([{ key: '../a', bytes: Buffer.from('a') }]), WITH('invalid'));
      await store.putAll([]);
      const objects = Array.from({ length: 30 }, (_, at) => ({ key: `a/${at}`, bytes: someBytes(at) }));
      const stores = Array.from({ length: 3 }, () => openArtifacts(under.location));
      await Promise.all(stores.map((one) => one.putAll(objects)));
      for (const one of stores) await one.close();
      assert.equal((await collect(store.list('a/'))).length, 30);
      assert.deepEqual(await under.leftovers(), []);
    });

    it('is the same in a thread that opens its location', async () => {
      const thread = threadOf(under.location);
      try {
        await store.put('a/b', [Buffer.from('of this thread')]);
        assert.equal(Buffer.from(await thread.call('readSmall', ['a/b'])).toString(), 'of this thread');
        await thread.call('put', ['a/c', Buffer.from('of the other')]);
        assert.equal((await read(store, 'a/c')).toString(), 'of the other');
        await assert.rejects(thread.call('put', ['a/b', Buffer.from('x')]), WITH('conflict'));
      } finally {
        await thread.close();
      }
    });

    it('removes what an ended thread left unfinished, and nothing that may still be written', async () => {
      const thread = threadOf(under.location);
      const begun = new Int32Array(new SharedArrayBuffer(4));
      // Two blocks, since a store may send the last one only at the end.
      const put = thread.call('putForEver', [KEY, someBytes(2 * BLOCK_BYTES), begun]).catch(() => {});
      try {
        await until('something is left', async () => begun[0] === 1 && (await under.leftovers()).length > 0);
        assert.equal(await store.removeUnfinished(Date.now() - 60_000), 0);
        assert.notDeepEqual(await under.leftovers(), []);
      } finally {
        await thread.end();
        await put;
      }
      assert.ok((await store.removeUnfinished(Date.now() + 60_000)) > 0);
      assert.deepEqual(await under.leftovers(), []);
      assert.equal(await store.head(KEY), undefined);
    });

    it('stores the drafts of several threads, where it can, and removes all others', async () => {
      const drafts = await store.beginDrafts?.();
      if (drafts === undefined) return;
      const keys = Array.from({ length: 250 }, (_, at) => `a/${at % 7}/${at}`);
      await store.put(keys[0]!, [Buffer.from(keys[0]!)]);
      const { modified } = (await store.head(keys[0]!))!;
      await passASecond();
      const kept = keys.map((key) => ({ key, name: newDraftName() }));
      for (const { key, name } of kept) writeDraft(drafts.place, name, Buffer.from(key));
      writeDraft(drafts.place, newDraftName(), Buffer.from('left'));
      const thread = threadOf(under.location);
      const written = thread.call('writeDraft', [drafts.place, Buffer.from('b')]);
      kept.push({ key: 'b', name: await written.finally(() => thread.close()) });
      assert.deepEqual(keysOf(await collect(store.list(''))), [keys[0]]);
      await drafts.keep(kept);
      assert.deepEqual(keysOf(await collect(store.list(''))), [...keys, 'b'].sort());
      for (const { key } of kept) assert.equal((await read(store, key)).toString(), key);
      assert.ok((await store.head(keys[0]!))!.modified > modified);
      assert.deepEqual(await under.leftovers(), []);
    });

    it('deletes what is older than a time, and nothing younger', async () => {
      await under.fill(['a/b', 'a/c']);
      const { modified } = (await store.head('a/b'))!;
      assert.equal(await store.deleteOlder('a/b', modified), false);
      assert.equal(await store.deleteOlder('a/b', modified + 1_000), true);
      assert.equal(await store.deleteOlder('a/b', modified + 1_000), false);
      assert.deepEqual(keysOf(await collect(store.list(''))), ['a/c']);
      assert.deepEqual(await under.leftovers(), []);
    });

    it('overwrites nothing', async () => {
      await store.put(KEY, [Buffer.from('first')]);
      for (const length of [3, BLOCK_BYTES + 3]) {
        await assert.rejects(store.put(KEY, [someBytes(length)]), WITH('conflict'));
      }
      assert.equal((await read(store)).toString(), 'first');
      assert.deepEqual(await under.leftovers(), []);
    });

    it('overwrites nothing that was written while it wrote', async () => {
      const other = openArtifacts(under.location);
      for (const length of [3, BLOCK_BYTES + 3]) {
        const key = `${length}.avro`;
        async function* body() {
          yield someBytes(length);
          await other.put(key, [Buffer.from('faster')]);
        }
        await assert.rejects(store.put(key, body()), WITH('conflict'));
        assert.equal((await read(store, key)).toString(), 'faster');
      }
      assert.deepEqual(await under.leftovers(), []);
      await other.close();
    });

    it('lets one of several concurrent writers of a key win', async () => {
      const stores = Array.from({ length: 6 }, () => openArtifacts(under.location));
      const texts = stores.map((_, at) => String(at).repeat(1000 + at));
      const outcomes = await Promise.allSettled(stores.map((one, at) => one.put(KEY, [Buffer.from(texts[at]!)])));

      const won = texts.filter((_, at) => outcomes[at]!.status === 'fulfilled');
      assert.deepEqual(won, [(await read(store)).toString()]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') assert.ok(isTidemarkError(outcome.reason, 'conflict'), outcome.reason);
      }
      assert.deepEqual(await under.leftovers(), []);
      await Promise.all(stores.map((one) => one.close()));
    });

    for (const length of [10, BLOCK_BYTES * 2]) {
      it(`leaves nothing of a body that fails after ${length} bytes, and throws its error`, async () => {
        const failure = new Error('no more');
        async function* body() {
          yield someBytes(length);
          throw failure;
        }
        await assert.rejects(store.put(KEY, body()), failure);
        assert.equal(await store.head(KEY), undefined);
        assert.deepEqual(await under.leftovers(), []);
        assert.equal((await store.put(KEY, [Buffer.from('again')])).length, 5);
      });

      it(`stops after ${length} bytes when its signal says so, also while it waits for the body`, async () => {
        const stopping = new AbortController();
        const { promise: asked, resolve } = Promise.withResolvers<void>();
        const { promise: forever, reject } = Promise.withResolvers<never>();
        forever.catch(() => {});
        async function* body() {
          yield someBytes(length);
          resolve();
          await forever;
        }
        const put = store.put(KEY, body(), { signal: stopping.signal });
        await asked;
        const reason = new Error('stopped');
        stopping.abort(reason);

        await assert.rejects(put, reason);
        reject(new Error('over'));
        assert.equal(await store.head(KEY), undefined);
        assert.deepEqual(await under.leftovers(), []);
      });
    }

    it('reads nothing of a body when it was stopped before, and not all of one for a key that is taken', async () => {
      let asked = 0;
      async function* body() {
        for (; asked < 20; asked++) yield someBytes(BLOCK_BYTES);
      }
      await store.put(KEY, [Buffer.from('first')]);
      await assert.rejects(store.put(KEY, body()), WITH('conflict'));
      assert.ok(asked < 20);
      asked = 0;
      const reason = new Error('stopped');
      await assert.rejects(store.put('b', body(), { signal: AbortSignal.abort(reason) }), reason);
      assert.equal(asked, 0);
    });

    const bytes = someBytes(100_000);
    const RANGES: readonly (readonly [GetOptions['range'], Buffer])[] = [
      [{ start: 0, length: 1 }, bytes.subarray(0, 1)],
      [{ start: 0, length: 100_000 }, bytes],
      [{ start: 99_999, length: 1 }, bytes.subarray(99_999)],
      [{ start: 50_000, length: 20_000 }, bytes.subarray(50_000, 70_000)],
      [{ start: 99_000, length: 5_000 }, bytes.subarray(99_000)],
    ];
    it('gives parts of an object, as far as it goes, with the length of the whole', async () => {
      await store.put(KEY, [bytes]);
      for (const [range, expected] of RANGES) {
        const { length, body } = await store.get(KEY, { range });
        assert.equal(length, 100_000);
        assert.ok(expected.equals(Buffer.concat(await body.toArray())), JSON.stringify(range));
      }
    });

    it('reads a small object as a whole, and says when there is none', async () => {
      await under.fill(['a/b']);
      await store.putAll([
        { key: 'a/empty', bytes: Buffer.alloc(0) },
        { key: 'a/c', bytes },
      ]);
      assert.ok(bytes.equals(await store.readSmall('a/c')));
      assert.equal((await store.readSmall('a/empty')).length, 0);
      for (const key of ['a', 'a/d', 'a/b/c']) await assert.rejects(store.readSmall(key), WITH('not-found'));
      for (const key of NO_KEYS) await assert.rejects(store.readSmall(key), WITH('invalid'));
    });

    it('reads a part of a small object, up to its end', async () => {
      await store.put(KEY, [bytes]);
      for (const [start, length] of [
        [0, 1],
        [99_999, 1],
        [50_000, 100_000],
        [7, 1_000],
      ] as const) {
        const read = await store.readSmall(KEY, { start, length });
        assert.ok(bytes.subarray(start, start + length).equals(read), `${start}`);
      }
      const whole = { start: 0, length: 100_000 };
      assert.ok(bytes.equals(await store.readSmall(KEY, whole)));
      await assert.rejects(store.readSmall(KEY, { start: 100_000, length: 1 }), WITH('invalid'));
      await assert.rejects(store.readSmall(KEY, { start: 0, length: 0 }), WITH('invalid'));
      await assert.rejects(store.readSmall('missing', whole), WITH('not-found'));
    });

    it('gives no part that begins after the end, and none without bytes', async () => {
      await store.put(KEY, [bytes]);
      await store.put('empty', []);
      for (const [key, start, length] of [
        [KEY, 100_000, 1],
        [KEY, 500_000, 5],
        ['empty', 0, 1],
        [KEY, 0, 0],
        [KEY, -1, 5],
        [KEY, 0.5, 5],
      ] as const) {
        await assert.rejects(
          store.get(key, { range: { start, length } }),
          WITH('invalid'),
          `${key} ${start} ${length}`,
        );
      }
    });

    it('ends a stream that is not read to its end, or is stopped', async () => {
      await store.put(KEY, chunksOf(someBytes(BLOCK_BYTES)));
      const { body } = await store.get(KEY);
      body.destroy();
      const begun = await store.get(KEY);
      for await (const chunk of begun.body) {
        assert.ok(chunk.length > 0);
        break;
      }
      const stopping = new AbortController();
      const stopped = await store.get(KEY, { signal: stopping.signal });
      const reason = new Error('stopped');
      await assert.rejects(async () => {
        for await (const _ of stopped.body) stopping.abort(reason);
      }, reason);
    });

    it('lists ascending by the bytes of the keys, whatever folders they are in', async () => {
      const keys = ['a/b/c', 'a/b', 'a-b', 'a.b', 'a0', 'a/b-c', 'a/b0/d', 'B', 'z/y/x', ...ODD_KEYS].filter(
        (key) => key !== 'a/b',
      );
      await Promise.all(keys.map((key) => store.put(key, [Buffer.from(key)])));

      assert.deepEqual(keysOf(await collect(store.list(''))), keys.toSorted());
      for (const key of keys) assert.equal((await read(store, key)).toString(), key);
    });

    it('lists what begins with a prefix: a folder, or a part of a name', async () => {
      const keys = ['cdl/harvest/1.avro', 'cdl/harvest/2.avro', 'cdl/harvest2/1.avro', 'mdl/harvest/1.avro'];
      for (const key of keys) await store.put(key, [Buffer.from('abc')]);

      assert.deepEqual(keysOf(await collect(store.list('cdl/harvest/'))), keys.slice(0, 2));
      assert.deepEqual(keysOf(await collect(store.list('cdl/harvest'))), keys.slice(0, 3));
      assert.deepEqual(keysOf(await collect(store.list('cdl/harvest/2'))), keys.slice(1, 2));
      assert.deepEqual(keysOf(await collect(store.list('m'))), keys.slice(3));
      assert.deepEqual(await collect(store.list('cdl/harvest/3')), []);
      assert.deepEqual(await collect(store.list('unknown/')), []);
    });

    it('lists as many as there are, with length and time, over several batches', async () => {
      const keys = Array.from({ length: 1_050 }, (_, at) => `many/${at % 3}/${at}`);
      const before = Date.now();
      await under.fill(keys);
      const listed = await collect(store.list('many/'));

      assert.deepEqual(keysOf(listed), keys.toSorted());
      for (const { key, length, modified } of listed) {
        assert.equal(length, key.length);
        // Servers report whole seconds.
        assert.ok(modified > before - 2_000 && modified < Date.now() + 2_000);
      }
    });

    it('lists what is directly in a folder: folders, and objects', async () => {
      for (const key of ['top', 'cdl/file', 'cdl/harvest/1/a', 'cdl/harvest/1/b', 'cdl/harvest-old/a', 'mdl/x/y'])
        await store.put(key, [Buffer.from(key)]);

      assert.deepEqual(await store.folders(''), ['cdl', 'mdl']);
      assert.deepEqual(await store.folders('cdl/'), ['harvest-old', 'harvest']);
      assert.deepEqual(await store.folders('cdl/harvest/1/'), []);
      assert.deepEqual(keysOf(await store.objects('')), ['top']);
      assert.deepEqual(keysOf(await store.objects('cdl/')), ['cdl/file']);
      assert.deepEqual(keysOf(await store.objects('cdl/harvest/1/')), ['cdl/harvest/1/a', 'cdl/harvest/1/b']);
      assert.deepEqual(await store.objects('unknown/'), []);
    });

    it('describes an object by its key alone', async () => {
      await store.put('cdl/harvest', [Buffer.from('abc')]);
      assert.deepEqual((await store.head('cdl/harvest'))?.length, 3);
      for (const key of ['cdl', 'cdl/harv', 'cdl/harvest2', 'cdl/harvest/x']) {
        assert.equal(await store.head(key), undefined, key);
        await assert.rejects(store.get(key), WITH('not-found'));
      }
    });

    for (const key of NO_KEYS) {
      it(`refuses ${JSON.stringify(key)}, which is not a key`, async () => {
        await assert.rejects(store.put(key, [Buffer.from('x')]), WITH('invalid'));
        await assert.rejects(async () => store.get(key), WITH('invalid'));
        await assert.rejects(async () => store.head(key), WITH('invalid'));
        if (key !== '' && key !== '/a') await assert.rejects(collect(store.list(`${key}/`)), WITH('invalid'));
      });
    }

    it('is named by its place, as are its objects', async () => {
      assert.ok(store.pathOf(KEY).endsWith(`/${KEY}`));
      assert.match(store.pathOf(KEY), /^[a-z][a-z0-9]*:\/\//);
      assert.doesNotMatch(store.name, /endpoint|http/);
    });

    it('can be asked many things at a time', async () => {
      const keys = Array.from({ length: 40 }, (_, at) => `k/${at}`);
      const all = keys.map(async (key, at) => {
        await wait(at % 7);
        await store.put(key, chunksOf(someBytes(at * 1_000)));
        return (await read(store, key)).length;
      });
      assert.deepEqual(
        await Promise.all(all),
        keys.map((_, at) => at * 1_000),
      );
    });
  });
}

async function read(store: ArtifactStore, key = KEY): Promise<Buffer> {
  const { body } = await store.get(key);
  return Buffer.concat(await body.toArray());
}

function keysOf(objects: readonly ListedObject[]): string[] {
  return objects.map(({ key }) => key);
}

function threadOf(location: ArtifactLocation): CalledThread<StoreFunctions> {
  const start = () => startWorker('../support/artifact-store.worker', import.meta.url, { workerData: location });
  return new CalledThread({ work: 'the test', start });
}

/** Bytes that are not the same anywhere. */
function someBytes(length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let word = 0x9e3779b9;
  for (let at = 0; at < words.length; at++) {
    word = Math.imul(word ^ (word >>> 15), 0x85ebca6b) + at;
    words[at] = word;
  }
  return Buffer.from(words.buffer, 0, length);
}

async function* chunksOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 65_000) yield bytes.subarray(at, at + 65_000);
}

function hashesOf(bytes: Buffer) {
  const hash = (algorithm: string) => createHash(algorithm).update(bytes).digest('hex');
  return { md5: hash('md5'), 'sha-1': hash('sha1'), 'sha-256': hash('sha256') };
}

/** S3 has times of whole seconds. */
function passASecond(): Promise<void> {
  return wait(1_010);
}
