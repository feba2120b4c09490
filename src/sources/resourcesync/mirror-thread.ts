import type { Followed } from '../../client/mirror/follow.ts';
import type { MirrorProgress, PassReport } from '../../client/mirror/mirror-options.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { MirrorSettings } from '../mirror-settings.ts';
import type { MirrorFunctions } from './mirror.worker.ts';

/** Updates a copy in a thread of its own: reading and hashing must not delay requests. */
export class MirrorThread implements Followed {
  eventsUri: string | undefined;
  readonly #thread: CalledThread<MirrorFunctions>;
  #onChanged: (path: string) => void = () => {};
  #onProgress: (progress: MirrorProgress) => void = () => {};

  private constructor(settings: MirrorSettings) {
    this.#thread = new CalledThread({ work: `copying ${settings.set}`, start: () => this.#start(settings) });
  }

  /**
   * @throws TidemarkError `unavailable` when the source does not answer, `conflict` when another process updates the
   *   copy; the signal's reason when it is aborted
   */
  static async open(settings: MirrorSettings, signal?: AbortSignal): Promise<MirrorThread> {
    signal?.throwIfAborted();
    const mirror = new MirrorThread(settings);
    const stop = () => mirror.stop();
    signal?.addEventListener('abort', stop);
    try {
      await mirror.#thread.call('open', []);
      return mirror;
    } catch (error) {
      await mirror.end();
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  /** Sets the listener for paths that passes change from now on. */
  set onChanged(onChanged: (path: string) => void) {
    this.#onChanged = onChanged;
  }

  /** Same as `Mirror.pass`. Passes run one after the other. */
  async pass(
    options: { readonly skipsFailed: boolean },
    onProgress?: (progress: MirrorProgress) => void,
  ): Promise<PassReport> {
    if (onProgress !== undefined) this.#onProgress = onProgress;
    try {
      const { report, changed, eventsUri } = await this.#thread.call('pass', [options]);
      this.eventsUri = eventsUri;
      for (const path of changed) this.#onChanged(path);
      return report;
    } finally {
      if (onProgress !== undefined) this.#onProgress = () => {};
    }
  }

  /** Stops the running pass. Nothing is lost: a copy survives that its process is killed. */
  end(): Promise<void> {
    return this.#thread.end();
  }

  /** The same, for callers that do not wait until it has ended. */
  stop(): void {
    this.#thread.stop();
  }

  #start(workerData: MirrorSettings) {
    const worker = startWorker('./mirror.worker', import.meta.url, { workerData });
    worker.on('message', ({ progress }: { readonly progress?: MirrorProgress }) => {
      if (progress !== undefined) this.#onProgress(progress);
    });
    return worker;
  }
}
