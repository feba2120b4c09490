import type { Sessions } from '../../access/sessions.ts';
import type { TokenRegistry } from '../../access/token-registry.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Posting } from '../../ingest/posting.ts';
import type { Sender } from '../../observe/audit/posting-entry.ts';
import type { PostingLog } from '../../observe/audit/posting-log.ts';
import type { AppMetrics } from '../../observe/metrics/app-metrics.ts';
import type { ListArchives } from '../../publish/archives/list-archives.ts';
import type { DocumentPublisher } from '../../publish/document-publisher.ts';
import type { Dumps } from '../../publish/dumps/dumps.ts';
import type { ChangeFeeds } from '../../publish/notify/change-feeds.ts';
import type { Subscriptions } from '../../publish/notify/subscriptions.ts';
import type { Versions } from '../../publish/versions/versions.ts';
import type { ActivityRuns } from '../../records/activities/runs/activity-runs.ts';
import type { ResumableUploads } from '../../records/arrivals/resumable/resumable-uploads.ts';
import type { Upload } from '../../records/arrivals/upload.ts';
import type { UploadState } from '../../records/arrivals/upload-state.ts';
import type { Uploads } from '../../records/arrivals/uploads.ts';
import type { DumpKind } from '../../records/dumps/stored-dump.ts';
import type { StreamDumps } from '../../records/dumps/stream-dumps.ts';
import type { OrganizationRegistry } from '../../records/organization-registry.ts';
import type { StreamName } from '../../records/set-names.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Records } from '../../sources/records/artifact/records.ts';
import type { ServedSource } from '../../sources/served-source.ts';
import type { SourceProblem } from '../../sources/source.ts';
import type { ActivityMemory } from '../../stores/activity-memory.ts';
import type { Job } from '../../stores/job.ts';
import type { JobQueue } from '../../stores/job-queue.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { StoreGauge } from '../../stores/store-gauge.ts';

/** The next time at which a job of a kind is added. */
export interface NextJob {
  readonly kind: string;
  /** The set that it works on, if there is one for each. */
  readonly set?: string | undefined;
  readonly schedule: string;
  /** Milliseconds since 1970. */
  readonly next: number;
}

/** Jobs of one kind, each for a set. */
interface SetJobs {
  /** Adds one, or returns the one that is waiting. @throws TidemarkError `invalid` when the set can have none */
  add(set: ResourceSet): Promise<Job>;
  /** The newest job of the set, if it is among the last hundreds of jobs of all sets. */
  latest(set: ResourceSet): Promise<Job | undefined>;
}

/** Jobs that make dumps of streams. */
export interface StreamDumpJobs {
  /** The jobs that wait or run. */
  open(name: StreamName): Promise<readonly Job[]>;
  /** Adds one, or returns the one that is waiting. */
  add(dump: StreamName & { readonly kind: DumpKind }): Promise<Job>;
}

/** The parts of the program that the server uses. */
export interface ServedApp {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly gauge: StoreGauge;
  readonly sets: SetRegistry;
  readonly jobs: Pick<JobQueue, 'list' | 'get' | 'log' | 'counts' | 'retry'>;
  /** @throws TidemarkError `not-found`; `conflict` when it has ended, or has published a part of an upload */
  cancelJob(name: string): Promise<Job>;
  /** The next times at which jobs are added, the soonest first. */
  nextJobs(): Promise<readonly NextJob[]>;
  readonly organizations: OrganizationRegistry;
  readonly uploads: Uploads;
  readonly resumableUploads: Pick<ResumableUploads, 'begin' | 'unfinished' | 'status' | 'receive' | 'remove'>;
  readonly streamDumps: Pick<StreamDumps, 'list'>;
  /** Jobs that make dumps of records of streams. */
  readonly streamDumpJobs: StreamDumpJobs;
  /** Processes a failed upload again. @throws TidemarkError `conflict` when it has not failed */
  retryUpload(upload: Upload): Promise<UploadState>;
  /** Runs of activities. */
  readonly activityRuns: ActivityRuns;
  readonly tokens: TokenRegistry;
  readonly sessions: Sessions;
  readonly records: Pick<Records, 'cursorOf'>;
  readonly publisher: DocumentPublisher;
  /** The feeds of the changes of sets. */
  readonly feeds: Pick<ChangeFeeds, 'follow'>;
  readonly dumps: Pick<Dumps, 'known' | 'changes' | 'open' | 'readManifest' | 'remove'>;
  /** Jobs that build Resource Dumps. */
  readonly dumpJobs: SetJobs;
  /** Jobs that keep Resource Lists in archives. */
  readonly listJobs: SetJobs;
  readonly versions: Pick<Versions, 'among' | 'at' | 'nearest' | 'list' | 'open'>;
  readonly listArchives: Pick<ListArchives, 'archiveOf'>;
  readonly subscriptions: Subscriptions;
  readonly postingLog: Pick<PostingLog, 'read'>;
  /**
   * Opens a posting of a sender to a set, measured and logged.
   * @param work posts events by the posting that it receives
   * @throws TidemarkError as openPosting does, and what the work throws
   */
  receive(
    from: { readonly set: ResourceSet; readonly sender: Sender },
    work: (posting: Posting) => Promise<void>,
  ): Promise<void>;
  /** Counts the changes of sets in each hour or day. */
  readonly activity: ActivityMemory;
  readonly metrics: AppMetrics;
  readonly artifactHealth: {
    /** Why the artifact store cannot be used, for operators; undefined when it can. */
    problem(): Promise<string | undefined>;
  };
  /**
   * Scans paths that a notification reports as changed. Resolves with their problems.
   * @throws TidemarkError `not-ready` when that takes too long: it is done later; `unavailable` when the root or the
   *   store does not answer
   */
  scanPaths(set: ResourceSet, paths: readonly string[]): Promise<readonly SourceProblem[]>;
  /** The source of the bytes of a set; undefined when others serve them. */
  servedSourceOf(set: ResourceSet): ServedSource | undefined;
}
