import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { Configuration } from '../config/configuration.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import { archiveInThread } from './archive-task.ts';
import type { Archived } from './log-archive.ts';
import type { ArtifactChecks } from './verify/artifact-checks.ts';
import { type VerifyArtifactsOptions, verifyArtifacts } from './verify/check-artifacts.ts';

type Archive = (signal: AbortSignal) => Promise<Archived>;

interface BackupParts {
  readonly configuration: Configuration;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  /** One that also reads what is known to be damaged. */
  readonly artifacts: ArtifactStore;
  readonly checks: ArtifactChecks;
  /** Wraps archiving, to measure it. */
  aroundArchive(archive: Archive): Archive;
}

/** Archives the log, and compares what is stored with its digests. */
export interface Backup extends ReturnType<typeof openBackup> {}

export function openBackup({ configuration, aroundArchive, ...stored }: BackupParts) {
  const { verifyArtifactsDays: days, verifyArtifactsRate: bytesPerSecond } = configuration;
  return {
    /** Archives the log in a thread. */
    archive: aroundArchive((signal) => archiveInThread(configuration, signal)),
    /** Compares stored artifacts with their digests. */
    verifyArtifacts: (options: VerifyArtifactsOptions) =>
      verifyArtifacts({ days, bytesPerSecond, ...options, ...stored }),
  };
}
