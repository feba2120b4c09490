/**
 * Places in the code where a test can kill or stop the process: `TIDEMARK_FAILPOINT=commit.logged:kill`, or `…:kill@3`
 * for the third time that the process reaches it. `stop` sends SIGSTOP; SIGCONT continues the process. Without the
 * variable, a failpoint costs one comparison.
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

/** Failpoints of a commit, by the kind of store. */
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
/** Failpoints of archiving a log, and of making a store from an archive. */
export const ARCHIVE_FAILPOINTS = [
  'archive.written',
  'archive.marked',
  'rebuild.begun',
  'rebuild.committed',
  'rebuild.replayed',
  'rebuild.compared',
] as const;
/** Failpoint of restoring a backup: the previous store has its second name, and the new one is not yet at its path. */
export const RESTORE_FAILPOINTS = ['restore.kept'] as const;
/** Failpoints of an activity, in the order in which they are reached. */
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
/** Failpoints of syncing a set; the first only for records. */
export const SYNC_FAILPOINTS = ['records.begun', 'sync.posted'] as const;
/** Failpoints of following the default stream: a part is recorded; all of it is posted. */
export const FOLLOW_FAILPOINTS = ['follow.begun', 'follow.posted'] as const;
/** Failpoints of keeping versions: before the bytes of a version are stored, and after. */
export const VERSION_FAILPOINTS = ['version.writing', 'version.stored'] as const;
/** Failpoints of building a Change Dump: a window is packed; the catalog names it. */
export const CHANGE_DUMP_FAILPOINTS = ['changes.packed', 'changes.recorded'] as const;
/** Failpoints of removing versions: after the removal is recorded, and after each version. */
export const PRUNE_FAILPOINTS = ['prune.recorded', 'prune.removed'] as const;
/** Failpoints of a job: before its work, and before its end is recorded. */
export const JOB_FAILPOINTS = ['job.claimed', 'job.ended'] as const;
/** Failpoints of archiving a list: after it is stored, and after the catalog names it. */
export const LIST_ARCHIVE_FAILPOINTS = ['lists.stored', 'lists.recorded'] as const;
/** Failpoints of mirroring a source: files fetched; files at their paths; changes committed; pass recorded. */
export const MIRROR_FAILPOINTS = ['mirror.fetched', 'mirror.published', 'mirror.committed', 'mirror.passed'] as const;
/** Failpoints of receiving an upload: after a file is stored, and after the upload is recorded. */
export const UPLOAD_FAILPOINTS = ['upload.stored', 'upload.recorded'] as const;
/** Failpoints of processing an upload, in order; `upload.posted` is reached for each commit. */
export const PROCESSING_FAILPOINTS = [
  'upload.fetched',
  'upload.read',
  'upload.applying',
  'upload.posted',
  'upload.applied',
] as const;
/** Failpoints of receiving a file in several requests, in order; `upload.recorded` follows. */
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
 * Failpoints of making a dump of a stream: states copied; records written; all files of the dump stored; the catalog
 * names the dump.
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
  | (typeof RESTORE_FAILPOINTS)[number]
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

/** Milliseconds to wait for SIGSTOP to take effect. After SIGCONT, the process continues here. */
const UNTIL_STOPPED = 100;

let armed: Armed | undefined;

/** Arms the failpoint of a specification, for the calling thread. */
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
  // The signal is delivered to the process, not to this thread: without waiting, the next step might still be executed.
  const timeoutMs = armed.signal === 'SIGKILL' ? undefined : UNTIL_STOPPED;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs);
}
