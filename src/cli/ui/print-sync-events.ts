import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import { printableLine } from './printable.ts';
import type { ScanBar } from './scan-bar.ts';
import { formatCount } from './table.ts';
import type { Terminal } from './terminal.ts';

const TOLD_PROBLEMS = 10;

/** Tells a person what happens to a set's root. */
export function printSyncEvents(terminal: Terminal, set: ResourceSet, bar: ScanBar | undefined): SyncEvents {
  const { slug } = set;
  return {
    onProgress: (progress) => bar?.update(progress),
    onScanned({ problems, problemCount }, extent) {
      if (extent === 'full') bar?.end();
      for (const { path, problem } of problems.slice(0, TOLD_PROBLEMS))
        terminal.tell(printableLine(`Not published: ${path}: ${problem}`));
      if (problemCount > TOLD_PROBLEMS)
        terminal.tell(`… and ${formatCount(problemCount - TOLD_PROBLEMS)} more like that`);
    },
    onProblem: ({ path, problem }) => terminal.tell(printableLine(`Not watched: ${path}: ${problem}`)),
    onTrouble: ({ message }) => terminal.tell(`Trouble with ${slug}: ${message}. Nothing is deleted; trying again`),
    onRecovered: () => terminal.tell(`${traitsOf(set.origin).source} is there again, and was scanned`),
  };
}
