import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Backup } from '../backup/open-backup.ts';
import type { Configuration } from '../config/configuration.ts';
import type { OpenDatasets } from '../datasets/open-datasets.ts';
import type { Nsdl } from '../nsdl/nsdl.ts';
import type { Publishing } from '../publish/open-publishing.ts';
import type { Records } from '../records/open-records.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import type { OpenHarvests } from './open-harvests.ts';
import type { OpenRequests } from './open-requests.ts';
import type { OpenRuns } from './open-runs.ts';
import type { UploadEnds } from './upload-ends.ts';

/** The parts of the program that jobs use: what is stored, and a field for each feature. */
export interface JobParts {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly backup: Backup;
  readonly jobs: {
    readonly queue: JobQueue;
    readonly uploadEnds: UploadEnds;
    readonly openRuns: OpenRuns;
    readonly openHarvests: OpenHarvests;
    readonly openRequests: OpenRequests;
  };
  readonly publishing: Publishing;
  readonly records: Records;
  readonly datasets: OpenDatasets;
  /** With the setting of its folder. */
  readonly nsdl?: Nsdl | undefined;
}
