import assert from 'node:assert/strict';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { isTidemarkError, TidemarkError } from '../../../src/core/errors.ts';
import { ThreadPool } from '../../../src/lib/workers/pool.ts';
import { CalledPort, CalledThread, serveCalls, startWorker } from '../../../src/lib/workers/rpc.ts';
import { ChildScript } from '../../support/child-script.ts';
import type { TestFunctions } from '../../support/rpc.worker.ts';

let started = 0;
const options = {
  work: 'the test',
  start() {
    started += 1;
    return startWorker('../../support/rpc.worker', import.meta.url, { workerData: undefined });
  },
};
const isUnavailable = (error: unknown) => isTidemarkError(error, 'unavailable');

/** A number that a thread sets to 1, and a promise of that. */
function beginning() {
  const number = new Int32Array(new SharedArrayBuffer(4));
  const begun = Promise.resolve(Atomics.waitAsync(number, 0, 0).value);
  return { number, begun };
}

beforeEach(() => {
  started = 0;
});

describe('Calling a function in a thread', () => {
  let thread: CalledThread<TestFunctions>;
  beforeEach(() => {
    thread = new CalledThread(options);
  });
  afterEach(() => thread.end());

  it('starts the thread with the first call, and returns what the function returns', async () => {
    assert.equal(started, 0);
    assert.equal(await thread.call('add', [1, 2]), 3);
    assert.equal(await thread.call('add', [3, 4]), 7);
    assert.equal(started, 1);
  });

  it('runs calls in their order, one at a time', async () => {
    const counts = Array.from({ length: 5 }, () => thread.call('count', []));
    assert.deepEqual(await Promise.all(counts), [1, 2, 3, 4, 5]);
  });

  it('throws what the function throws: an error of ours with its code and details', async () => {
    await assert.rejects(
      thread.call('fail', ['expected']),
      (error) => isTidemarkError(error, 'not-found') && error.message === 'there is none' && error.details.name === 'x',
    );
    await assert.rejects(thread.call('fail', ['unexpected']), /a bug/);
    assert.equal(await thread.call('count', []), 1);
  });

  it('moves buffers to the thread instead of copying them', async () => {
    const bytes = new Uint8Array(1_000);
    assert.equal(await thread.call('sizeOf', [bytes], [bytes.buffer]), 1_000);
    assert.equal(bytes.length, 0);
  });

  it('moves buffers from the thread instead of copying them, where a function says so', async () => {
    assert.deepEqual(await thread.call('give', []), { kept: new Uint8Array([1, 2, 3]) });
    assert.equal(await thread.call('keptSize', []), 0);
  });

  it('fails every call that waits when the thread ends, and starts another thread for the next call', async () => {
    await assert.rejects(thread.call('exit', []), isUnavailable);
    assert.equal(await thread.call('count', []), 1);
    const { number, begun } = beginning();
    const hanging = assert.rejects(thread.call('hang', [number]), isUnavailable);
    const waiting = assert.rejects(thread.call('count', []), isUnavailable);
    await begun;
    await thread.end();
    await Promise.all([hanging, waiting]);
    assert.equal(await thread.call('count', []), 1);
    assert.equal(started, 3);
  });

  it('does every call before a close, and none after', async () => {
    const counts = [thread.call('count', []), thread.call('count', [])];
    await thread.close();
    assert.deepEqual(await Promise.all(counts), [1, 2]);
    await assert.rejects(thread.call('count', []), isUnavailable);
  });

  it('has no thread any more when it is closed, also when one was stopped while it started', async () => {
    const workers: Worker[] = [];
    const stopped = new CalledThread<TestFunctions>({
      ...options,
      start() {
        workers.push(options.start());
        return workers[0]!;
      },
    });
    const calling = assert.rejects(stopped.call('count', []), isUnavailable);
    stopped.stop();
    await calling;
    await stopped.close();
    assert.deepEqual(
      workers.map(({ threadId }) => threadId),
      [-1],
    );
  });

  it('keeps an idle thread only while it is held', async () => {
    const idle = new CalledThread<TestFunctions>({ ...options, idleMs: 0 });
    const release = idle.hold();
    const first = await idle.call('thread', []);
    assert.equal(await idle.call('thread', []), first);
    release();
    // The thread ends by itself, and a later call starts another one.
    while ((await afterTimers(() => idle.call('thread', []))) === first);
    await idle.end();
  });

  it('keeps the process alive until an idle thread that is closed has ended @long', async () => {
    const script = new ChildScript('close-idle-thread.ts', {});
    assert.equal(await script.line(), 'closed');
    await script.stop();
  });
});

