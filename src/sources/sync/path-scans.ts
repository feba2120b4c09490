import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { Mutex } from '../../lib/calls/mutex.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { SourceProblem } from '../source.ts';
import { type Synced, sync } from './sync.ts';

/** Milliseconds that a caller waits for a scan; the scan continues after that. */
const SCAN_TIMEOUT_MS = 25_000;
/** Most paths of a set that may wait while a scan is under way. */
const MOST_WAITING = 20_000;

interface Hints {
  readonly paths: Set<string>;
  readonly scanned: Promise<readonly SourceProblem[]>;
}

interface Scans {
  /** The set of the last call: its settings may have changed since earlier calls. */
  set: ResourceSet;
  next: Hints | undefined;
  readonly mutex: Mutex;
}

/**
 * Scans the paths, of any set, that clients report as changed. All paths of a set reported while a scan of it is under
 * way share the next one.
 */
export class PathScans {
  readonly #synced: (set: ResourceSet) => Synced;
  readonly #scans = new Map<SetId, Scans>();

  /** @param synced called at the start of each scan */
  constructor(synced: (set: ResourceSet) => Synced) {
    this.#synced = synced;
  }

  /**
   * Resolves when a comparison of the paths that started after this call is committed. Returns the problems of these
   * paths.
   * @throws TidemarkError `not-ready` when that takes too long: it is done later; `unavailable` when the root or the
   *   store does not answer
   */
  async scan(set: ResourceSet, paths: readonly string[]): Promise<readonly SourceProblem[]> {
    if (paths.length === 0) return [];
    const scans = this.#scansOf(set);
    // Checked before joining: a scan that was started only for this call would have no caller to await it.
    if ((scans.next?.paths.size ?? 0) + paths.length > MOST_WAITING) refuse();
    scans.next ??= this.#plan(scans);
    for (const path of paths) scans.next.paths.add(path);
    const asked = new Set(paths);
    return (await withTimeout(scans.next.scanned, SCAN_TIMEOUT_MS, refuse)).filter(({ path }) => asked.has(path));
  }

  #scansOf(set: ResourceSet): Scans {
    const scans = this.#scans.get(set.id) ?? { set, next: undefined, mutex: new Mutex() };
    scans.set = set;
    this.#scans.set(set.id, scans);
    return scans;
  }

  #plan(scans: Scans): Hints {
    const paths = new Set<string>();
    const scanned = scans.mutex.run(async () => {
      scans.next = undefined;
      const summary = await sync({ ...this.#synced(scans.set), under: [...paths], mostProblems: MOST_WAITING });
      return summary?.problems ?? [];
    });
    return { paths, scanned };
  }
}

function refuse(): never {
  throw new TidemarkError('not-ready', 'a scan of this set is under way: try again later');
}
