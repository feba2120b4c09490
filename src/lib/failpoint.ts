/**
 * Named places at which a test can kill or stop the process: `TIDEMARK_FAILPOINT=commit.logged:kill` or `…:kill@3` for
 * the third time it comes by; `stop` sends SIGSTOP instead, from which SIGCONT awakes it. Without that variable a
 * failpoint costs one comparison.
 */
const ANY_STORE = [
  'commit.begun',
  'commit.decided',
  'commit.logged',
  'commit.acknowledged',
  'split.surveyed',
  'split.saved',
  'render.begun',
  'render.written',
  'render.published',
] as const;

/** Where a process passes by, with each kind of store. */
export const FAILPOINTS = {
  sqlite: [...ANY_STORE, 'commit.applied', 'commit.committed'],
  elasticsearch: [
    ...ANY_STORE,
    'apply.begun',
    'apply.sent',
    'apply.written',
    'applied.moved',
    'refresh.begun',
    'refresh.done',
  ],
} as const;
/** Where a process passes by that archives a log, or makes a store of an archive. */
export const ARCHIVE_FAILPOINTS = [
  'archive.written',
  'archive.marked',
  'rebuild.begun',
  'rebuild.committed',
  'rebuild.replayed',
  'rebuild.compared',
] as const;
/** Where a process passes by that runs an activity, in this order. */
export const ACTIVITY_FAILPOINTS = [
  'activity.claimed',
  'activity.read',
  'activity.gathered',
  'activity.writing',
  'activity.written',
  'activity.errata',
  'activity.summarized',
  'activity.companion',
  'activity.published',
] as const;
/** What a process that syncs a set passes: the first with records alone. */
export const SYNC_FAILPOINTS = ['records.begun', 'sync.posted'] as const;
/** Where a process passes by that follows the default stream: a part is recorded, and all of it is posted. */
export const FOLLOW_FAILPOINTS = ['follow.begun', 'follow.posted'] as const;
/** Where a process passes by that keeps versions: before their bytes are stored, and when they are. */
export const VERSION_FAILPOINTS = ['version.writing', 'version.stored'] as const;
/** Where a process passes by that builds a Change Dump: when a window is packed, and when the catalog names it. */
export const CHANGE_DUMP_FAILPOINTS = ['changes.packed', 'changes.recorded'] as const;
/** Where a process passes by that removes versions: when that is recorded, and after each of them. */
export const PRUNE_FAILPOINTS = ['prune.recorded', 'prune.removed'] as const;
/** Where a process passes by that runs a job: before its work, and before its end is recorded. */
export const JOB_FAILPOINTS = ['job.claimed', 'job.ended'] as const;
/** Where a process passes by that keeps a list in an archive: when it is stored, and when the catalog names it. */
export const LIST_ARCHIVE_FAILPOINTS = ['lists.stored', 'lists.recorded'] as const;
/** Where a process passes by that mirrors a source: files fetched, in their places, recorded; a pass recorded. */
export const MIRROR_FAILPOINTS = ['mirror.fetched', 'mirror.published', 'mirror.committed', 'mirror.passed'] as const;
/** Where a process passes by that receives an upload: a file is stored, and the upload is known. */
export const UPLOAD_FAILPOINTS = ['upload.stored', 'upload.recorded'] as const;
/** Where a process passes by that processes an upload, in this order; `upload.posted` for each commit. */
export const PROCESSING_FAILPOINTS = [
  'upload.fetched',
  'upload.read',
  'upload.applying',
  'upload.posted',
  'upload.applied',
] as const;
/** Where a process passes by that receives a file in several requests, in this order; then `upload.recorded`. */
export const RESUMABLE_FAILPOINTS = [
  'resumable.begun',
  'resumable.stored',
  'resumable.whole',
  'resumable.assembled',
  'resumable.claimed',
  'resumable.recorded',
  'resumable.ended',
] as const;
/**
 * Where a process passes by that makes a dump of a stream: states copied; records written; all files of a dump stored;
 * the catalog names it.
 */
export const STREAM_DUMP_FAILPOINTS = [
  'dumping.copied',
  'dumping.written',
  'dumping.stored',
  'dumping.recorded',
] as const;
export type Failpoint =
  | (typeof FAILPOINTS)[keyof typeof FAILPOINTS][number]
  | (typeof ARCHIVE_FAILPOINTS)[number]
  | (typeof ACTIVITY_FAILPOINTS)[number]
  | (typeof SYNC_FAILPOINTS)[number]
  | (typeof FOLLOW_FAILPOINTS)[number]
  | (typeof LIST_ARCHIVE_FAILPOINTS)[number]
  | (typeof VERSION_FAILPOINTS)[number]
  | (typeof CHANGE_DUMP_FAILPOINTS)[number]
  | (typeof PRUNE_FAILPOINTS)[number]
  | (typeof JOB_FAILPOINTS)[number]
  | (typeof UPLOAD_FAILPOINTS)[number]
  | (typeof PROCESSING_FAILPOINTS)[number]
  | (typeof RESUMABLE_FAILPOINTS)[number]
  | (typeof STREAM_DUMP_FAILPOINTS)[number]
  | (typeof MIRROR_FAILPOINTS)[number];

interface Armed {
  readonly name: string;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  passesLeft: number;
}

/** Milliseconds until a stopped process has surely stopped; when it is let go on, it does so from the failpoint. */
const UNTIL_STOPPED = 100;

let armed: Armed | undefined;

/** Arms the failpoint that a specification names; each thread arms its own. */
export function armFailpoint(specification: string | undefined): void {
  const match = /^([a-z.]+):(kill|stop)(?:@(\d+))?$/.exec(specification ?? '');
  if (match === null) return;
  const [, name = '', action, pass = '1'] = match;
  armed = { name, signal: action === 'kill' ? 'SIGKILL' : 'SIGSTOP', passesLeft: Number(pass) };
}

export function failpoint(name: Failpoint): void {
  if (armed?.name !== name) return;
  armed.passesLeft -= 1;
  if (armed.passesLeft !== 0) return;
  process.kill(process.pid, armed.signal);
  // The signal is delivered to the process, not to this thread: without waiting, the next step might still happen.
  const timeoutMs = armed.signal === 'SIGKILL' ? undefined : UNTIL_STOPPED;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs);
}
