import type { Worker } from 'node:worker_threads';
import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { ThreadPool } from '../../lib/workers/pool.ts';
import type { Limits, Survey } from '../../stores/resource-states.ts';
import type { KeepPageJob } from '../archives/keep-page.ts';
import type { KeptPage } from '../archives/list-manifest.ts';
import type { Making } from './document-cache.ts';
import type { DocumentRecord } from './document-files.ts';
import type { RenderFunctions } from './render.worker.ts';

/**
 * Two keep a machine of two cores busy; more would take memory for a gain that only a first list of many pages would
 * show.
 */
const THREADS = 2;

/**
 * Renders and surveys in threads: so the HTTP thread is never held, and memory is that of as many documents as there
 * are threads.
 */
export class Renderer {
  readonly #threads: ThreadPool<RenderFunctions>;

  constructor(start: () => Worker) {
    this.#threads = new ThreadPool(THREADS, { work: 'rendering', start });
  }

  render(record: string, making: Making): Promise<DocumentRecord> {
    return this.#threads.call('render', [record, making]);
  }

  /** Stores a page of an archived list. @throws the signal's reason when it is aborted */
  keepPage(job: KeepPageJob, signal?: AbortSignal): Promise<KeptPage> {
    return this.#threads.call('keepPage', [job], signal);
  }

  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    return this.#threads.call('survey', [set, range, limits]);
  }

  /** Resolves when the documents in hand are written. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
