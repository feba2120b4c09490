import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Archived } from '../backup/archive-log.ts';
import type { ArtifactReport, VerifyArtifactsOptions } from '../backup/verify/verify-artifacts.ts';
import type { Configuration } from '../config/configuration.ts';
import type { ListArchives } from '../publish/archives/list-archives.ts';
import type { Dumps } from '../publish/dumps/dumps.ts';
import type { VersionPruner } from '../publish/versions/version-pruner.ts';
import type { Versions } from '../publish/versions/versions.ts';
import type { ActivityRunner } from '../records/activities/runs/activity-runner.ts';
import type { ResumableUploads } from '../records/arrivals/resumable/resumable-uploads.ts';
import type { Uploads } from '../records/arrivals/uploads.ts';
import type { StreamDumps } from '../records/dumps/stream-dumps.ts';
import type { OrganizationRegistry } from '../records/organization-registry.ts';
import type { PartlyApplied } from '../records/processing/partly-applied.ts';
import type { UploadBacklog } from '../records/processing/upload-backlog.ts';
import type { UploadProcessor } from '../records/processing/upload-processor.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { OpenRuns } from './open-runs.ts';
import type { UploadEnds } from './upload-ends.ts';

/** The parts of the program that jobs use. */
export interface JobParts {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly activityRunner: Pick<ActivityRunner, 'run'>;
  readonly openRuns: Pick<OpenRuns, 'visit'>;
  readonly jobs: JobQueue;
  readonly dumps: Pick<Dumps, 'build' | 'removeUnused'>;
  readonly versions: Pick<Versions, 'removeOfRemovedSets'>;
  readonly versionPruner: Pick<VersionPruner, 'pruneOld'>;
  readonly listArchives: Pick<ListArchives, 'keep' | 'pruneOld' | 'removeUnused'>;
  readonly organizations: Pick<OrganizationRegistry, 'ensureSets' | 'list'>;
  readonly uploads: Pick<Uploads, 'get' | 'removeAbandoned'>;
  readonly uploadProcessor: Pick<UploadProcessor, 'process'>;
  readonly uploadEnds: Pick<UploadEnds, 'visit' | 'recordMissed'>;
  readonly uploadBacklog: Pick<UploadBacklog, 'visit'>;
  readonly partlyApplied: Pick<PartlyApplied, 'visit'>;
  readonly resumableUploads: Pick<ResumableUploads, 'tend'>;
  readonly streamDumps: Pick<StreamDumps, 'build' | 'removeUnused'>;
  /** Archives the log in a thread. */
  archive(signal: AbortSignal): Promise<Archived>;
  /** Compares stored artifacts with their digests. */
  verifyArtifacts(options: VerifyArtifactsOptions): Promise<ArtifactReport>;
}
