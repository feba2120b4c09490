import { setTimeout as wait } from 'node:timers/promises';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';

/** A time in which versions of a set are removed. */
export interface Removals {
  /** Rises with each. */
  readonly number: number;
  /** Milliseconds since 1970 at which it has ended; absent when it has ended. */
  readonly until?: number;
}

export interface ReliedParts {
  readonly artifacts: Pick<ArtifactStore, 'head'>;
  /** The last removals of versions of the set; undefined when there never were any. */
  lastRemovals(): Promise<Removals | undefined>;
}

/** The number of the last removals; undefined while some are under way. */
type Ended = number | undefined;

/** The versions that a scan relies on, with the removals that had ended before it stored them. */
export type Relied = ReadonlyMap<ObjectKey, Ended>;

const CHECKED_AT_ONCE = 16;
/** Milliseconds between two reads of whether versions are still being removed. */
const POLL_MS = 200;
/** Milliseconds after which they are not, whatever another process's clock says. */
const LONGEST_MS = 60_000;

/**
 * Finds out whether versions that a scan has stored were removed right after that. Removals spare what was stored
 * within a day, and read that before: in a bucket, bytes may be stored again between that and the removal. So when any
 * removals took place since bytes were stored, the bytes are looked for.
 */
export class ReliedVersions {
  readonly #parts: ReliedParts;
  #relied = new Map<ObjectKey, Ended>();
  #begun: Promise<void> | undefined;
  #ended: Ended;

  constructor(parts: ReliedParts) {
    this.#parts = parts;
  }

  /** Call it before the bytes are stored. */
  async add(key: ObjectKey): Promise<void> {
    this.#begun ??= this.#readEnded().then((ended) => {
      this.#ended = ended;
    });
    await this.#begun;
    if (!this.#relied.has(key)) this.#relied.set(key, this.#ended);
  }

  /** Returns what was added since the last call. */
  take(): Relied {
    const relied = this.#relied;
    this.#relied = new Map();
    return relied;
  }

  /**
   * Resolves when no removal that was decided before these versions were stored is under way, and all are there.
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
