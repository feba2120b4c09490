import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatCount } from '../../lib/format-count.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import { describeHidden } from './describe-hidden.ts';
import { describeSkipped } from './describe-skipped.ts';
import { printableLine } from './printable.ts';
import type { ScanBar } from './scan-bar.ts';
import type { Terminal } from './terminal.ts';

const MOST_PROBLEMS = 10;
/** Most paths that are reported before the next full scan. */
const MOST_SAID = 10_000;
const SKIPPED = 'it is not a file: a link to a folder, out of the root or to nothing, or a socket, a pipe or a device';

/** Prints the sync events of a set, for users. */
export function printSyncEvents(terminal: Terminal, set: ResourceSet, bar: ScanBar | undefined): SyncEvents {
  const { slug } = set;
  let notices: readonly (string | undefined)[] = [];
  /**
   * What was reported about a path since the last full scan: a file that is written again and again is reported once.
   */
  const said = new Map<string, string>();
  const sayOnce = (path: string, problem: string) => {
    if (said.get(path) === problem || said.size >= MOST_SAID) return;
    said.set(path, problem);
    terminal.say(printableLine(`Not published: ${path}: ${problem}`));
  };
  return {
    onProgress: (progress) => bar?.update(progress),
    onScanned(summary, extent) {
      const { problems, problemCount } = summary;
      if (extent === 'full') {
        said.clear();
        bar?.end();
        const hidden = summary.hidden && printableLine(describeHidden(set, summary.hidden));
        const texts = [describeSkipped(summary), hidden];
        for (const text of texts) if (text !== undefined && !notices.includes(text)) terminal.say(text);
        // The same text is not repeated after each scan.
        notices = texts;
      }
      for (const { path, problem } of problems.slice(0, MOST_PROBLEMS)) sayOnce(path, problem);
      for (const path of (summary.skippedPaths ?? []).slice(0, MOST_PROBLEMS)) sayOnce(path, SKIPPED);
      if (problemCount > MOST_PROBLEMS)
        terminal.say(`… and ${formatCount(problemCount - MOST_PROBLEMS)} more like that`);
    },
    onProblem: ({ path, problem }) => terminal.say(printableLine(`Not watched: ${path}: ${problem}`)),
    onTrouble: ({ message }) => terminal.say(`Trouble with ${slug}: ${message}. Nothing is deleted; trying again`),
    onRecovered: () => terminal.say(`${slug} is in sync with ${traitsOf(set.origin).source} again`),
  };
}
