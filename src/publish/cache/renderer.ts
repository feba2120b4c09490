import type { Worker } from 'node:worker_threads';
import type { KeyRange } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { AskedThread } from '../../lib/workers/asked-thread.ts';
import type { Limits, Survey } from '../../stores/resource-index.ts';
import type { Making } from './document-cache.ts';
import type { DocumentRecord } from './document-files.ts';

/** What a render thread is asked; it answers with a record, or a survey. */
export type RenderTask =
  | { readonly task: 'render'; readonly record: string; readonly making: Making }
  | { readonly task: 'survey'; readonly set: SetId; readonly range: KeyRange; readonly limits: Limits };

/** Two keep a machine of two cores busy; more would take memory for a gain that only a first list of many pages would show. */
const THREADS = 2;

/**
 * Renders and surveys in threads of their own: so the HTTP thread is never held, and memory is that of as many documents as there are threads.
 * The second is started when the first is busy.
 */
export class Renderer {
  readonly #threads: readonly RenderThread[];

  constructor(start: () => Worker) {
    const thread = () => ({ asked: new AskedThread({ work: 'rendering', start }), waiting: 0 });
    this.#threads = Array.from({ length: THREADS }, thread);
  }

  render(record: string, making: Making): Promise<DocumentRecord> {
    return this.#ask({ task: 'render', record, making });
  }

  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    return this.#ask({ task: 'survey', set, range, limits });
  }

  /** Resolves when the documents in hand are written. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ asked }) => asked.close()));
  }

  async #ask<Answer>(task: RenderTask): Promise<Answer> {
    const thread = this.#threads.reduce((least, next) => (next.waiting < least.waiting ? next : least));
    thread.waiting++;
    try {
      return await thread.asked.ask<RenderTask, Answer>(task);
    } finally {
      thread.waiting--;
    }
  }
}

interface RenderThread {
  readonly asked: AskedThread;
  waiting: number;
}
