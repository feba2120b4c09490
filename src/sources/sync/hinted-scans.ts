import { TidemarkError } from '../../core/errors.ts';
import { Mutex } from '../../lib/mutex.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { SourceProblem } from '../source.ts';
import { type Synced, sync } from './sync.ts';

/** Milliseconds that a caller waits for a scan; the scan continues after that. */
const SCAN_TIMEOUT_MS = 25_000;
/** Most paths that may wait while a scan is under way. */
const MOST_WAITING = 20_000;

interface Hints {
  readonly paths: Set<string>;
  readonly scanned: Promise<readonly SourceProblem[]>;
}

/** Scans paths that a client reports as changed. All paths reported while a scan is under way share the next one. */
export class HintedScans {
  readonly #synced: () => Synced;
  #next: Hints | undefined;
  readonly #mutex = new Mutex();

  /** @param synced called at the start of each scan, because settings of the set may have changed */
  constructor(synced: () => Synced) {
    this.#synced = synced;
  }

  /**
   * Resolves when a comparison of the paths that started after this call is committed. Returns the problems of these
   * paths.
   * @throws TidemarkError `not-ready` when that takes too long: it is done later; `unavailable` when the root or the
   *   store does not answer
   */
  async scan(paths: readonly string[]): Promise<readonly SourceProblem[]> {
    if (paths.length === 0) return [];
    // Checked before joining: a scan that was started only for this call would have no caller to await it.
    if ((this.#next?.paths.size ?? 0) + paths.length > MOST_WAITING) refuse();
    const { paths: waiting, scanned } = this.#join();
    for (const path of paths) waiting.add(path);
    const asked = new Set(paths);
    return (await withTimeout(scanned, SCAN_TIMEOUT_MS, refuse)).filter(({ path }) => asked.has(path));
  }

  #join(): Hints {
    this.#next ??= this.#plan();
    return this.#next;
  }

  #plan(): Hints {
    const paths = new Set<string>();
    const scanned = this.#mutex.run(async () => {
      this.#next = undefined;
      const summary = await sync({ ...this.#synced(), under: [...paths], mostProblems: MOST_WAITING });
      return summary?.problems ?? [];
    });
    return { paths, scanned };
  }
}

function refuse(): never {
  throw new TidemarkError('not-ready', 'a scan of this set is under way: try again later');
}
