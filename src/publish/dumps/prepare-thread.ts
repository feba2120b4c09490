import type { ArtifactLocation } from '../../artifacts/open-artifacts.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { ContentsLocation } from '../../sources/open-contents.ts';
import { PACK_THREAD_LIMITS } from './pack-job.ts';
import type { PrepareFunctions } from './prepare.worker.ts';
import type { OtherThread } from './prepared-ahead.ts';

/** Milliseconds. A thread takes 100 ms to start, so it stays for a while. */
const IDLE_MS = 5_000;

/** A thread that prepares entries beside the thread that writes packages of them. */
export class PrepareThread {
  readonly #thread: CalledThread<PrepareFunctions>;

  constructor(artifacts: ArtifactLocation) {
    const options = { workerData: artifacts, resourceLimits: PACK_THREAD_LIMITS };
    const start = () => startWorker('./prepare.worker', import.meta.url, options);
    this.#thread = new CalledThread({ work: 'packing a dump', start, idleMs: IDLE_MS });
  }

  /** Starts the thread. */
  begin(): void {
    this.#thread.hold()();
  }

  /** Opens the contents of a set, until `end`. Calls are made in order, so another set can be opened afterwards. */
  open(contents: ContentsLocation): OtherThread & { readonly end: () => void } {
    const end = this.#thread.hold();
    let isReady = false;
    this.#thread.call('open', [contents]).then(
      () => {
        isReady = true;
      },
      // The thread that writes the package opens the same, and reports why it cannot.
      () => {},
    );
    return {
      get isReady() {
        return isReady;
      },
      prepare: (wanted, into) => this.#thread.call('prepare', [wanted, into]),
      end,
    };
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
