import { hostname } from 'node:os';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { withoutPaths } from '../core/without-paths.ts';
import type { PerformedRun } from '../records/activities/perform-run.ts';
import type { RunRequest } from '../records/activities/run-request.ts';
import type { ActivityRun } from '../records/runs/activity-run.ts';
import type { RunRecord } from '../records/runs/run-record.ts';
import { describeStore } from '../stores/locations.ts';
import type { Stores } from '../stores/open-stores.ts';
import type { Call } from './cli-command.ts';
import { isNewStore } from './with-app.ts';

const BEATS_OF_LEASE = 3;

/**
 * Records a run of a command in the store of its configuration, so that pages and the API show it. A run needs no
 * store: where none exists, nothing is recorded; where it does not answer, a message says so.
 */
export class CommandRecord {
  readonly #call: Pick<Call, 'loaded' | 'terminal'>;
  #stores: Stores | undefined;
  #record: RunRecord | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(call: Pick<Call, 'loaded' | 'terminal'>) {
    this.#call = call;
  }

  async begin({ provider: organization, activity, ...options }: RunRequest): Promise<void> {
    const { store, failpoint, jobLeaseMs: leaseMs } = this.#call.loaded.configuration;
    await this.#try(async () => {
      if (await isNewStore({ store })) return;
      // Loaded only now: most runs that are not recorded need neither.
      const { openStores } = await import('../stores/open-stores.ts');
      const { RunRecord } = await import('../records/runs/run-record.ts');
      this.#stores = await openStores(store, { failpoint });
      const beat = { worker: `${hostname()}:${process.pid}`, leaseMs, beats: 0 };
      this.#record = await RunRecord.add(this.#stores.catalog, { organization, activity }, () => ({
        state: 'running',
        started: Date.now(),
        options,
        trigger: { by: 'command' },
        beat,
      }));
      this.#timer = setInterval(() => this.#beat().catch(() => {}), leaseMs / BEATS_OF_LEASE).unref();
    });
  }

  async claimed({ key, generator }: { readonly key: string; readonly generator: string }): Promise<void> {
    await this.#update({ claimed: key, generator });
  }

  async end(performed: PerformedRun): Promise<void> {
    await this.#change((record) => record.end(performed));
  }

  async fail(error: unknown): Promise<void> {
    const text = isTidemarkError(error) ? withoutPaths(error).message : String(error);
    await this.#change((record) => record.fail(text));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#stores?.close().catch(() => {});
  }

  async #beat(): Promise<void> {
    const beat = this.#record?.run.beat;
    if (beat !== undefined) await this.#update({ beat: { ...beat, beats: beat.beats + 1 } });
  }

  #update(changes: Partial<ActivityRun>): Promise<void> {
    return this.#change((record) =>
      record.update({ ...changes, state: 'running', ended: undefined, failure: undefined }),
    );
  }

  /** A server may have ended the run meanwhile, as when this process was suspended: what this one says counts. */
  async #change(change: (record: RunRecord) => Promise<void>): Promise<void> {
    const record = this.#record;
    if (record === undefined) return;
    await this.#try(async () => {
      try {
        await change(record);
      } catch (error) {
        if (!isTidemarkError(error, 'conflict')) throw error;
        await record.reread();
        await change(record);
      }
    });
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      this.#record = undefined;
      const store = describeStore(this.#call.loaded.configuration.store);
      this.#call.terminal.say(`The run is not recorded in the store ${store}: ${error.message}.`);
    }
  }
}
