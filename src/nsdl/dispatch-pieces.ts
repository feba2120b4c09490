import { stat } from 'node:fs/promises';
import type { NewJob } from '../stores/job.ts';
import type { JobQueue } from '../stores/job-queue.ts';
import { ifThere, type NsdlFolders } from './folders.ts';
import { parsePieceName } from './piece.ts';

/** The kind of the jobs that ingest pieces, one for each. */
export const INGEST_PIECE = 'ingest-piece';
/** Minutes until the next dispatch, which queues the rest. */
const MINUTES = 10;
const MINUTE_MS = 60_000;

interface Dispatch {
  readonly queue: Pick<JobQueue, 'addAll'>;
  /** Jobs that begin in a minute, at most. */
  readonly perMinute: number;
}

/** Queues a job for each ready piece, at most as many as may begin until the next dispatch. Returns their number. */
export async function dispatchPieces(folders: NsdlFolders, { queue, perMinute }: Dispatch): Promise<number> {
  const now = Date.now();
  const jobs: NewJob[] = [];
  for (const { name, path } of (await folders.list('readyPieces')).slice(0, perMinute * MINUTES)) {
    const parsed = parsePieceName(name);
    // The time of the move: a piece that comes again later gets another job.
    const moved = await ifThere(stat(path).then(({ ctimeMs }) => Math.floor(ctimeMs)));
    if (parsed === undefined || moved === undefined) continue;
    const notBefore = now + Math.floor((jobs.length * MINUTE_MS) / perMinute);
    jobs.push({ kind: INGEST_PIECE, id: `${parsed.uuid}~${parsed.piece}~${moved}`, payload: { name }, notBefore });
  }
  return jobs.length === 0 ? 0 : queue.addAll(jobs);
}
