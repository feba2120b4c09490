import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { RecordProblem } from '../input-item.ts';
import type { Outputs, OutputTarget } from './output-record.ts';
import type { DerivedSchema, TransformInput } from './transform.ts';
import type {
  DescribedTransform,
  TransformFunctions,
  TransformOptions,
  TransformTask,
  TransformThreadData,
} from './transform.worker.ts';

/** A transform that a run can use. */
export interface RecordTransformer {
  readonly name: string;
  /** The schema of its output, for activities with several possible schemas. */
  readonly schema?: DerivedSchema | undefined;
  /**
   * The results of records, in their order. May be called again before it has resolved; records are processed one after
   * the other.
   */
  transform(records: readonly TransformInput[], target: OutputTarget): Promise<readonly Outputs[]>;
}

interface RunnerOptions extends TransformOptions {
  /** Milliseconds that one record may take. */
  readonly recordTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Most megabytes of a thread's objects; a document of 16 MB becomes a tree of several hundred. */
const MOST_MEMORY_MB = 1_024;
/**
 * Number of checks of the thread within the time of one record. Checks are counted rather than seconds: so the time
 * while a process is suspended does not count.
 */
const CHECKS = 10;
const SHORTEST_CHECK_MS = 10;

/**
 * Runs a transform in a thread, which can be stopped at any time. A record fails when it takes too long, or when its
 * transform ends the thread (for instance by its memory); the thread is then started again for the other records.
 */
export class TransformRunner implements RecordTransformer {
  readonly #options: RunnerOptions;
  readonly #thread: CalledThread<TransformFunctions>;
  readonly #problems = new Map<number, RecordProblem>();
  readonly #stop = () => this.close();
  #description: DescribedTransform = { name: '', schema: undefined };
  #progress: Int32Array<SharedArrayBuffer> = newProgress();
  #next = 1;
  #asked = 0;
  #failures = 0;
  #isClosed = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: RunnerOptions) {
    this.#options = options;
    this.#thread = new CalledThread({ work: 'the transform', start: () => this.#start() });
    options.signal.addEventListener('abort', this.#stop);
  }

  /** @throws TidemarkError `invalid` when it is not a transform; the signal's reason, here and later */
  static async open(options: RunnerOptions): Promise<TransformRunner> {
    const runner = new TransformRunner(options);
    try {
      runner.#description = await runner.#thread.call('describe', []);
      return runner;
    } catch (error) {
      runner.close();
      options.signal.throwIfAborted();
      throw error;
    }
  }

  get name(): string {
    return this.#description.name;
  }

  get schema(): DerivedSchema | undefined {
    return this.#description.schema;
  }

  async transform(records: readonly TransformInput[], target: OutputTarget): Promise<readonly Outputs[]> {
    const first = this.#next;
    this.#next += records.length;
    this.#asked += 1;
    this.#watch();
    try {
      const outputs = await this.#ask({ first, records, skip: [], target });
      return outputs.map((output, at) => output ?? { problem: this.#problems.get(first + at)! });
    } finally {
      this.#asked -= 1;
      for (let number = first; number < first + records.length; number++) this.#problems.delete(number);
      if (this.#asked === 0) this.#unwatch();
    }
  }

  /** Stops the thread, even while it works. */
  close(): void {
    this.#isClosed = true;
    this.#options.signal.removeEventListener('abort', this.#stop);
    this.#unwatch();
    this.#thread.stop();
  }

  async #ask(task: TransformTask): Promise<readonly (Outputs | undefined)[]> {
    const known = this.#failures;
    try {
      return await this.#thread.call('transform', [task]);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      // Every waiting task fails when the thread ends: the first one determines which record was the cause.
      const number = Atomics.exchange(this.#progress, 0, 0);
      if (number > 0) this.#fail(number, problemOf(error as Error));
      if (this.#failures === known || this.#isClosed) throw error;
      return this.#ask({ ...task, skip: [...this.#problems.keys()] });
    }
  }

  #start() {
    const { text, folder } = this.#options;
    // A thread that is being stopped may still write to its old one.
    this.#progress = newProgress();
    const workerData: TransformThreadData = { text, folder, progress: this.#progress };
    const resourceLimits = { maxOldGenerationSizeMb: MOST_MEMORY_MB };
    return startWorker('./transform.worker', import.meta.url, { workerData, resourceLimits });
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    let number = 0;
    let checks = 0;
    const check = () => {
      const current = Atomics.load(this.#progress, 0);
      checks = current === number ? checks + 1 : 0;
      number = current;
      if (number > 0 && checks > CHECKS) this.#stopAt(number);
    };
    this.#timer = setInterval(check, Math.max(SHORTEST_CHECK_MS, this.#options.recordTimeoutMs / CHECKS));
  }

  #unwatch(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #stopAt(number: number): void {
    const seconds = this.#options.recordTimeoutMs / 1000;
    this.#fail(number, { kind: 'too-slow', message: `it took longer than ${seconds} s (TIDEMARK_RECORD_TIMEOUT)` });
    this.#progress = newProgress();
    this.#thread.stop('a record took too long');
  }

  #fail(number: number, problem: RecordProblem): void {
    this.#failures += 1;
    this.#problems.set(number, problem);
  }
}

function newProgress(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
}

/** The problem of the record that ended the thread. */
function problemOf({ cause, message }: Error): RecordProblem {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { kind: 'too-much-memory', message: `it takes more than ${MOST_MEMORY_MB} MB of memory` };
  }
  return { kind: 'transform', message: cause instanceof Error ? cause.message : message };
}
