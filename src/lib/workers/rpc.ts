import { once } from 'node:events';
import { extname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type MessagePort, parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { type ErrorCode, isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { Mutex } from '../calls/mutex.ts';
import { withTimeout } from '../calls/with-timeout.ts';

/** Functions that a thread offers to its parent, by name. Arguments and results are copied. */
export type Functions<Offered> = { readonly [Name in keyof Offered]: (...values: never[]) => unknown };
export type Arguments<Function> = Function extends (...values: infer Values) => unknown ? Values : never;
export type Result<Function> = Function extends (...values: never[]) => infer Returned
  ? Awaited<Returned> extends Transferred<infer Value>
    ? Value
    : Awaited<Returned>
  : never;

/** A result whose buffers are transferred to the caller instead of copied: the thread cannot use them afterwards. */
export class Transferred<Value> {
  readonly value: Value;
  readonly buffers: readonly ArrayBuffer[];

  constructor(value: Value, buffers: readonly ArrayBuffer[]) {
    this.value = value;
    this.buffers = buffers;
  }
}

/** `n` is the number of the call; its reply has the same. */
interface Call {
  readonly n: number;
  readonly name: PropertyKey;
  readonly values: readonly unknown[];
}
type Reply = { readonly n: number; readonly result: unknown } | { readonly n: number; readonly error: SentError };

/** The message that ends a thread after it has replied to all earlier calls. */
const CLOSE = 'close';
/**
 * The message that ends a thread between two steps of its work. One that is terminated while it makes a stream of zlib
 * can end the whole process (Node 24: "close before init").
 */
const EXIT = 'exit';
/** How long a thread may work without a pause, in which it reads messages, before it is terminated. */
const EXIT_MS = 1_000;

/** Calls that are sent to another thread, and wait for its replies. */
class Calls {
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #count = 0;

  async call(
    to: Pick<Worker, 'postMessage'>,
    call: Omit<Call, 'n'>,
    transfer: readonly Transferable[],
  ): Promise<unknown> {
    const n = ++this.#count;
    const reply = Promise.withResolvers<unknown>();
    this.#waiting.set(n, reply);
    try {
      to.postMessage({ ...call, n } satisfies Call, transfer);
      return await reply.promise;
    } finally {
      this.#waiting.delete(n);
    }
  }

  receive(reply: Reply): void {
    const waiting = this.#waiting.get(reply.n);
    if ('error' in reply) waiting?.reject(receiveError(reply.error));
    else waiting?.resolve(reply.result);
  }

  fail(reason: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}

export interface ThreadOptions {
  /** Describes the thread in errors, such as "reading the root". */
  readonly work: string;
  start(): Worker;
  /**
   * The thread ends after this number of milliseconds without a call or hold. Until then it does not keep the process
   * alive. If undefined, the thread lives until `close`.
   */
  readonly idleMs?: number;
}

/** A thread that offers functions (`serveCalls`). The first call starts it. A call after its end starts a new one. */
export class CalledThread<Offered extends Functions<Offered>> {
  readonly #options: ThreadOptions;
  readonly #calls = new Calls();
  #worker: Worker | undefined;
  #holders = 0;
  #idle: NodeJS.Timeout | undefined;
  #closed = false;
  /** Resolves when the threads that were stopped have ended. */
  #ending: Promise<unknown> = Promise.resolve();

  constructor(options: ThreadOptions) {
    this.#options = options;
  }

  /**
   * Calls a function of the thread.
   * @param transfer buffers and ports that are transferred to the thread: the caller cannot use them afterwards
   * @throws what the function throws; TidemarkError `unavailable` when the thread has ended: the function may have run
   * completely, partly or not at all
   */
  async call<Name extends keyof Offered>(
    name: Name,
    values: Arguments<Offered[Name]>,
    transfer: readonly Transferable[] = [],
  ): Promise<Result<Offered[Name]>> {
    if (this.#closed) throw this.#failure('it is closed');
    const release = this.hold();
    try {
      return (await this.#calls.call(this.#worker!, { name, values }, transfer)) as Result<Offered[Name]>;
    } finally {
      release();
    }
  }

  /** Keeps the thread alive between related calls, until the returned function is called. */
  hold(): () => void {
    this.#worker ??= this.#start();
    if (this.#options.idleMs === undefined) return () => {};
    clearTimeout(this.#idle);
    this.#holders += 1;
    this.#worker.ref();
    return () => this.#release(this.#options.idleMs!);
  }

  /** Ends the thread at once. Resolves when it has ended. Its calls fail, with the reason if it has a code. */
  async end(reason: unknown = 'it was stopped'): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#calls.fail(this.#failure(reason));
    if (worker === undefined) return;
    const ending = endWorker(worker);
    this.#ending = Promise.allSettled([this.#ending, ending]);
    await ending;
  }

  /** The same, for callers that do not wait until it has ended. */
  stop(reason?: unknown): void {
    // Its calls have failed already: nothing else is left to report.
    this.end(reason).catch(() => {});
  }

  /** Milliseconds of processor time that the thread has taken. Undefined without a thread, and before Node 24.6. */
  async cpuMs(): Promise<number | undefined> {
    const used = await this.#worker?.cpuUsage?.();
    return used && (used.user + used.system) / 1000;
  }

  /**
   * Resolves when every call has returned and the thread has ended, also those that were stopped. No calls are possible
   * afterwards.
   */
  async close(): Promise<void> {
    this.#closed = true;
    // An idle thread does not keep the process alive, which would end here without an error.
    clearTimeout(this.#idle);
    const worker = this.#worker;
    if (worker !== undefined) {
      const exit = once(worker, 'exit');
      worker.ref();
      worker.postMessage(CLOSE);
      await exit;
    }
    // One that was stopped while it started would else open files that the caller removes. One that hangs in the system
    // never ends.
    await withTimeout(this.#ending, 2 * EXIT_MS, () => {});
  }

  #start(): Worker {
    const worker = this.#options.start();
    worker.on('message', (reply: Reply) => this.#calls.receive(reply));
    worker.on('error', (error) => {
      if (this.#worker === worker) this.stop(error);
    });
    worker.on('exit', () => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      this.#calls.fail(this.#failure('its thread ended'));
    });
    return worker;
  }

  #release(idleMs: number): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.stop(), idleMs).unref();
  }

  #failure(reason: unknown): TidemarkError {
    if (isTidemarkError(reason)) return reason;
    return new TidemarkError('unavailable', `${this.#options.work} failed: ${reason}`, {}, reason);
  }
}

/** Lets a worker end between two steps of its work; terminates one that does not. */
async function endWorker(worker: Worker): Promise<void> {
  const ended = new AbortController();
  worker.once('exit', () => ended.abort());
  worker.ref();
  worker.postMessage(EXIT);
  await wait(EXIT_MS, undefined, { ref: false, signal: ended.signal }).catch(() => {});
  await worker.terminate();
}

/** Calls functions that the thread at the other end of a port offers (`serveCalls`). */
export class CalledPort<Offered extends Functions<Offered>> {
  readonly #port: MessagePort;
  readonly #calls = new Calls();

  constructor(port: MessagePort) {
    this.#port = port;
    port.on('message', (reply: Reply) => this.#calls.receive(reply));
    port.on('close', () => this.#calls.fail(new TidemarkError('unavailable', 'the other thread has ended')));
  }

  /** @throws what the function throws; TidemarkError `unavailable` when the port is closed */
  async call<Name extends keyof Offered>(name: Name, values: Arguments<Offered[Name]>): Promise<Result<Offered[Name]>> {
    return (await this.#calls.call(this.#port, { name, values }, [])) as Result<Offered[Name]>;
  }

  close(): void {
    this.#port.close();
  }
}

/** Megabytes of the young generation of a thread. By default it grows with each burst of work, and is kept. */
const YOUNG_MB = 24;

/**
 * Starts a file as a thread: the TypeScript source, or JavaScript after the build.
 * @param file path without extension, relative to `base`, which is the caller's `import.meta.url`
 */
export function startWorker(
  file: string,
  base: string,
  options: { readonly workerData: unknown; readonly resourceLimits?: ResourceLimits },
): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB, ...options.resourceLimits };
  return new Worker(new URL(file + extname(base), base), { ...options, resourceLimits });
}

/**
 * Called in a thread: offers functions, which run one at a time in the order of the calls. `close` is called last.
 * @param port to the caller; by default, that is the thread that started this one
 */
export function serveCalls<Offered extends Functions<Offered>>(
  functions: Offered,
  close: () => void | Promise<void> = () => {},
  port: MessagePort = parentPort!,
): void {
  const mutex = new Mutex();
  port.on('message', (call: Call | typeof CLOSE | typeof EXIT) => {
    if (call === EXIT) process.exit();
    mutex
      .run(async () => {
        if (call !== CLOSE) return port.postMessage(...(await replyTo(call, functions)));
        await close();
        port.close();
      })
      .catch(endThread);
  });
}

/** Ends this thread with an error, which `CalledThread` reports to its callers. */
function endThread(error: unknown): void {
  setImmediate(() => {
    throw error;
  });
}

async function replyTo<Offered extends Functions<Offered>>(
  call: Call,
  functions: Offered,
): Promise<[reply: Reply, transfer?: readonly ArrayBuffer[]]> {
  const { n } = call;
  try {
    const result = await functions[call.name as keyof Offered](...(call.values as never[]));
    return result instanceof Transferred ? [{ n, result: result.value }, result.buffers] : [{ n, result }];
  } catch (error) {
    return [{ n, error: sendError(error) }];
  }
}

/**
 * An error in the form in which threads send it, since structured clones of an Error lose its properties. Without a
 * code, it is an unexpected one.
 */
export interface SentError {
  readonly code?: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

export function sendError(error: unknown): SentError {
  if (isTidemarkError(error)) return { code: error.code, message: error.message, details: error.details };
  return { message: error instanceof Error ? (error.stack ?? error.message) : String(error), details: {} };
}

export function receiveError({ code, message, details }: SentError): Error {
  return code === undefined ? new Error(message) : new TidemarkError(code, message, { ...details });
}
