import type { Configuration } from '../config/configuration.ts';
import { isTidemarkError } from '../core/errors.ts';
import type { Job } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { type KeptBackup, listBackups } from './backup-folder.ts';

const JOB_KIND = 'back-up-store';

/** The scheduled backups of a store in a file. */
interface BackupState {
  /** A pattern of CRON, or `off`. */
  readonly schedule: string;
  readonly folder: string;
  /** Number of good backups in the folder. */
  readonly kept: number;
  /** The newest good one. */
  readonly last?: KeptBackup | undefined;
  /** Why the last attempt failed, unless one succeeded since. */
  readonly problem?: { readonly at: string; readonly error: string } | undefined;
}

/**
 * Undefined without a schedule when no backup was ever made so, and for a store on Elasticsearch.
 * @throws TidemarkError `unavailable` when the store does not answer
 */
export async function readBackupState(
  { store, backupSchedule: schedule, backupFolder: folder }: Configuration,
  queue: Pick<JobQueue, 'list'>,
): Promise<BackupState | undefined> {
  if (store.kind !== 'sqlite') return undefined;
  const { backups, unreadable } = await readFolder(folder);
  const own = backups.filter((backup) => backup.store === store.file);
  const [job] = await queue.list({ kinds: [JOB_KIND], limit: 1 });
  if (schedule === 'off' && own.length === 0 && job === undefined) return undefined;
  const problem = unreadable ?? problemOf(job);
  return { schedule, folder, kept: own.length, last: own[0], ...(problem && { problem }) };
}

async function readFolder(folder: string) {
  try {
    return { backups: await listBackups(folder) };
  } catch (error) {
    if (!isTidemarkError(error)) throw error;
    return { backups: [], unreadable: { at: new Date().toISOString(), error: error.message } };
  }
}

function problemOf(job: Job | undefined): BackupState['problem'] {
  if (job?.error === undefined || job.state === 'done') return undefined;
  const at = new Date(job.finished ?? job.claim?.since ?? job.added).toISOString();
  return { at, error: job.error };
}
