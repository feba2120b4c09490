import type { Command } from 'commander';
import type { DumpSettingChanges } from '../../../records/stream-dump-settings.ts';
import { MOST_KEPT } from '../../../records/stream-dump-settings.ts';
import { wholeNumber } from '../../options.ts';

export interface DumpOptions {
  readonly fullDump?: string;
  readonly delta?: string;
  readonly keepDumps?: number;
}

/**
 * Adds the options for dumps, of organizations (the records of their default streams) and of streams.
 * @param absent what an empty schedule means
 */
export function addDumpOptions(command: Command, absent: string): void {
  command
    .option('--full-dump <cron>', `when a full dump is made, such as '0 3 1 * *', or off; empty: ${absent}`)
    .option('--delta <cron>', `when a delta is made, such as '0 5 * * *', or off; empty: ${absent}`)
    .option('--keep-dumps <number>', 'full dumps that are kept, with the deltas after them', wholeNumber(1, MOST_KEPT));
}

/** The given values. An empty text removes a setting. The registry checks them. */
export function givenDumps({ fullDump, delta, keepDumps }: DumpOptions): { readonly dumps?: DumpSettingChanges } {
  const given = {
    ...(fullDump !== undefined && { full: fullDump || null }),
    ...(delta !== undefined && { delta: delta || null }),
    ...(keepDumps !== undefined && { keep: keepDumps }),
  };
  return Object.keys(given).length === 0 ? {} : { dumps: given };
}
