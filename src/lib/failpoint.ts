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

/** Failpoints by what the process does; those of a commit by the kind of store. */
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
  /** Of the log on Elasticsearch: the next segment exists, and nothing is in it; one is removed, or not yet. */
  segments: ['segment.made', 'segment.removing', 'segment.removed'],
  /** Archiving a log, and making a store from an archive. */
  archive: [
    'archive.written',
    'archive.marked',
    'rebuild.begun',
    'rebuild.committed',
    'rebuild.replayed',
    'rebuild.compared',
  ],
  /**
   * Moving a store, in order: the new one is begun; a round is copied; writers are refused by the log; also catalog and
   * jobs are blocked; all is copied; the old store is marked; the new one has its boundary.
   */
  grow: ['grow.begun', 'grow.round', 'fence.paused', 'fence.blocked', 'grow.copied', 'grow.moved', 'grow.marked'],
  /** Taking a move back: the new store is marked. */
  takeBack: ['takeback.fenced'],
  /**
   * Resharding, in this order: the new index exists; all, and then what has changed, is copied; the old index is
   * blocked; the rest is copied; the aliases have moved; what may have come late is copied.
   */
  reshard: [
    'reshard.created',
    'reshard.copied',
    'reshard.blocked',
    'reshard.caughtup',
    'reshard.switched',
    'reshard.finished',
  ],
  /** Restoring a backup: the previous store has its second name, and the new one is not yet at its path. */
  restore: ['restore.kept'],
  /**
   * Making a backup, in this order: all of it is copied; it is compared with the store; its description is stored; it
   * has its name; of an older one, only the description is left.
   */
  backup: ['backup.copied', 'backup.compared', 'backup.described', 'backup.named', 'backup.removed'],
  /** Running an activity, in this order. */
  activity: [
    'activity.claimed',
    'activity.read',
    'activity.gathered',
    'activity.writing',
    'activity.written',
    'activity.errata',
    'activity.summarized',
    'activity.companion',
    'activity.published',
  ],
  /** Syncing a set; the first only for records; the second when a server has made sure that the set is its own. */
  sync: ['records.begun', 'scan.posting', 'sync.posted'],
  /** Following the default stream: a part is recorded; all of it is posted. */
  follow: ['follow.begun', 'follow.posted'],
  /** Keeping versions: before the bytes of a version are stored, and after. */
  version: ['version.writing', 'version.stored'],
  /** Building a Resource Dump: the catalog has it, but no document names it yet. */
  dump: ['dump.published'],
  /** Building a Change Dump: a window is packed; the catalog names it. */
  changeDump: ['changes.packed', 'changes.recorded'],
  /**
   * Removing versions: after the removal is recorded, after those that stay were taken out of a pack, and after each
   * object is removed.
   */
  prune: ['prune.recorded', 'prune.moved', 'prune.removed'],
  /** Running a job: before its work, and before its end is recorded. */
  job: ['job.claimed', 'job.ended'],
  /** Sending a message about an upload: it was accepted, and that is not recorded yet. */
  message: ['message.sent'],
  /** Archiving a list: after it is stored, and after the catalog names it. */
  listArchive: ['lists.stored', 'lists.recorded'],
  /** Mirroring a source: files fetched; files at their paths; changes committed; pass recorded. */
  mirror: ['mirror.fetched', 'mirror.published', 'mirror.committed', 'mirror.passed'],
  /** Receiving an upload: after a file is stored, and after the upload is recorded. */
  upload: ['upload.stored', 'upload.recorded'],
  /** Processing an upload, in order; `upload.posted` is reached for each commit. */
  processing: [
    'upload.fetched',
    'upload.read',
    'upload.beginning',
    'upload.applying',
    'upload.posted',
    'upload.applied',
  ],
  /**
   * Removing an upload, in order: it is marked; its records are taken back; sets that follow do not refer to it any
   * more; its bytes are deleted.
   */
  removal: ['removal.marked', 'removal.posted', 'removal.synced', 'removal.deleted'],
  /** Receiving a file in several requests, in order; `upload.recorded` follows. */
  resumable: [
    'resumable.begun',
    'resumable.stored',
    'resumable.whole',
    'resumable.assembled',
    'resumable.claimed',
    'resumable.recorded',
    'resumable.ended',
  ],
  /**
   * Harvesting: a page is stored; the run names it; all lists are complete; the upload is recorded; the run has ended.
   */
  harvest: ['harvest.stored', 'harvest.recorded', 'harvest.complete', 'harvest.received', 'harvest.ended'],
  /**
   * Ingesting a dataset: its request is recorded, and has no job yet; its files are stored; its manifest is stored; its
   * document is put, and its request has no result yet.
   */
  dataset: ['dataset.requested', 'dataset.archived', 'dataset.manifested', 'dataset.recorded'],
  /** NSDL's dbInsert files: each one is written; the handles of one are listed, and it is not moved yet. */
  nsdl: ['nsdl.written', 'nsdl.ingested'],
  /** Sending results of datasets to a sink: it has them, and its cursor does not say so yet. */
  sink: ['sink.sent'],
  /**
   * Making a dump of a stream: states copied; records written; all files of the dump stored; the catalog names
   * it.
   */
  streamDump: ['dumping.copied', 'dumping.written', 'dumping.stored', 'dumping.recorded'],
  /**
   * Removing a stream: it is marked; no upload can follow; its sets are removed; its artifacts are deleted; its
   * documents are replaced. Removing an organization: its tokens are revoked.
   */
  removing: [
    'removing.begun',
    'removing.closed',
    'removing.unpublished',
    'removing.deleted',
    'removing.forgotten',
    'removing.revoked',
  ],
  /** What is kept no longer is recorded, and not deleted yet: files of an upload, and records that were replaced. */
  retention: ['originals.recorded', 'replaced.recorded'],
} as const;
export type Failpoint = (typeof FAILPOINTS)[keyof typeof FAILPOINTS][number];

interface Armed {
  readonly name: string;
  readonly signal: 'SIGKILL' | 'SIGSTOP';
  passesLeft: number;
}

/** Milliseconds to wait for SIGSTOP to take effect. After SIGCONT, the process continues here. */
const UNTIL_STOPPED_MS = 100;

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
  const timeoutMs = armed.signal === 'SIGKILL' ? undefined : UNTIL_STOPPED_MS;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs);
}
