import { parentPort, workerData } from 'node:worker_threads';
import { type SentError, sendError } from '../../lib/workers/questions.ts';
import type { RootProblem } from '../content-root.ts';
import { RelistSchedule } from './relist-schedule.ts';
import { RootIdentity } from './root-identity.ts';
import type { WalkedFolder } from './walk.ts';
import { WatchTree } from './watch-tree.ts';

export interface WatchedRoot extends WalkedFolder {
  /** Milliseconds after which everything is listed again, whatever was reported. */
  readonly scanInterval: number;
}

/** What the thread tells: once `ready` or `failed`, then changes and problems. */
export type WatchTold =
  | { readonly told: 'ready' }
  | { readonly told: 'failed'; readonly error: SentError }
  | { readonly told: 'changed'; readonly paths: readonly string[] }
  | ({ readonly told: 'problem' } & RootProblem);

/** How long changes are gathered before they are told, milliseconds: one save of an editor is several events. */
const GATHER = 20;
/** How often to look whether the root is still the same folder, milliseconds: nothing tells when a folder above it is moved. */
const LOOK = 1_000;

const { root, patterns, scanInterval } = workerData as WatchedRoot;
let changed = new Set<string>();

try {
  const identity = new RootIdentity(root);
  const tree = new WatchTree(root, patterns, {
    changed: gather,
    problem: (path, problem) => tell({ told: 'problem', path, problem }),
  });
  const schedule = new RelistSchedule(scanInterval);
  const looking = setInterval(() => {
    try {
      identity.check();
      if (schedule.isDue()) tree.startAnew();
    } catch (error) {
      clearInterval(looking);
      tree.close();
      tell({ told: 'problem', path: '', problem: sendError(error).message });
    }
  }, LOOK);
  tell({ told: 'ready' });
} catch (error) {
  tell({ told: 'failed', error: sendError(error) });
}

function gather(path: string): void {
  if (changed.size === 0) setTimeout(flush, GATHER);
  changed.add(path);
}

function flush(): void {
  tell({ told: 'changed', paths: [...changed] });
  changed = new Set();
}

function tell(told: WatchTold): void {
  parentPort!.postMessage(told);
}
