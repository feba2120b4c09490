import type { Upload } from '../arrivals/upload.ts';
import { UNPACK_LIMITS, type UnpackLimits } from '../packages/unpacking.ts';
import { setOfStream } from '../stream-set-names.ts';

/** What arrives at once, and is applied at its place in the order of its set. */
export interface Delivery {
  /** The slug of the set whose records it changes. */
  readonly set: string;
  /** The order of its events. */
  readonly number: number;
  /** Time when all of it was stored, in milliseconds since 1970. */
  readonly received: number;
  /**
   * What becomes of the records of the set that it does not mention. After a full run, they are deleted, but for those
   * that it saw and could not read.
   */
  readonly unmentioned: 'kept' | 'deleted';
  /** Whether it may delete any number of them: see drop.ts. */
  readonly acceptsDrop: boolean;
  /** Limits for unpacking each of its files. */
  readonly limits: UnpackLimits;
}

/** Each page that was harvested is a file of the package. */
const HARVEST_LIMITS: UnpackLimits = { ...UNPACK_LIMITS, entries: 1_000_000 };

/** An upload changes the records of its stream that it mentions, unless it is of a full run. */
export function deliveryOf(upload: Omit<Upload, 'files' | 'token'>): Delivery {
  const { number, received, set, unmentioned = 'kept', acceptsDrop = false } = upload;
  return {
    ...{ number, received, unmentioned, acceptsDrop },
    set: setOfStream(upload, 'records'),
    limits: set === undefined ? UNPACK_LIMITS : HARVEST_LIMITS,
  };
}
