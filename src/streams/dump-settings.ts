import { TidemarkError } from '../core/errors.ts';
import { parseCron } from '../lib/cron.ts';

/** When dumps of a stream, or of the default one of an organization, are made by themselves, and which are kept. */
export interface DumpSettings {
  /** A pattern of CRON; absent: when a person says so. */
  readonly full?: string | undefined;
  readonly delta?: string | undefined;
  /** Full dumps that are kept, with the deltas after the oldest of them; absent: `USUAL_KEEP`. */
  readonly keep?: number | undefined;
  /** When the patterns were set, in milliseconds since 1970: earlier times of them do not count. */
  readonly since?: number | undefined;
}

/** What is absent does not change; null removes it. */
export interface DumpSettingChanges {
  readonly full?: string | null | undefined;
  readonly delta?: string | null | undefined;
  readonly keep?: number | null | undefined;
}

/**
 * With one, a client that has the full dump before it, and comes a day late, would find the delta gone that was made
 * with the new one.
 */
export const USUAL_KEEP = 2;
export const MOST_KEPT = 1_000;
export const MOST_CRON = 100;

/** Undefined when none is left. @throws TidemarkError `invalid` */
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
  try {
    if (pattern.length > MOST_CRON) throw new Error(`it has more than ${MOST_CRON} characters`);
    parseCron(pattern, 'UTC');
  } catch (error) {
    const problem = (error as Error).message;
    const message = `${JSON.stringify(pattern.slice(0, MOST_CRON))} is no schedule for dumps: ${problem}`;
    throw new TidemarkError('invalid', message, { field }, error);
  }
  return pattern;
}

function checkedKeep(keep: number | null): number | undefined {
  if (keep === null) return undefined;
  if (Number.isInteger(keep) && keep >= 1 && keep <= MOST_KEPT) return keep;
  throw new TidemarkError('invalid', `keep 1 to ${MOST_KEPT} full dumps, not ${keep}`, { field: 'keep' });
}
