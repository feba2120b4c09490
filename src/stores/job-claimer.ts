import { isDeepStrictEqual } from 'node:util';
import { claimed, expired, type Job, jobKey, jobName, MOST_DEATHS, type Worker } from './job.ts';
import type { JobRecords, OpenJobs, StoredJob } from './job-records.ts';
import { LeaseWatch } from './lease-watch.ts';
import { OwnedJob } from './owned-job.ts';

/** Jobs that are read at once, to be claimed one after the other. */
const BATCH = 50;
/** Most jobs that are read to find one whose key is free. */
const MOST_READ = 3_200;
/** Most shares that are remembered to have had their turn: a query of the store names each. */
const MOST_SERVED = 200;
/** Milliseconds for which a batch is used, oldest job first: other jobs may become due meanwhile. */
const BATCH_MS = 1_000;

export interface ClaimerOptions {
  readonly kinds: readonly string[];
  /** Kinds that may have thousands of queued jobs. Jobs of other kinds are claimed alternately with them. */
  readonly numerousKinds?: readonly string[];
  readonly worker: Worker;
  /** For tests. */
  readonly mostDeaths?: number;
  /** See JobDefinition: the beginning of the names of a share. */
  shareOf?(job: Job): string | undefined;
  /** The shares of which no further job may run in this process. */
  fullShares?(): readonly string[];
}

/**
 * Claims jobs for the workers of a process. Each read of the store returns the running jobs, too, so that jobs of dead
 * workers are found.
 */
export class JobClaimer {
  readonly #records: JobRecords;
  readonly #options: ClaimerOptions;
  readonly #onEnd: (job: Job) => Promise<void>;
  readonly #watch = new LeaseWatch();
  /** Jobs of ended leases, until it is known whether their new state was stored. */
  readonly #taking = new Set<Job>();
  #batch: StoredJob[] = [];
  #read = Number.NEGATIVE_INFINITY;
  /** Whether more jobs were due than the last read returned. */
  #areMany = false;
  /** Whether the last claimed job is of a numerous kind. */
  #wasNumerous = false;
  /** Shares that had their turn: a job of each other one that has any comes first. */
  #served = new Set<string>();

  /** @param onEnd called with a job when an attempt, or the lease of one, has ended */
  constructor(records: JobRecords, options: ClaimerOptions, onEnd: (job: Job) => Promise<void>) {
    this.#records = records;
    this.#options = options;
    this.#onEnd = onEnd;
  }

