import type { Worker } from 'node:worker_threads';
import type { KeyRange } from '../domain/key.ts';
import type { SetId } from '../domain/resource-set.ts';
import type { Limits, Survey } from '../stores/resource-index.ts';
import { AskedThread } from '../threads/asked-thread.ts';
import type { Making } from './document-cache.ts';
import type { DocumentRecord } from './document-files.ts';

/** What the render thread is asked; it answers with a record, or a survey. */
export type RenderTask =
  | { readonly task: 'render'; readonly record: string; readonly making: Making }
  | { readonly task: 'survey'; readonly set: SetId; readonly range: KeyRange; readonly limits: Limits };

/**
 * Renders and surveys in a thread of its own, one at a time: so the HTTP thread is never held, and memory is that of one document.
 */
export class Renderer {
  readonly #thread: AskedThread;

  constructor(start: () => Worker) {
    this.#thread = new AskedThread({ work: 'rendering', start });
  }

  render(record: string, making: Making): Promise<DocumentRecord> {
    return this.#thread.ask({ task: 'render', record, making } satisfies RenderTask);
  }

  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    return this.#thread.ask({ task: 'survey', set, range, limits } satisfies RenderTask);
  }

  /** Resolves when the document in hand is written. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
