import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { type StreamName, setOfStream } from '../set-names.ts';
import { UploadPause } from '../uploads/upload-pause.ts';
import { type BoundaryParts, type DumpBoundary, type NoBoundary, tryBoundary } from './dump-boundary.ts';

export interface BoundaryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds that are waited while nothing comes further. */
  readonly waitMs?: number | undefined;
  /** Called with what is waited for. */
  readonly onWaiting?: ((reason: string) => void) | undefined;
}

const RETRY_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** However far uploads come meanwhile: others wait for them. */
const LONGEST_PAUSE_MS = 1_800_000;

/**
 * Makes a boundary at which no upload of a stream is being applied. While it waits for those that are, no others are
 * begun: see UploadPause.
 * @throws TidemarkError `conflict` when there was none; `not-found` when there is no such organization
 */
export async function chooseBoundary(
  name: StreamName,
  parts: BoundaryParts,
  options: BoundaryOptions = {},
): Promise<DumpBoundary> {
  const limit = new WaitLimit(parts, options.waitMs);
  const { signal, onWaiting } = options;
  let pause: UploadPause | undefined;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const found = await tryBoundary(name, parts);
      if ('until' in found) return found;
      const { reason, stream } = found;
      if (await limit.isOver(found)) throw new TidemarkError('conflict', reason, { ...name });
      onWaiting?.(reason);
      pause ??= await UploadPause.begin(parts.catalog, { ...name, stream, dumped: setOfStream(name, 'dumps') });
      await wait(RETRY_MS, undefined, { signal });
    }
  } finally {
    await pause?.end();
  }
}

/** How long uploads are waited for: while they come further, and then for a time. */
class WaitLimit {
  readonly #parts: Pick<BoundaryParts, 'progressOf'>;
  readonly #longestMs: number;
  readonly #begun = performance.now();
  #leftMs: number;
  #progress: string | undefined;

  constructor(parts: Pick<BoundaryParts, 'progressOf'>, longestMs = LONGEST_WAIT_MS) {
    this.#parts = parts;
    this.#longestMs = longestMs;
    this.#leftMs = longestMs;
  }

  /** Called before each wait. Only these count: to sync the set of the default stream may take longer. */
  async isOver({ upload }: NoBoundary): Promise<boolean> {
    const progress = upload && (await this.#parts.progressOf(upload));
    const comesFurther = progress !== undefined && this.#progress !== undefined && progress !== this.#progress;
    if (comesFurther) this.#leftMs = this.#longestMs;
    this.#progress = progress;
    if (this.#leftMs <= 0 || performance.now() - this.#begun > LONGEST_PAUSE_MS) return true;
    this.#leftMs -= RETRY_MS;
    return false;
  }
}
