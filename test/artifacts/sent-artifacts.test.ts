import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { BLOCK_BYTES } from '../../src/artifacts/blocks.ts';
import { sendArtifacts, storeSent } from '../../src/artifacts/sent-artifacts.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { CalledThread, startWorker } from '../../src/lib/workers/rpc.ts';
import type { SenderFunctions } from '../support/artifact-sender.worker.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { until } from '../support/until.ts';

const OPTIONS = { hashes: ['sha-256'], sparesMemory: true } as const;

describeOnEachArtifactStore('Artifacts that a thread sends', (place) => {
  let store: ArtifactStore;
  let ports: { readonly port1: MessagePort; readonly port2: MessagePort };
  let storing: Promise<void>;

  beforeEach(() => {
    store = place.open();
    ports = new MessageChannel();
    storing = storeSent(ports.port1, store, undefined);
  });
  afterEach(async () => {
    ports.port1.close();
    await storing;
    await store.close();
  });

  const put = (key: string, body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>) =>
    sendArtifacts(ports.port2).put(key, body, OPTIONS);
  const keys = async () => (await collect(store.list(''))).map(({ key }) => key);

  it('are stored as they are, whatever their length and pieces', async () => {
    for (const [at, length] of [0, 1, 600_000, BLOCK_BYTES * 2 + 12_345].entries()) {
      const bytes = Buffer.alloc(length, `some bytes ${at} `);
      const stored = await put(`a/${at}`, piecesOf(bytes));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(stored, { key: `a/${at}`, length, hashes: { 'sha-256': sha256 } });
      assert.ok(bytes.equals(await store.readSmall(`a/${at}`)));
    }
  });

  it('are not stored under a key that exists; the next one is', async () => {
    await put('a/1', [Buffer.from('first')]);
    for (const length of [1, BLOCK_BYTES * 2]) {
      await assert.rejects(put('a/1', piecesOf(Buffer.alloc(length))), (error) => isTidemarkError(error, 'conflict'));
    }
    await put('a/2', [Buffer.from('second')]);
    assert.equal((await store.readSmall('a/1')).toString(), 'first');
    assert.equal((await store.readSmall('a/2')).toString(), 'second');
  });

  it('are not stored when their bytes cannot be made, for which the thread gets its own error', async () => {
    const failure = new Error('no more bytes');
    for (const length of [1, BLOCK_BYTES * 2]) {
      const body = async function* () {
        yield* piecesOf(Buffer.alloc(length));
        throw failure;
      };
      await assert.rejects(put('a/1', body()), (error) => error === failure);
    }
    assert.deepEqual(await keys(), []);
    await put('a/1', [Buffer.from('whole')]);
    assert.deepEqual(await keys(), ['a/1']);
  });

  it('are not stored when their thread ends', async () => {
    const start = () => startWorker('../support/artifact-sender.worker', import.meta.url, { workerData: undefined });
    const thread = new CalledThread<SenderFunctions>({ work: 'sending', start });
    let taken = 0;
    const counted: Pick<ArtifactStore, 'put'> = {
      put: (key, body, options) =>
        store.put(
          key,
          (async function* () {
            for await (const bytes of body) {
              taken += bytes.length;
              yield bytes;
            }
          })(),
          options,
        ),
    };
    const { port1, port2 } = new MessageChannel();
    const stored = storeSent(port1, counted, undefined);
    const bytes = Buffer.alloc(BLOCK_BYTES * 2 + 600_000);
    const sending = thread.call('putForEver', [port2, 'a/1', bytes], [port2]);
    await until('it has sent some parts', async () => taken > BLOCK_BYTES * 2);
    await Promise.all([assert.rejects(sending), thread.end()]);
    await stored;
    assert.deepEqual(await keys(), []);
    assert.equal(await store.removeUnfinished(Date.now() + 60_000), 0, 'nothing of it is left');
  });

  it('are not stored when that is stopped', async () => {
    const stop = new AbortController();
    const { port1, port2 } = new MessageChannel();
    const stored = storeSent(port1, store, stop.signal);
    const body = async function* () {
      yield* piecesOf(Buffer.alloc(BLOCK_BYTES * 2));
      stop.abort(new Error('stopped'));
      yield* piecesOf(Buffer.alloc(BLOCK_BYTES * 2));
    };
    await assert.rejects(sendArtifacts(port2).put('a/1', body(), OPTIONS), /stopped/);
    port1.close();
    await stored;
    assert.deepEqual(await keys(), []);
    assert.equal(await store.removeUnfinished(Date.now() + 60_000), 0, 'nothing of it is left');
  });
});

/** Pieces of odd lengths. */
function* piecesOf(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0, length = 1; at < bytes.length; ) {
    yield bytes.subarray(at, at + length);
    at += length;
    length = Math.min(length * 3, 300_001);
  }
}
