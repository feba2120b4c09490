import { TidemarkError } from '../../domain/errors.ts';
import type { Resource } from '../../domain/resource.ts';
import { AskedThread } from '../../threads/asked-thread.ts';
import { startThread } from '../../threads/questions.ts';
import type { ChangeCounts, FoundResources } from '../resource-index.ts';
import { toResource } from './queries.ts';
import type { CountRequest, FindRequest, FoundRows, ReadTask } from './wire.ts';

/** So many may wait for the thread: some ten seconds of searches. */
const MOST_WAITING = 20;

/** The thread that reads many rows, as seen from outside. It is started by the first search or count. */
export class Reader {
  readonly #thread: AskedThread;
  #waiting = 0;

  constructor(file: string) {
    const start = () => startThread('./reader-thread', import.meta.url, { workerData: { file } });
    this.#thread = new AskedThread({ work: 'reading the store', start });
  }

  async find(find: FindRequest): Promise<FoundResources> {
    const { rows, next } = await this.#ask<FoundRows>({ task: 'find', find });
    return { resources: rows.map(toResource) as Resource[], next };
  }

  count(count: CountRequest): Promise<readonly ChangeCounts[]> {
    return this.#ask({ task: 'count', count });
  }

  /** Resolves when everything that was asked is answered. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #ask<Answer>(task: ReadTask): Promise<Answer> {
    if (this.#waiting >= MOST_WAITING) {
      throw new TidemarkError('unavailable', 'too many are searching at the moment: try again in a few seconds');
    }
    this.#waiting += 1;
    try {
      return await this.#thread.ask<ReadTask, Answer>(task);
    } finally {
      this.#waiting -= 1;
    }
  }
}
