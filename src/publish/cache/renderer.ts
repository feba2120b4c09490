import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { ThreadPool } from '../../lib/workers/pool.ts';
import { startWorker } from '../../lib/workers/rpc.ts';
import type { Limits, Survey } from '../../stores/resource-states.ts';
import type { KeepPageJob } from '../archives/keep-page.ts';
import type { KeptPage } from '../archives/list-manifest.ts';
import type { RenderTask } from './document-cache.ts';
import type { DocumentRecord } from './document-files.ts';
import type { RenderFunctions, RenderThreadData } from './render.worker.ts';

/**
 * Number of threads. Two keep a machine of two cores busy; more would take memory, and gain time only for the first
 * list of many pages.
 */
const THREADS = 2;

/**
 * Renders and surveys in threads: so the HTTP thread is never blocked, and memory is that of one document for each
 * thread.
 */
export class Renderer {
  readonly #threads: ThreadPool<RenderFunctions>;

  constructor(workerData: RenderThreadData) {
    const start = () => startWorker('./render.worker', import.meta.url, { workerData });
    this.#threads = new ThreadPool(THREADS, { work: 'rendering', start });
  }

  render(record: string, task: RenderTask): Promise<DocumentRecord> {
    return this.#threads.call('render', [record, task]);
  }

  /** Stores a page of an archived list. @throws the signal's reason when it is aborted */
  keepPage(job: KeepPageJob, signal?: AbortSignal): Promise<KeptPage> {
    return this.#threads.call('keepPage', [job], signal);
  }

  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    return this.#threads.call('survey', [set, range, limits]);
  }

  /** Resolves when the documents in progress are written. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
