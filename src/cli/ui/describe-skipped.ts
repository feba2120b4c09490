import type { SyncSummary } from '../../sources/sync-counter.ts';
import { plural } from './table.ts';

/**
 * Describes the entries that a scan skipped though no pattern excludes them, with the reason; undefined when there were
 * none.
 */
export function describeSkipped({ skipped }: Pick<SyncSummary, 'skipped'>): string | undefined {
  if (skipped === undefined) return undefined;
  const { links, special } = skipped;
  const parts = [
    ...(links > 0
      ? [`${plural(links, 'symbolic link')} (to a folder, to something outside the root, or to nothing)`]
      : []),
    ...(special > 0 ? [`${plural(special, 'special file')} (sockets, pipes or devices)`] : []),
  ];
  return `Skipped: ${parts.join(' and ')}.`;
}
