import { MessageChannel, type Worker } from 'node:worker_threads';
import { CalledPort, CalledThread } from '../../lib/workers/rpc.ts';
import type { RootProblem, RootWatch } from '../content-root.ts';
import type { NoticeFunctions, WatchFunctions } from './watch.worker.ts';
import type { WatchedFolder } from './watched-root.ts';

interface Listener {
  readonly onChange: (path: string) => void;
  readonly onProblem: (problem: RootProblem) => void;
}

const WORK = 'watching the root';

/**
 * Watches folders in a thread, so that neither a folder of a million names nor a network file system that hangs stops
 * the rest of the program. The thread ends with the last watch.
 */
export class WatchThread {
  readonly #thread: CalledThread<WatchFunctions>;
  readonly #listeners = new Map<number, Listener>();
  /** Roots whose last attempt failed. */
  readonly #failing = new Set<string>();
  #notices: CalledPort<NoticeFunctions> | undefined;
  #lastId = 0;

  constructor(start: () => Worker) {
    this.#thread = new CalledThread({ work: WORK, start });
  }

  /** How many roots could not be watched when that was last tried. */
  get failing(): number {
    return this.#failing.size;
  }

  /** @throws TidemarkError `unavailable` when the root does not exist */
  async watch(folder: WatchedFolder, listener: Listener): Promise<RootWatch> {
    const id = ++this.#lastId;
    this.#listeners.set(id, listener);
    this.#connect();
    const close = () => this.#close(id);
    try {
      // Reported before this returns: the caller may rely on everything else being watched.
      for (const problem of await this.#thread.call('open', [id, folder])) listener.onProblem(problem);
      this.#failing.delete(folder.root);
    } catch (error) {
      this.#failing.add(folder.root);
      await close();
      throw error;
    }
    return { close };
  }

  /** Does not wait for a thread that others use: it may hang. */
  async #close(id: number): Promise<void> {
    if (!this.#listeners.delete(id)) return;
    if (this.#listeners.size > 0) {
      this.#thread.call('close', [id]).catch(() => {});
      return;
    }
    this.#notices?.close();
    this.#notices = undefined;
    await this.#thread.end();
  }

  #connect(): void {
    if (this.#notices !== undefined) return;
    const { port1, port2 } = new MessageChannel();
    const notices = new CalledPort<NoticeFunctions>(port1);
    this.#notices = notices;
    // The port reports when the thread ends.
    this.#thread.call('connect', [port2], [port2]).catch(() => {});
    this.#follow(notices).catch((error: Error) => {
      if (this.#notices === notices) this.#failed(`${WORK} failed: ${error.message}`);
    });
  }

  async #follow(notices: CalledPort<NoticeFunctions>): Promise<void> {
    while (this.#notices === notices) {
      for (const { id, paths, problems } of await notices.call('next', [])) {
        // A listener may close its watch.
        for (const path of paths) this.#listeners.get(id)?.onChange(path);
        for (const problem of problems) this.#listeners.get(id)?.onProblem(problem);
      }
    }
  }

  #failed(problem: string): void {
    const listeners = [...this.#listeners.values()];
    this.#listeners.clear();
    this.#notices = undefined;
    for (const { onProblem } of listeners) onProblem({ path: '', problem });
  }
}
