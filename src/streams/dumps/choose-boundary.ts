import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { type StreamName, setOfStream } from '../set-names.ts';
import { UploadPause } from '../uploads/upload-pause.ts';
import { type BoundaryParts, type DumpBoundary, tryBoundary } from './dump-boundary.ts';

export interface BoundaryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait without progress of an upload. */
  readonly waitMs?: number | undefined;
  /** Called with the reason of the wait. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
}

const RETRY_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** Longest wait in milliseconds, even if uploads make progress: other uploads wait for them. */
const LONGEST_PAUSE_MS = 1_800_000;

/**
 * Makes a boundary at which no upload of a stream is being applied. While it waits for the running uploads, no others
 * are started: see UploadPause.
 * @throws TidemarkError `conflict` when no boundary could be made in time; `not-found` when there is no such
 *   organization
 */
export async function chooseBoundary(
  name: StreamName,
  parts: BoundaryParts,
  options: BoundaryOptions = {},
): Promise<DumpBoundary> {
  const { signal, onWaiting } = options;
  const limit = new WaitLimit(options.waitMs);
  let pause: UploadPause | undefined;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const found = await tryBoundary(name, parts);
      if ('until' in found) return found;
      const { reason, stream, upload } = found;
      const progress = upload && (await parts.progressOf(upload));
      if (limit.isOver(progress)) throw new TidemarkError('conflict', `${reason}. ${limit.text}`, { ...name });
      onWaiting?.(reason);
      // A worker applies the upload, or none is needed. Otherwise paused uploads may occupy all workers: so the pause
      // ends.
      const canProgress = upload === undefined || progress !== undefined;
      if (canProgress) {
        pause ??= await UploadPause.begin(parts.catalog, { ...name, stream, dumped: setOfStream(name, 'dumps') });
      } else {
        await pause?.end();
        pause = undefined;
      }
      await wait(RETRY_MS, undefined, { signal });
    }
  } finally {
    await pause?.end();
  }
}

/** Limits the wait for uploads: it starts again whenever an upload makes progress. */
class WaitLimit {
  readonly #longestMs: number;
  readonly #begun = performance.now();
  #leftMs: number;
  #progress: string | undefined;

  constructor(longestMs = LONGEST_WAIT_MS) {
    this.#longestMs = longestMs;
    this.#leftMs = longestMs;
  }

  /** Called before each wait. Only the waits count, because syncing the set of the default stream may take longer. */
  isOver(progress: string | undefined): boolean {
    if (progress !== undefined && this.#progress !== undefined && progress !== this.#progress) {
      this.#leftMs = this.#longestMs;
    }
    this.#progress = progress;
    if (this.#leftMs <= 0 || performance.now() - this.#begun > LONGEST_PAUSE_MS) return true;
    this.#leftMs -= RETRY_MS;
    return false;
  }

  /** How long the wait has been, and what must run to end it. */
  get text(): string {
    const seconds = Math.round((performance.now() - this.#begun) / 1000);
    return `It waited ${seconds} s; a server ("tidemark serve") or "tidemark work" must run to end this`;
  }
}
