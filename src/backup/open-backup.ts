import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { archiveInThread, backUpInThread } from './archive-task.ts';
import { readBackupState } from './backup-state.ts';
import type { Archived } from './log-archive.ts';
import type { MadeBackup } from './scheduled-backup.ts';
import type { ArtifactChecks } from './verify/artifact-checks.ts';
import { type VerifyArtifactsOptions, verifyArtifacts } from './verify/check-artifacts.ts';

type Archive = (signal: AbortSignal) => Promise<Archived>;
type BackUp = (signal: AbortSignal) => Promise<MadeBackup>;

interface BackupParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  /** One that also reads what is known to be damaged. */
  readonly artifacts: ArtifactStore;
  readonly checks: ArtifactChecks;
  /** Wraps archiving, to measure it. */
  aroundArchive(archive: Archive): Archive;
  /** The same for backups. */
  aroundBackup(backUp: BackUp): BackUp;
  readonly queue: Pick<JobQueue, 'list'>;
}

/** Archives the log, makes backups, and compares what is stored with its digests. */
export interface Backup extends ReturnType<typeof openBackup> {}

export function openBackup({ configuration, aroundArchive, aroundBackup, queue, ...stored }: BackupParts) {
  const { verifyArtifactsDays: days, verifyArtifactsRate: bytesPerSecond } = configuration;
  return {
    /** Archives the log in a thread. */
    archive: aroundArchive((signal) => archiveInThread(configuration, signal)),
    /** Makes a backup of the store in a thread. */
    backUp: aroundBackup((signal) => backUpInThread(configuration, signal)),
    /** The state of scheduled backups; undefined when there are none. */
    state: () => readBackupState(configuration, queue),
    /** Compares stored artifacts with their digests. */
    verifyArtifacts: (options: VerifyArtifactsOptions) =>
      verifyArtifacts({ days, bytesPerSecond, ...options, ...stored }),
  };
}
