import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';

/** A run that removes versions of a set. */
export interface Removals {
  /** Rises with each run. */
  readonly number: number;
  /** Milliseconds since 1970 at which the run ends at the latest; absent when it has ended. */
  readonly until?: number;
}

interface ReliedParts {
  readonly artifacts: Pick<ArtifactStore, 'head'>;
  /** The last run that removed versions of the set; undefined when there never was one. */
  lastRemovals(): Promise<Removals | undefined>;
}

/** The number of the last run; undefined while one is running. */
type Ended = number | undefined;

const CHECKED_AT_ONCE = 16;
/** Milliseconds between two checks whether a run has ended. */
const POLL_MS = 200;
/** Milliseconds after which a run counts as ended, whatever the clock of its process says. */
const LONGEST_MS = 60_000;

/**
 * The versions that a step of a scan relies on. Detects that some were removed right after the scan stored them. A run
 * spares versions that were stored within a day, but in a bucket bytes may be stored again after the run has read their
 * time and before it removes them. So if any run took place since the bytes were stored, this checks that they still
 * exist.
 */
export class ReliedVersions {
  readonly #parts: ReliedParts;
  readonly #before: Ended;
  readonly #keys = new Set<ObjectKey>();

  private constructor(parts: ReliedParts, before: Ended) {
    this.#parts = parts;
    this.#before = before;
  }

  /** Call this before versions are stored. */
  static async begin(parts: ReliedParts): Promise<ReliedVersions> {
    return new ReliedVersions(parts, await lastEnded(parts));
  }

  has(key: ObjectKey): boolean {
    return this.#keys.has(key);
  }

  add(key: ObjectKey): void {
    this.#keys.add(key);
  }

  /**
   * Resolves when no run is under way that was decided before these versions were stored, and all of them exist.
   * @throws TidemarkError `unavailable` when one is missing
   */
  async require(): Promise<void> {
    if (this.#keys.size === 0) return;
    const begun = Date.now();
    let ended = await lastEnded(this.#parts);
    while (ended === undefined && Date.now() - begun < LONGEST_MS) {
      await wait(POLL_MS);
      ended = await lastEnded(this.#parts);
    }
    if (this.#before !== undefined && this.#before === ended) return;
    const { artifacts } = this.#parts;
    for await (const found of mapInOrder(this.#keys, CHECKED_AT_ONCE, (key) => artifacts.head(key))) {
      if (found !== undefined) continue;
      const message = 'another process removed a version that this scan had just stored again: scan the set again';
      throw new TidemarkError('unavailable', message, {});
    }
  }
}

async function lastEnded({ lastRemovals }: ReliedParts): Promise<Ended> {
  const { number, until = 0 } = (await lastRemovals()) ?? { number: 0 };
  return until > Date.now() ? undefined : number;
}
