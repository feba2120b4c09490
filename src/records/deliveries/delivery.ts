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
  /** Limits for unpacking each of its files. */
  readonly limits: UnpackLimits;
}

/** An upload changes the records of its stream that it mentions. */
export function deliveryOf({ organization, stream, number, received }: Omit<Upload, 'files' | 'token'>): Delivery {
  const set = setOfStream({ organization, stream }, 'records');
  return { set, number, received, unmentioned: 'kept', limits: UNPACK_LIMITS };
}
