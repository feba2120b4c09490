import { TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { prefetch } from '../../lib/calls/prefetch.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { EncodedResource, FoundResources } from '../resource-states.ts';
import type { ChangeCounts } from '../set-statistics.ts';
import { toResource } from './queries.ts';
import type { ReaderFunctions } from './reader.worker.ts';
import { type CountRequest, type FindRequest, lastKeyOf } from './wire.ts';

/** Most calls that may wait for the thread: some ten seconds of searches. */
const MOST_WAITING = 20;

/** Calls the thread that queries many rows. It is started by the first call. */
export class Reader {
  readonly #thread: CalledThread<ReaderFunctions>;
  #waiting = 0;

  constructor(file: string) {
    const start = () => startWorker('./reader.worker', import.meta.url, { workerData: { file } });
    this.#thread = new CalledThread({ work: 'reading the store', start });
  }

  async find(find: FindRequest): Promise<FoundResources> {
    const { rows, next } = await this.#limited(() => this.#thread.call('find', [find]));
    return { resources: rows.map(toResource) as Resource[], next };
  }

  count(count: CountRequest): Promise<readonly ChangeCounts[]> {
    return this.#limited(() => this.#thread.call('count', [count]));
  }

  findDamage(): Promise<readonly string[]> {
    return this.#thread.call('findDamage', []);
  }

  async *states(set: SetId): AsyncGenerator<readonly EncodedResource[]> {
    let after: ResourceKey = '';
    const next = async () => {
      const batches = await this.#thread.call('states', [{ set, after }]);
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

  /** Resolves when every call has returned. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #limited<Result>(search: () => Promise<Result>): Promise<Result> {
    if (this.#waiting >= MOST_WAITING) {
      throw new TidemarkError('unavailable', 'too many searches are running: try again in a few seconds');
    }
    this.#waiting += 1;
    try {
      return await search();
    } finally {
      this.#waiting -= 1;
    }
  }
}
