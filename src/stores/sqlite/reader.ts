import { TidemarkError } from '../../domain/errors.ts';
import type { ResourceKey } from '../../domain/key.ts';
import type { Resource } from '../../domain/resource.ts';
import type { SetId } from '../../domain/resource-set.ts';
import { AskedThread } from '../../threads/asked-thread.ts';
import { startThread } from '../../threads/questions.ts';
import type { ChangeCounts, EncodedResource, FoundResources } from '../resource-index.ts';
import { toResource } from './queries.ts';
import type { CountRequest, FindRequest, FoundRows, ReadTask, StateColumns } from './wire.ts';

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

  /** The next batch is read while one is looked at. */
  async *states(set: SetId): AsyncGenerator<readonly EncodedResource[]> {
    let next = this.#statesAfter('', set);
    for (let columns = await next; columns !== undefined; columns = await next) {
      const keys = columns.keys.split('\n');
      const states = columns.states.split('\n');
      next = this.#statesAfter(keys.at(-1)!, set);
      yield keys.map((key, at) => ({ key, state: states[at]! }));
    }
  }

  #statesAfter(after: ResourceKey, set: SetId): Promise<StateColumns | undefined> {
    const task: ReadTask = { task: 'states', states: { set, after } };
    const columns = this.#thread.ask<ReadTask, StateColumns | undefined>(task);
    // Told when it is waited for; who stops before does not care.
    columns.catch(() => {});
    return columns;
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
