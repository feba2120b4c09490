import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { overriding } from '../lib/overriding.ts';
import type { ArtifactStore, ObjectKey, ObjectRange } from './artifact-store.ts';

/**
 * Returns which parts of an object are known to have other bytes than were stored (an undefined range: all of it).
 * Empty for an object that is whole as far as is known.
 */
type DamagedParts = (key: ObjectKey) => Promise<readonly (ObjectRange | undefined)[]>;

/**
 * A store that refuses to open what is known to be damaged: it must not be served as if it were whole. Callers of
 * `readSmall` compare what they read themselves.
 */
export function refusingDamaged(store: ArtifactStore, damagedParts: DamagedParts): ArtifactStore {
  const requireWhole = async (key: ObjectKey, range: ObjectRange | undefined): Promise<void> => {
    for (const damaged of await damagedParts(key)) if (overlap(damaged, range)) throw damagedArtifact(key);
  };
  return overriding<ArtifactStore>(store, {
    name: store.name,
    async get(key, options) {
      await requireWhole(key, options?.range);
      return store.get(key, options);
    },
  });
}

/** The error for an object, or a part of one, whose bytes are not those that were stored. */
export function damagedArtifact(key: ObjectKey): TidemarkError {
  const message = `the stored bytes of ${key} are damaged: "tidemark artifacts verify" says what to do`;
  return new TidemarkError('unavailable', message, { artifact: key, damaged: true });
}

/** Whether an error is one of `damagedArtifact`. */
export function isDamaged(error: unknown): boolean {
  return isTidemarkError(error, 'unavailable') && error.details.damaged === true;
}

function overlap(one: ObjectRange | undefined, other: ObjectRange | undefined): boolean {
  if (one === undefined || other === undefined) return true;
  return one.start < other.start + other.length && other.start < one.start + one.length;
}
