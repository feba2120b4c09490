import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';

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

/** The versions that a scan relies on, each with the last run that had ended before it was stored. */
type Relied = ReadonlyMap<ObjectKey, Ended>;

const CHECKED_AT_ONCE = 16;
/** Milliseconds between two checks whether a run has ended. */
const POLL_MS = 200;
/** Milliseconds after which a run counts as ended, whatever the clock of its process says. */
const LONGEST_MS = 60_000;

/**
 * Detects that versions were removed right after a scan stored them. A run spares versions that were stored within a
 * day, but in a bucket bytes may be stored again after the run has read their time and before it removes them. So if
 * any run took place since the bytes were stored, this checks that they still exist.
 */
export class ReliedVersions {
  readonly #parts: ReliedParts;
  #relied = new Map<ObjectKey, Ended>();
  #begun: Promise<void> | undefined;
  #ended: Ended;

  constructor(parts: ReliedParts) {
    this.#parts = parts;
  }

  /** Call this before the bytes are stored. */
  async add(key: ObjectKey): Promise<void> {
    this.#begun ??= this.#readEnded().then((ended) => {
      this.#ended = ended;
    });
    await this.#begun;
    if (!this.#relied.has(key)) this.#relied.set(key, this.#ended);
  }

  /** Returns the versions added since the last call. */
  take(): Relied {
    const relied = this.#relied;
    this.#relied = new Map();
    return relied;
  }

  /**
   * Resolves when no run is under way that was decided before these versions were stored, and all of them exist.
   * @throws TidemarkError `unavailable` when one is missing
   */
  async require(relied: Relied): Promise<void> {
    if (relied.size === 0) return;
    const begun = Date.now();
    let ended = await this.#readEnded();
    while (ended === undefined && Date.now() - begun < LONGEST_MS) {
      await wait(POLL_MS);
      ended = await this.#readEnded();
    }
    this.#ended = ended;
    const suspects = [...relied].filter(([, before]) => before === undefined || before !== ended);
    const { artifacts } = this.#parts;
    for await (const found of mapInOrder(suspects, CHECKED_AT_ONCE, ([key]) => artifacts.head(key))) {
      if (found !== undefined) continue;
      const message = 'another process removed a version that this scan had just stored again: scan the set again';
      throw new TidemarkError('unavailable', message, {});
    }
  }

  async #readEnded(): Promise<Ended> {
    const { number, until = 0 } = (await this.#parts.lastRemovals()) ?? { number: 0 };
    return until > Date.now() ? undefined : number;
  }
}