  /**
   * Claims the due job that was added first. After a job of a numerous kind, that is the first one of another kind, if
   * there is any; and the shares alternate. Returns undefined when no job is due.
   */
  async claim(): Promise<OwnedJob | undefined> {
    for (;;) {
      const isOld = performance.now() - this.#read > BATCH_MS;
      if (isOld || this.#batch.length === 0) await this.watch();
      const candidate = this.#batch.shift();
      if (candidate === undefined) return undefined;
      const owned = await this.#tryClaim(candidate);
      if (owned !== undefined) return owned;
    }
  }

  /**
   * Queues jobs again whose workers sent no heartbeat during their lease, and returns their new state. Call it at least
   * three times in a lease; a call of `claim` that returned undefined counts.
   */
  async watch(): Promise<readonly Job[]> {
    const { mostDeaths = MOST_DEATHS } = this.#options;
    let open: OpenJobs;
    for (let limit = BATCH; ; limit *= 8) {
      open = await this.#open(limit);
      this.#read = performance.now();
      this.#batch = candidatesOf(open);
      // The first due jobs may all have keys of which a job is running.
      if (this.#batch.length > 0 || open.due.length < limit || limit >= MOST_READ) break;
    }
    const taken: Job[] = [];
    for (const job of this.#taking) if (await this.#isTaken(job)) taken.push(job);
    const leases = open.running.map(({ job, version }) => ({
      name: jobName(job),
      version,
      leaseMs: job.claim!.leaseMs,
    }));
    const ended = this.#watch.expired(leases);
    for (const { job, version } of open.running) {
      if (!ended.has(jobName(job))) continue;
      const next = expired(job, mostDeaths, Date.now());
      this.#taking.add(next);
      if (await this.#isTaken(next, await this.#records.replace(next, version))) taken.push(next);
    }
    return taken;
  }

  /** Whether the new state was stored. Without a version, it may have been, and the response was lost. */
  async #isTaken(job: Job, version?: string): Promise<boolean> {
    const isStored = version !== undefined || isDeepStrictEqual((await this.#records.get(jobName(job)))?.job, job);
    this.#taking.delete(job);
    if (isStored) await this.#onEnd(job);
    return isStored;
  }

  /** One read is enough unless more jobs are due: each costs some requests on Elasticsearch. */
  async #open(limit: number): Promise<OpenJobs> {
    const { kinds, fullShares } = this.#options;
    const full = fullShares?.() ?? [];
    if (!this.#areMany) {
      const all = await this.#records.open(kinds, { now: Date.now(), limit, except: full });
      if (all.due.length < limit) return { ...all, due: this.#inTurn(all.due) };
    }
    const open = await this.#openInTurn(limit, full);
    this.#areMany = open.due.length >= limit;
    return { ...open, due: await this.#othersFirst(open.due) };
  }

  /** Leaves out the jobs of shares that had their turn, as long as there is one whose turn it is. */
  async #openInTurn(limit: number, full: readonly string[]): Promise<OpenJobs> {
    const { kinds } = this.#options;
    const except = [...new Set([...full, ...this.#served])];
    const open = await this.#records.open(kinds, { now: Date.now(), limit, except });
    if (except.length === full.length || open.due.some(({ job }) => this.#shareOf(job) !== undefined)) return open;
    this.#served.clear();
    return this.#records.open(kinds, { now: Date.now(), limit, except: full });
  }

  /** As `#openInTurn` and `#othersFirst`, of all due jobs. */
  #inTurn(due: readonly StoredJob[]): readonly StoredJob[] {
    const isServed = ({ job }: StoredJob) => this.#served.has(this.#shareOf(job) ?? '');
    const next = due.filter((stored) => !isServed(stored));
    const hasShare = next.some(({ job }) => this.#shareOf(job) !== undefined);
    if (!hasShare) this.#served.clear();
    const ordered = hasShare ? next : due;
    if (!this.#wasNumerous) return ordered;
    const others = due.filter(({ job }) => !this.#isNumerous(job.kind));
    return [...others, ...ordered.filter((stored) => !others.includes(stored))];
  }

  #shareOf(job: Job): string | undefined {
    return this.#options.shareOf?.(job);
  }

  #serve(share: string): void {
    if (this.#served.size >= MOST_SERVED) this.#served.clear();
    this.#served.add(share);
    this.#batch = this.#batch.filter(({ job }) => this.#shareOf(job) !== share);
  }

  async #othersFirst(due: readonly StoredJob[]): Promise<readonly StoredJob[]> {
    if (!this.#wasNumerous || due.length === 0) return due;
    const others = this.#options.kinds.filter((kind) => !this.#isNumerous(kind));
    if (others.length === 0) return due;
    // It may not be in the batch: there may be thousands of jobs before it.
    const first = (await this.#records.open(others, { now: Date.now(), limit: BATCH })).due;
    const names = new Set(first.map(({ job }) => jobName(job)));
    return [...first, ...due.filter(({ job }) => !names.has(jobName(job)))];
  }

  #alternate(wasNumerous: boolean): void {
    // The batch is sorted for the other case.
    if (wasNumerous !== this.#wasNumerous) this.#batch = [];
    this.#wasNumerous = wasNumerous;
  }

  #isNumerous(kind: string): boolean {
    return this.#options.numerousKinds?.includes(kind) ?? false;
  }

  async #tryClaim(candidate: StoredJob): Promise<OwnedJob | undefined> {
    const job = claimed(candidate.job, this.#options.worker, Date.now());
    const version = await this.#records.replace(job, candidate.version);
    if (version === undefined) {
      // Another worker is claiming the same jobs in the same order: continue in a random order.
      shuffle(this.#batch);
      return undefined;
    }
    const owned = new OwnedJob(this.#records, { job, version }, this.#onEnd);
    if (await this.#isAlone(job)) {
      this.#alternate(this.#isNumerous(job.kind));
      const share = this.#shareOf(job);
      if (share !== undefined) this.#serve(share);
      return owned;
    }
    await owned.finish({ state: 'given-back' });
    return undefined;
  }

  /** If two workers claim jobs with the same key concurrently, at least one of them sees the other's claim. */
  async #isAlone(job: Job): Promise<boolean> {
    const key = jobKey(job);
    if (key === undefined) return true;
    const { running } = await this.#records.open([job.kind], { now: 0, limit: 0 });
    return running.every((other) => jobKey(other.job) !== key || other.job.id === job.id);
  }
}

/** Due jobs: none with a key of which a job is running, and one for each key. */
function candidatesOf({ due, running }: OpenJobs): StoredJob[] {
  const keys = new Set(running.map(({ job }) => jobKey(job)));
  return due.filter(({ job }) => {
    const key = jobKey(job);
    if (key === undefined) return true;
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

function shuffle(jobs: StoredJob[]): void {
  for (let at = jobs.length - 1; at > 0; at--) {
    const other = Math.floor(Math.random() * (at + 1));
    [jobs[at], jobs[other]] = [jobs[other]!, jobs[at]!];
  }
}
