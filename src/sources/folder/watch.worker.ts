import type { MessagePort } from 'node:worker_threads';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { RootProblem } from '../content-root.ts';
import { EventBursts } from './event-bursts.ts';
import { ClockGaps } from './relist-schedule.ts';
import { type WatchedFolder, WatchedRoot } from './watched-root.ts';

/** Changes and problems of a root since they were last reported. */
interface Noticed {
  readonly id: number;
  readonly paths: ReadonlySet<string>;
  readonly problems: readonly RootProblem[];
}

/** Milliseconds for which changes are gathered before they are reported: one save of an editor is several events. */
const GATHER_MS = 20;
/** Milliseconds between two checks of roots. */
const CHECK_INTERVAL_MS = 1_000;
/** Most roots that are checked at a time, which takes some milliseconds: of more roots, each is checked more rarely. */
const MOST_CHECKED = 1_000;

/** Those that were checked longest ago are first. */
const roots = new Map<number, WatchedRoot>();
const gaps = new ClockGaps();
const bursts = new EventBursts(() => {
  for (const root of roots.values()) root.startAnew();
});
let noticed = new Map<number, { readonly paths: Set<string>; readonly problems: RootProblem[] }>();
let wake = Promise.withResolvers<void>();
let gathering: NodeJS.Timeout | undefined;

const functions = {
  /** Gives the port at which this thread answers with what it notices: a call waits for that, and others must not. */
  connect(port: MessagePort): void {
    serveCalls(notices, undefined, port);
  },

  /** Starts to watch. Returns the folders that cannot be watched from the start. */
  open(id: number, folder: WatchedFolder): readonly RootProblem[] {
    const root = new WatchedRoot(folder, gaps, {
      event: () => bursts.event(),
      changed: (path) => gather(id, path),
      problem: (problem) => report(id, problem),
    });
    roots.set(id, root);
    gaps.worked();
    return noticed.get(id)?.problems.splice(0) ?? [];
  },

  close(id: number): void {
    roots.get(id)?.close();
    roots.delete(id);
    noticed.delete(id);
  },
};
export type WatchFunctions = typeof functions;

const notices = {
  /** Resolves when there is something to report. */
  async next(): Promise<readonly Noticed[]> {
    await wake.promise;
    const next = [...noticed].map(([id, each]) => ({ id, ...each }));
    noticed = new Map();
    wake = Promise.withResolvers();
    clearTimeout(gathering);
    gathering = undefined;
    return next;
  },
};
export type NoticeFunctions = typeof notices;

serveCalls(functions);
setInterval(check, CHECK_INTERVAL_MS);

function check(): void {
  gaps.tick();
  for (const [id, root] of [...roots].slice(0, MOST_CHECKED)) {
    roots.delete(id);
    if (root.check()) roots.set(id, root);
  }
  gaps.worked();
}

function noticedOf(id: number) {
  const found = noticed.get(id) ?? { paths: new Set(), problems: [] };
  noticed.set(id, found);
  return found;
}

function gather(id: number, path: string): void {
  gathering ??= setTimeout(() => wake.resolve(), GATHER_MS);
  noticedOf(id).paths.add(path);
}

function report(id: number, problem: RootProblem): void {
  noticedOf(id).problems.push(problem);
  wake.resolve();
}
