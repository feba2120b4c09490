import { setTimeout as wait } from 'node:timers/promises';
import type { Activity } from '../../artifacts/artifact-key.ts';
import { latestArtifact } from '../../artifacts/find-artifacts.ts';
import { Keeper, type KeeperEvents } from '../sync/keeper.ts';
import type { ScanProgress, ScanSummary } from '../sync/scan-summary.ts';
import { bringUpToDate, type RecordsUpkeep } from './bring-up-to-date.ts';

export interface RecordsKeeperOptions extends RecordsUpkeep {
  readonly events?: KeeperEvents;
  /** Milliseconds between two looks for a newer artifact. */
  readonly pollInterval: number;
  /** Milliseconds before the first attempt after trouble; then twice as long each time. */
  readonly retryDelay?: number;
}

/** After so many milliseconds it is compared again in any case: another process may have changed what the set tells. */
const WHOLE_LOOK = 60_000;
/** A torn artifact of a gigabyte is not to be read all the time. */
const LONGEST_RETRY = 300_000;

/** Keeps a set in step with the newest artifact of its provider's activity. When there is trouble, nothing is deleted, and it is tried again. */
export class RecordsKeeper extends Keeper {
  readonly #options: RecordsKeeperOptions;

  constructor(options: RecordsKeeperOptions) {
    super(options.events);
    this.#options = options;
  }

  protected async run(): Promise<void> {
    const { retryDelay = 1_000, pollInterval } = this.#options;
    const signal = this.stopped;
    let delay = retryDelay;
    while (!signal.aborted) {
      // Looked at before: what comes while it is compared is not passed over.
      const seen = await this.#newest().catch(() => undefined);
      try {
        this.noteScanned(await this.#compare());
        delay = retryDelay;
        await this.#untilChanged(seen, { every: pollInterval, atMost: WHOLE_LOOK });
      } catch (error) {
        if (signal.aborted) return;
        this.noteTrouble(error);
        await this.#untilChanged(seen, { every: Math.min(pollInterval, delay), atMost: delay });
        delay = Math.min(delay * 2, LONGEST_RETRY);
      }
    }
  }

  async #compare(): Promise<ScanSummary> {
    const onProgress = (progress: ScanProgress) => this.events.onProgress?.(progress);
    const summary = await bringUpToDate({ ...this.#options, onProgress, signal: this.stopped });
    if (summary !== undefined) this.events.onScanned?.(summary, 'full');
    return summary ?? NOTHING_TO_DO;
  }

  /** Waits until another artifact is the newest, or for so long. */
  async #untilChanged(
    seen: string | undefined,
    { every, atMost }: { readonly every: number; readonly atMost: number },
  ): Promise<void> {
    const signal = this.stopped;
    const end = performance.now() + atMost;
    for (;;) {
      const left = end - performance.now();
      if (left <= 0 || signal.aborted) return;
      await wait(Math.min(every, left), undefined, { signal }).catch(() => {});
      const now = signal.aborted ? seen : await this.#newest().catch(() => undefined);
      // A store that does not answer is told of by the next attempt.
      if (now === undefined || now !== seen) return;
    }
  }

  /** The newest artifact: two or three lists, of the dates and of the files of the last one. */
  async #newest(): Promise<string> {
    const { artifacts, source } = this.#options;
    const { provider, activity } = source;
    const found = await latestArtifact(artifacts, { provider, activity: activity as Activity });
    return found?.key ?? '(none)';
  }
}

const NOTHING_TO_DO: ScanSummary = {
  files: 0,
  hashed: 0,
  bytes: 0,
  created: 0,
  updated: 0,
  deleted: 0,
  unchanged: 0,
  left: 0,
  problems: [],
  problemCount: 0,
  seconds: 0,
};
