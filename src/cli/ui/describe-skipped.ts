import { formatCount } from '../../lib/format-count.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';

/**
 * Describes the entries that a scan skipped though no pattern excludes them, with the reason; undefined when there were
 * none.
 */
export function describeSkipped({ skipped }: Pick<SyncSummary, 'skipped'>): string | undefined {
  if (skipped === undefined) return undefined;
  const { links, special } = skipped;
  const parts = [
    ...(links > 0
      ? [`${count(links, 'symbolic link')} (to a folder, to something outside the root, or to nothing)`]
      : []),
    ...(special > 0 ? [`${count(special, 'special file')} (sockets, pipes or devices)`] : []),
  ];
  return `Skipped: ${parts.join(' and ')}.`;
}

function count(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
}
