import type { Command } from 'commander';
import { DEFAULT_PAGE_ENTRIES, DEFAULT_WINDOW_CHANGES, MAX_ENTRIES } from '../domain/resource-set.ts';
import { collect, wholeNumber } from './options.ts';

/** What both `publish` and `sets add` can say of a new set. */
export interface NewSetOptions {
  readonly exclude?: readonly string[];
  readonly pageSize?: number;
  readonly windowSize?: number;
}

export function addNewSetOptions(command: Command): void {
  const size = wholeNumber(1, MAX_ENTRIES);
  command
    .option('--exclude <pattern>', 'leave out files, in the manner of .gitignore; may be given several times', collect)
    .option(
      '--page-size <number>',
      `most entries of a Resource List page (default: ${DEFAULT_PAGE_ENTRIES}); a set of more than 40,000 pages gets larger ones`,
      size,
    )
    .option(
      '--window-size <number>',
      `most changes of a Change List window (default: ${DEFAULT_WINDOW_CHANGES})`,
      size,
    );
}
