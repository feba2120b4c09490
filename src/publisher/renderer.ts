import type { Worker } from 'node:worker_threads';
import { TidemarkError } from '../domain/errors.ts';
import type { KeyRange } from '../domain/key.ts';
import type { SetId } from '../domain/resource-set.ts';
import type { Limits, Survey } from '../stores/resource-index.ts';
import type { Making } from './document-cache.ts';
import type { DocumentRecord } from './document-files.ts';

/** What the render thread is asked. */
export type RenderTask =
  | { readonly id: number; readonly task: 'render'; readonly record: string; readonly making: Making }
  | {
      readonly id: number;
      readonly task: 'survey';
      readonly set: SetId;
      readonly range: KeyRange;
      readonly limits: Limits;
    };

export type RenderAnswer =
  | { readonly id: number; readonly result: DocumentRecord | Survey }
  | { readonly id: number; readonly error: { readonly code?: TidemarkError['code']; readonly message: string } };

type WithoutId<Task> = Task extends unknown ? Omit<Task, 'id'> : never;

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Renders and surveys in a thread of its own, one at a time: so the HTTP thread is never held, and memory is that of one document.
 */
export class Renderer {
  readonly #start: () => Worker;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;

  constructor(start: () => Worker) {
    this.#start = start;
  }

  render(record: string, making: Making): Promise<DocumentRecord> {
    return this.#ask({ task: 'render', record, making });
  }

  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    return this.#ask({ task: 'survey', set, range, limits });
  }

  /** Resolves when the document in hand is written. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('close');
    await gone;
  }

  #ask<Result>(task: WithoutId<RenderTask>): Promise<Result> {
    if (this.#closed) return Promise.reject(new TidemarkError('unavailable', 'the source is stopping'));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker ??= this.#listen(this.#start());
      this.#worker.postMessage({ ...task, id });
    });
  }

  #listen(worker: Worker): Worker {
    worker.on('message', (answer: RenderAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('result' in answer) waiting?.resolve(answer.result as never);
      else waiting?.reject(toError(answer.error));
    });
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('it ended')));
    return worker;
  }

  /** The next task starts another thread. */
  #fail(cause: Error): void {
    this.#worker = undefined;
    const error = new TidemarkError('unavailable', `rendering failed: ${cause.message}`, {}, cause);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

function toError({ code, message }: { readonly code?: TidemarkError['code']; readonly message: string }): Error {
  return code === undefined ? new Error(message) : new TidemarkError(code, message);
}