describe('Calling a function through a port', () => {
  const functions = {
    add: (one: number, other: number) => one + other,
    fail() {
      throw new TidemarkError('not-found', 'there is none');
    },
    hang: () => new Promise(() => {}),
  };
  let close: () => void;
  let calls: CalledPort<typeof functions>;
  beforeEach(() => {
    const { port1, port2 } = new MessageChannel();
    serveCalls(functions, () => {}, port1);
    close = () => port1.close();
    calls = new CalledPort(port2);
  });
  afterEach(() => calls.close());

  it('returns what the function returns, and throws what it throws', async () => {
    assert.deepEqual(await Promise.all([calls.call('add', [1, 2]), calls.call('add', [3, 4])]), [3, 7]);
    await assert.rejects(calls.call('fail', []), (error) => isTidemarkError(error, 'not-found'));
  });

  it('fails every call that waits when the other end is closed', async () => {
    const hanging = [calls.call('hang', []), calls.call('add', [1, 2])];
    close();
    for (const call of hanging) await assert.rejects(call, isUnavailable);
  });
});

describe('A pool of threads', () => {
  let pool: ThreadPool<TestFunctions>;
  beforeEach(() => {
    pool = new ThreadPool(2, options);
  });
  afterEach(() => pool.close());

  it('starts a second thread only when the first is busy', async () => {
    const first = await pool.call('thread', []);
    assert.equal(await pool.call('thread', []), first);
    assert.equal(started, 1);
    const both = await Promise.all([pool.call('thread', []), pool.call('thread', [])]);
    assert.equal(new Set(both).size, 2);
    assert.equal(started, 2);
  });

  it('starts a thread in advance, which takes the next call', async () => {
    pool.begin();
    assert.equal(started, 1);
    assert.equal(await pool.call('count', []), 1);
    assert.equal(started, 1);
  });

  it('stops the call whose signal is aborted, and no other', async () => {
    const stopping = new AbortController();
    const { number, begun } = beginning();
    const hanging = assert.rejects(pool.call('hang', [number], stopping.signal), /enough/);
    await begun;
    const other = await pool.call('thread', []);
    stopping.abort(new Error('enough'));
    await hanging;
    assert.equal(started, 2);
    const both = await Promise.all([pool.call('thread', []), pool.call('thread', [])]);
    assert.ok(both.includes(other));
    assert.equal(started, 3);
  });

  it('does not begin a call whose signal is aborted while it waits', async () => {
    const numbers = [beginning(), beginning()];
    const ending = new AbortController();
    const hanging = numbers.map(({ number }) => assert.rejects(pool.call('hang', [number], ending.signal)));
    await Promise.all(numbers.map(({ begun }) => begun));
    const given = assert.rejects(pool.call('count', [], AbortSignal.abort(new Error('too late'))), /too late/);
    ending.abort();
    await Promise.all([...hanging, given]);
    assert.equal(await pool.call('count', []), 1);
  });

  it('does every call before a close, and none after', async () => {
    const counts = Array.from({ length: 6 }, () => pool.call('count', []));
    await pool.close();
    assert.equal((await Promise.all(counts)).length, 6);
    await assert.rejects(pool.call('count', []), isUnavailable);
  });
});

async function afterTimers<Result>(work: () => Promise<Result>): Promise<Result> {
  await new Promise((resolve) => setTimeout(resolve, 5));
  return work();
}
