import type { Access } from '../../access/open-access.ts';
import type { Configuration } from '../../config/configuration.ts';
import type { Datasets } from '../../datasets/datasets.ts';
import type { Jobs } from '../../jobs/open-jobs.ts';
import type { SetRepositories } from '../../oai/open-repositories.ts';
import type { Postings } from '../../observe/audit/open-postings.ts';
import type { AppMetrics } from '../../observe/metrics/app-metrics.ts';
import type { Notifications } from '../../publish/notify/open-notifications.ts';
import type { Publishing } from '../../publish/open-publishing.ts';
import type { Records } from '../../records/open-records.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Sources } from '../../sources/open-source.ts';
import type { Scanners } from '../../sources/scanners/open-scanners.ts';
import type { ActivityMemory } from '../../stores/activity-memory.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { StoreGauge } from '../../stores/store-gauge.ts';

/** The scheduled backups of the store, for operators. */
export interface ServedBackup {
  readonly folder: string;
  /** The newest good one. */
  readonly last?: { readonly file: string; readonly made: string; readonly bytes: number } | undefined;
  /** Why the last attempt failed, unless one succeeded since. */
  readonly problem?: { readonly at: string; readonly error: string } | undefined;
}

/** The parts of the program that the server uses: what is stored, and a field for each feature. */
export interface ServedApp {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly gauge: StoreGauge;
  readonly sets: SetRegistry;
  readonly artifactHealth: {
    /** Why the artifact store cannot be used, for operators; undefined when it can. */
    problem(): Promise<string | undefined>;
  };
  /** Counts the changes of sets in each hour or day. */
  readonly activity: ActivityMemory;
  readonly metrics: AppMetrics;
  readonly access: Access;
  readonly backup: {
    /** Undefined when no backup is made by a schedule. */
    state(): Promise<ServedBackup | undefined>;
  };
  readonly datasets: Datasets;
  readonly jobs: Jobs;
  readonly notifications: Notifications;
  /** Sets of records as repositories of OAI-PMH. */
  readonly oai: SetRepositories;
  readonly postings: Postings;
  readonly publishing: Publishing;
  readonly records: Records;
  readonly sources: Sources;
  /** Who scans which set. */
  readonly scanners: Pick<Scanners, 'scanPaths' | 'scannersOf'>;
}
