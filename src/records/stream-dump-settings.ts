import { TidemarkError } from '../core/errors.ts';
import { parseCron } from '../lib/cron.ts';

/** Schedules of the dumps of a stream, or of the default stream of an organization, and how many dumps are kept. */
export interface DumpSettings {
  /** A CRON pattern, or `OFF`: only on request. Absent: as the source has it; of a named stream, only on request. */
  readonly full?: string | undefined;
  readonly delta?: string | undefined;
  /** Number of full dumps to keep, with the deltas after the oldest of them; absent: `USUAL_KEEP`. */
  readonly keep?: number | undefined;
  /** Time when the patterns were set, in milliseconds since 1970: earlier times that match them are ignored. */
  readonly since?: number | undefined;
}

/** Changes of the settings. An absent field stays as it is; null removes it. */
export interface DumpSettingChanges {
  readonly full?: string | null | undefined;
  readonly delta?: string | null | undefined;
  readonly keep?: number | null | undefined;
}

/** In place of a CRON pattern. */
export const OFF = 'off';

/**
 * With only one full dump, a client that has the previous one, and comes a day late, would no longer find the delta
 * that was made with the new one.
 */
export const USUAL_KEEP = 2;
export const MOST_KEPT = 1_000;
export const MOST_CRON = 100;

/** Applies changes to settings. Undefined when none are left. @throws TidemarkError `invalid` */
export function changedDumpSettings(
  before: DumpSettings | undefined,
  { full, delta, keep }: DumpSettingChanges,
): DumpSettings | undefined {
  const changed = {
    full: full === undefined ? before?.full : checkedCron(full, 'full'),
    delta: delta === undefined ? before?.delta : checkedCron(delta, 'delta'),
    keep: keep === undefined ? before?.keep : checkedKeep(keep),
  };
  const given = Object.entries(changed).filter(([, value]) => value !== undefined);
  if (given.length === 0) return undefined;
  const isScheduled = full !== undefined || delta !== undefined;
  const since = isScheduled ? Date.now() : before?.since;
  return { ...Object.fromEntries(given), ...(since !== undefined && { since }) };
}

function checkedCron(pattern: string | null, field: string): string | undefined {
  if (pattern === null || pattern === '') return undefined;
  if (pattern === OFF) return OFF;
  try {
    if (pattern.length > MOST_CRON) throw new Error(`it has more than ${MOST_CRON} characters`);
    parseCron(pattern, 'UTC');
  } catch (error) {
    const problem = (error as Error).message;
    const message = `${JSON.stringify(pattern.slice(0, MOST_CRON))} is neither a schedule for dumps nor off: ${problem}`;
    throw new TidemarkError('invalid', message, { field }, error);
  }
  return pattern;
}

function checkedKeep(keep: number | null): number | undefined {
  if (keep === null) return undefined;
  if (Number.isInteger(keep) && keep >= 1 && keep <= MOST_KEPT) return keep;
  throw new TidemarkError('invalid', `keep 1 to ${MOST_KEPT} full dumps, not ${keep}`, { field: 'keep' });
}
