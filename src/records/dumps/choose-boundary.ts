import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { JobWaits } from '../../stores/job-waits.ts';
import { UploadPause } from '../arrivals/upload-pause.ts';
import { type StreamName, setOfStream } from '../stream-set-names.ts';
import { type BoundaryParts, type DumpBoundary, findApplying, type NoBoundary, tryBoundary } from './dump-boundary.ts';

export interface BoundaryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait without progress of an upload. */
  readonly waitMs?: number | undefined;
  /** For a job, which does not wait here for long: it is given back with JobWaits. */
  readonly job?: WaitingJob | undefined;
  /** Called with the reason of the wait. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
}

export interface WaitingJob {
  /** When it stops to wait for uploads, in milliseconds since 1970: other uploads wait for it. */
  readonly until: number;
  /** Whether an earlier attempt has begun to wait, and has left a pause. */
  readonly hasWaited: boolean;
}

const RETRY_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** Longest wait in milliseconds, even if uploads make progress: other uploads wait for them. */
export const LONGEST_PAUSE_MS = 1_800_000;
/** Milliseconds that a job waits in its place: most uploads end sooner. */
const IN_PLACE_MS = 5_000;

/**
 * Makes a boundary at which no upload of a stream is being applied. While it waits for the running uploads, no others
 * are started: see UploadPause. Close it afterwards.
 */
export class BoundaryChoice {
  readonly #name: StreamName;
  readonly #parts: BoundaryParts;
  readonly #options: BoundaryOptions;
  #pause: UploadPause | undefined;

  constructor(name: StreamName, parts: BoundaryParts, options: BoundaryOptions = {}) {
    this.#name = name;
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * Waits until no upload is being applied, before work that would be lost if `choose` had to wait for long. A job that
   * has waited before keeps others from being started until the boundary is made.
   * @throws as `choose`
   */
  async waitForUploads(): Promise<void> {
    const { job } = this.#options;
    const found = await this.#waitFor(() => findApplying(this.#name, this.#parts), job?.hasWaited ? 0 : IN_PLACE_MS);
    if (job?.hasWaited) await this.#keepPause(found.stream);
  }

  /**
   * @throws TidemarkError `conflict` when no boundary could be made in time; `not-found` when there is no such
   *   organization; JobWaits
   */
  choose(): Promise<DumpBoundary> {
    return this.#waitFor(() => tryBoundary(this.#name, this.#parts), IN_PLACE_MS);
  }

  async close(): Promise<void> {
    await this.#pause?.end();
    this.#pause = undefined;
  }

  async #waitFor<Found extends object>(find: () => Promise<Found | NoBoundary>, inPlaceMs: number): Promise<Found> {
    const { signal, job, onWaiting } = this.#options;
    const limit = new WaitLimit(this.#options);
    for (;;) {
      signal?.throwIfAborted();
      const found = await find();
      if (!('reason' in found)) return found;
      const { reason, stream, upload } = found;
      const progress = upload && (await this.#parts.progressOf(upload));
      if (limit.isOver(progress)) {
        // The one that an earlier attempt has left: it ends with this attempt.
        if (job?.hasWaited) await this.#keepPause(stream);
        throw new TidemarkError('conflict', `${reason}. ${limit.text}`, { ...this.#name });
      }
      onWaiting?.(reason);
      // A worker applies the upload, or none is needed. Otherwise paused uploads may occupy all workers: so the pause
      // ends.
      const canProgress = upload === undefined || progress !== undefined;
      if (canProgress) await this.#keepPause(stream);
      else await this.close();
      if (job !== undefined && !(canProgress && limit.waitedMs < inPlaceMs)) throw await this.#leave(reason, job);
      await wait(RETRY_MS, undefined, { signal });
    }
  }

  async #keepPause(stream: string): Promise<void> {
    const { catalog } = this.#parts;
    this.#pause ??= await UploadPause.begin(catalog, {
      ...this.#name,
      stream,
      dumped: setOfStream(this.#name, 'dumps'),
    });
  }

  async #leave(reason: string, { until }: WaitingJob): Promise<JobWaits> {
    await this.#pause?.leave();
    this.#pause = undefined;
    return new JobWaits(reason, { until });
  }
}

/** Limits the wait for uploads: it starts again whenever an upload makes progress. */
class WaitLimit {
  readonly #longestMs: number;
  readonly #until: number | undefined;
  readonly #begun = performance.now();
  #leftMs: number;
  #progress: string | undefined;

  constructor({ waitMs = LONGEST_WAIT_MS, job }: BoundaryOptions) {
    this.#longestMs = waitMs;
    this.#leftMs = waitMs;
    this.#until = job?.until;
  }

  get waitedMs(): number {
    return performance.now() - this.#begun;
  }

  /** Called before each wait. Only the waits count, because syncing the set of the default stream may take longer. */
  isOver(progress: string | undefined): boolean {
    if (progress !== undefined && this.#progress !== undefined && progress !== this.#progress) {
      this.#leftMs = this.#longestMs;
    }
    this.#progress = progress;
    if (this.#until !== undefined && Date.now() > this.#until) return true;
    if (this.#leftMs <= 0 || this.waitedMs > LONGEST_PAUSE_MS) return true;
    this.#leftMs -= RETRY_MS;
    return false;
  }

  /** How long the wait has been, and what must run to end it. */
  get text(): string {
    const seconds = Math.round((this.#until === undefined ? this.waitedMs : LONGEST_PAUSE_MS) / 1000);
    return `It waited ${seconds} s; a server ("tidemark serve") or "tidemark work" must run to end this`;
  }
}
