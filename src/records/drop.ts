/**
 * Limits for how many fewer records than before a run of an activity may have, or a full run of a harvest leave. Shares
 * from 0 to 1.
 */
export interface DropLimits {
  /** A larger share stops the run before anything is published. */
  readonly stop: number;
  /** A larger share gives a warning. */
  readonly warn: number;
}

export type DropVerdict = 'fine' | 'warn' | 'stop';

/** The part of the former records that is missing, from 0 to 1; 0 when there are as many or more. */
export function dropOf(previous: number, written: number): number {
  return previous <= 0 ? 0 : Math.max(0, (previous - written) / previous);
}

export function judgeDrop(drop: number, { stop, warn }: DropLimits): DropVerdict {
  if (drop > stop) return 'stop';
  return drop > warn ? 'warn' : 'fine';
}
