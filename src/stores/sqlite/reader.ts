import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { prefetch } from '../../lib/prefetch.ts';
import { AskedThread } from '../../lib/workers/asked-thread.ts';
import { startThread } from '../../lib/workers/questions.ts';
import type { ChangeCounts, EncodedResource, FoundResources } from '../resource-index.ts';
import { toResource } from './queries.ts';
import {
  type CountRequest,
  type FindRequest,
  type FoundRows,
  lastKeyOf,
  type ReadTask,
  type StateColumns,
} from './wire.ts';

/** So many may wait for the thread: some ten seconds of searches. */
const MOST_WAITING = 20;

/** The thread that reads many rows, as seen from outside. It is started when it is asked first. */
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

  async *states(set: SetId): AsyncGenerator<readonly EncodedResource[]> {
    let after: ResourceKey = '';
    const next = async () => {
      const task: ReadTask = { task: 'states', states: { set, after } };
      const batches = await this.#thread.ask<ReadTask, readonly StateColumns[]>(task);
      const last = lastKeyOf(batches);
      if (last === undefined) return undefined;
      after = last;
      return batches;
    };
    for await (const batches of prefetch(next)) {
      for (const batch of batches) {
        const states = batch.states.split('\n');
        yield batch.keys.split('\n').map((key, at) => ({ key, state: states[at]! }));
      }
    }
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
