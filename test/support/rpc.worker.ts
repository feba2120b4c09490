import { threadId } from 'node:worker_threads';
import { TidemarkError } from '../../src/core/errors.ts';
import { serveCalls, Transferred } from '../../src/lib/workers/rpc.ts';

let calls = 0;
const kept = new Uint8Array([1, 2, 3]);

const functions = {
  add: (one: number, other: number) => one + other,
  /** The number of this call in its thread. */
  count: async () => ++calls,
  thread: () => threadId,
  sizeOf: (bytes: Uint8Array) => bytes.length,
  give: () => new Transferred({ kept }, [kept.buffer]),
  keptSize: () => kept.length,
  fail(kind: 'expected' | 'unexpected'): never {
    if (kind === 'expected') throw new TidemarkError('not-found', 'there is none', { name: 'x' });
    throw new Error('a bug');
  },
  exit(): void {
    process.exit(1);
  },
  /** Never ends. Sets the number to 1 when it has begun. */
  hang(begun: Int32Array<SharedArrayBuffer>): Promise<never> {
    Atomics.store(begun, 0, 1);
    Atomics.notify(begun, 0);
    return new Promise(() => {});
  },
  /** Never ends, and never lets anything else run. */
  spin(): never {
    for (;;);
  },
};
export type TestFunctions = typeof functions;

serveCalls(functions);
