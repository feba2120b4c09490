import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import { printableLine } from './printable.ts';
import type { ScanBar } from './scan-bar.ts';
import type { Terminal } from './terminal.ts';

const MOST_PROBLEMS = 10;

/** Prints what happens to a set's source, for a person. */
export function printSyncEvents(terminal: Terminal, set: ResourceSet, bar: ScanBar | undefined): SyncEvents {
  const { slug } = set;
  return {
    onProgress: (progress) => bar?.update(progress),
    onScanned({ problems, problemCount }, extent) {
      if (extent === 'full') bar?.end();
      for (const { path, problem } of problems.slice(0, MOST_PROBLEMS))
        terminal.say(printableLine(`Not published: ${path}: ${problem}`));
      if (problemCount > MOST_PROBLEMS)
        terminal.say(`… and ${formatCount(problemCount - MOST_PROBLEMS)} more like that`);
    },
    onProblem: ({ path, problem }) => terminal.say(printableLine(`Not watched: ${path}: ${problem}`)),
    onTrouble: ({ message }) => terminal.say(`Trouble with ${slug}: ${message}. Nothing is deleted; trying again`),
    onRecovered: () => terminal.say(`${traitsOf(set.origin).source} is available again, and was scanned`),
  };
}
