import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import type { Configuration } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import type { Source, SourceProblem } from '../source.ts';
import { PathScans } from '../sync/path-scans.ts';
import type { SyncPoster } from '../sync/sync.ts';
import { ownProcess } from './own-process.ts';
import { passPaths, pathsOf, removePassed } from './passed-paths.ts';
import { ScannerLease } from './scanner-lease.ts';
import { isUnread, ownerOf } from './scanner-state.ts';
import { ScannersFollower } from './scanners-follower.ts';
import { SetGrant } from './set-grant.ts';

interface ScannersParts {
  readonly updater: EventPoster;
  readonly configuration: Pick<Configuration, 'jobLeaseMs' | 'dataFolder' | 'port' | 'ownPort'>;
  readonly catalog: Catalog;
  readonly sets: { list(): Promise<readonly ResourceSet[]> };
  sourceOf(set: ResourceSet): Source;
  /** Posts to a set, and adds the links of its rules. */
  posterOf(set: ResourceSet): SyncPoster;
}

/** So that a server that died is replaced within the lease of jobs: first it is noticed, then the others agree. */
const SHARE_OF_JOB_LEASE = 0.5;
/** Milliseconds between two polls of a command that waits for a set. */
const COMMAND_POLL_MS = 500;

/** The processes that scan sets, and the part of this one. */
export interface Scanners extends ReturnType<typeof openScanners> {}

/** Who scans a set, for operators. */
export interface SetScanner {
  /** Host and process id; undefined while no process scans it. */
  readonly name: string | undefined;
  /** Whether no process can read its root. */
  readonly isUnread: boolean;
}

interface ScannedPaths {
  readonly problems: readonly SourceProblem[];
  /** The process that will scan them; absent when this one has. */
  readonly passedTo?: string;
}

export function openScanners({ configuration, catalog, sets: registry, updater, sourceOf, posterOf }: ScannersParts) {
  const { jobLeaseMs, dataFolder, port, ownPort } = configuration;
  const follower = new ScannersFollower(catalog);
  const leaseMs = jobLeaseMs * SHARE_OF_JOB_LEASE;
  const seat = `${hostname()} ${dataFolder} ${ownPort ?? port}`;
  const openLease = () => new ScannerLease({ catalog, follower, leaseMs, seat, process: ownProcess() });
  const lease = openLease();
  const grants = new Map<SetId, SetGrant>();
  const pathScans = new PathScans((set) => ({
    ...{ set, source: sourceOf(set) },
    updater: grants.get(set.id) ?? notScanned(set),
  }));
  const scanning = new Set<SetId>();

  /** Lets this process post what scans of the set find. The caller ends the grant. */
  function grant(set: ResourceSet): SetGrant {
    const made = new SetGrant(set, {
      ...{ poster: posterOf(set), updater, lease },
      onEnd: () => grants.get(set.id) === made && grants.delete(set.id),
    });
    grants.set(set.id, made);
    return made;
  }

  return {
    lease,
    leaseMs,
    grant,

    /** Who scans the sets with a source, as of at most a second ago. @throws TidemarkError `unavailable` */
    async scannersOf(sets: readonly ResourceSet[]): Promise<ReadonlyMap<SetId, SetScanner>> {
      const state = await follower.recent();
      const scanned = sets.filter(({ origin }) => traitsOf(origin).source !== undefined);
      return new Map(
        scanned.map(({ id }) => [id, { name: ownerOf(id, state)?.name, isUnread: isUnread(id, state) }] as const),
      );
    },

    /** How many sets this process scans, and how many with a source no process can read. @throws `unavailable` */
    async figures(): Promise<{ readonly own: number; readonly unread: number }> {
      const [state, sets] = await Promise.all([follower.recent(), registry.list()]);
      const unread = sets.filter(({ id, origin }) => traitsOf(origin).source !== undefined && isUnread(id, state));
      return { own: grants.size, unread: unread.length };
    },

    /**
     * Scans paths that a notification reports as changed, or stores them for the process that scans the set.
     * @throws TidemarkError `not-ready` when that takes too long: it is done later; `unavailable` when the root or the
     *   store does not answer, or no process scans the set
     */
    async scanPaths(set: ResourceSet, paths: readonly string[]): Promise<ScannedPaths> {
      if (grants.has(set.id)) return { problems: await pathScans.scan(set, paths) };
      await follower.load();
      const owner = ownerOf(set.id, follower.state);
      if (owner === undefined) notScanned(set);
      if (paths.length > 0) await passPaths(catalog, set.id, paths);
      return { problems: [], passedTo: owner.name };
    },

    /**
     * Scans, if this process has the set, what other servers were notified of. Returns the problems.
     * @throws TidemarkError as `scanPaths`; then the paths stay stored
     */
    async scanPassed(set: ResourceSet): Promise<readonly SourceProblem[]> {
      const passed = follower.passed.get(set.id);
      if (passed === undefined || !grants.has(set.id) || scanning.has(set.id)) return [];
      scanning.add(set.id);
      try {
        const problems = await pathScans.scan(set, pathsOf(passed));
        await removePassed(catalog, set.id, passed);
        return problems;
      } finally {
        scanning.delete(set.id);
      }
    },

    /** The sets with paths that other servers were notified of. */
    get passedSets(): readonly SetId[] {
      return [...follower.passed.keys()];
    },

    /**
     * Waits until no other process scans a set, and lets a command do so until `work` has ended.
     * @param onWait called when that is not at once, with the name of the other process
     */
    async borrow<Result>(set: ResourceSet, { work, onWait, signal }: Borrowing<Result>): Promise<Result> {
      const lease = openLease();
      await lease.join({ wants: [set.id], isCommand: true });
      const own = new SetGrant(set, { poster: posterOf(set), updater, lease });
      const ended = new AbortController();
      let polling: Promise<void> | undefined;
      try {
        for (let waited = false; !lease.owns(set.id) || !lease.isSettled; waited = true) {
          if (!waited) onWait(ownerOf(set.id, lease.state)?.name);
          await wait(Math.min(COMMAND_POLL_MS, leaseMs / 4), undefined, { signal }).catch(() => {});
          signal?.throwIfAborted();
          await lease.poll();
        }
        polling = keepPolling({ lease, grant: own, intervalMs: leaseMs / 4 }, ended.signal);
        return await work(own);
      } finally {
        ended.abort();
        await polling;
        await own.end();
        await lease.leave({ isWhole: false });
      }
    },
  };
}

interface Borrowing<Result> {
  work(poster: SyncPoster): Promise<Result>;
  onWait(name: string | undefined): void;
  readonly signal?: AbortSignal | undefined;
}

/** Sends heartbeats until the signal. Ends the grant when other processes have removed this one. */
async function keepPolling({ lease, grant, intervalMs }: Borrowed, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && lease.isMember) {
    await wait(intervalMs, undefined, { signal }).catch(() => {});
    // A store that does not answer is reported by what is posted.
    if (!signal.aborted) await lease.poll().catch(() => {});
  }
  if (!signal.aborted) await grant.end();
}

interface Borrowed {
  readonly lease: ScannerLease;
  readonly grant: SetGrant;
  readonly intervalMs: number;
}

function notScanned({ slug }: ResourceSet): never {
  throw new TidemarkError(
    'unavailable',
    `no server scans the set ${slug} now: start "tidemark serve" without --no-sources, or try again in some seconds`,
    { set: slug },
  );
}
