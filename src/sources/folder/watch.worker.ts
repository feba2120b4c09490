import { workerData } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { RootProblem } from '../content-root.ts';
import { RelistSchedule } from './relist-schedule.ts';
import { RootIdentity } from './root-identity.ts';
import type { WalkedFolder } from './walk.ts';
import { WatchTree } from './watch-tree.ts';

export interface WatchedRoot extends WalkedFolder {
  /** Milliseconds after which everything is listed again, whatever was reported. */
  readonly scanIntervalMs: number;
}

/** Changes and problems since the last call. */
interface Noticed {
  readonly paths: readonly string[];
  readonly problems: readonly RootProblem[];
}

/** Milliseconds for which changes are gathered before they are reported: one save of an editor is several events. */
const GATHER_MS = 20;
/**
 * Milliseconds between two checks whether the root is still the same folder: no event reports that a folder above it is
 * moved.
 */
const CHECK_INTERVAL_MS = 1_000;

const { root, patterns, scanIntervalMs } = workerData as WatchedRoot;
let changed = new Set<string>();
let problems: RootProblem[] = [];
let noticed = Promise.withResolvers<void>();

const functions = {
  /** Starts to watch. Returns the folders that cannot be watched from the start. */
  open(): readonly RootProblem[] {
    const identity = new RootIdentity(root);
    const tree = new WatchTree(root, patterns, {
      changed: gather,
      problem: (path, problem) => report({ path, problem }),
    });
    const schedule = new RelistSchedule(scanIntervalMs);
    const checking = setInterval(() => {
      try {
        identity.check();
        if (schedule.isDue()) tree.startAnew();
        else tree.checkExclusions();
      } catch (error) {
        clearInterval(checking);
        tree.close();
        report({ path: '', problem: error instanceof Error ? error.message : String(error) });
      }
    }, CHECK_INTERVAL_MS);
    return problems.splice(0);
  },

  /** Resolves when there is something to report. */
  async next(): Promise<Noticed> {
    await noticed.promise;
    const next = { paths: [...changed], problems };
    changed = new Set();
    problems = [];
    noticed = Promise.withResolvers();
    return next;
  },
};
export type WatchFunctions = typeof functions;

serveCalls(functions);

function gather(path: string): void {
  if (changed.size === 0) setTimeout(() => noticed.resolve(), GATHER_MS);
  changed.add(path);
}

function report(problem: RootProblem): void {
  problems.push(problem);
  noticed.resolve();
}
