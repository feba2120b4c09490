import { TidemarkError } from '../../core/errors.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { type FenceState, isPausedError, PAUSE_MS, type StoreFence, type StorePause } from '../store-fence.ts';
import type { Applier } from './applier.ts';
import type { CommitLog } from './commit-log.ts';
import { emptyRecord, type FenceMark } from './commit-record.ts';
import { isBlocked, type WriteBlock } from './fence/write-block.ts';

/** How often a write is sent again after a block of an ended pause was removed. */
const MOST_TRIES = 5;

interface FenceParts {
  readonly log: CommitLog;
  readonly applier: Applier;
  readonly block: WriteBlock;
  changesIndex(): Promise<string>;
}

/** Fences the log by commits, catalog and jobs by a block of their indices: docs/internals/growing.md. */
export class ElasticsearchFence implements StoreFence {
  readonly #parts: FenceParts;

  constructor(parts: FenceParts) {
    this.#parts = parts;
  }

  state(): Promise<FenceState> {
    const { log } = this.#parts;
    return log.exclusive(async () => {
      await log.catchUp();
      const { mark, isClosed } = log.fence;
      if (mark?.kind === 'moved') return { state: 'moved', to: mark.to };
      return { state: isClosed ? 'paused' : 'open' };
    });
  }

  async pause(forMs = PAUSE_MS): Promise<StorePause> {
    const { log, block } = this.#parts;
    const before = await block.alias();
    const pause = await log.exclusive(async () => {
      await log.catchUp();
      return this.#append({ kind: 'pause', forMs });
    });
    try {
      failpoint('fence.paused');
      if (!(await block.swap(before, pause.commit))) throw isOthers();
      await block.set(pause.commit);
      failpoint('fence.blocked');
    } catch (error) {
      await this.release(pause).catch(() => {});
      throw error;
    }
    return pause;
  }

  async release(pause: StorePause): Promise<void> {
    const { log, block } = this.#parts;
    const hasMoved = await log.exclusive(async () => {
      await this.#follow(pause, { kind: 'open' });
      return log.fence.mark?.kind === 'moved';
    });
    if (!hasMoved) await block.remove(pause.commit);
  }

  move(pause: StorePause, to: string): Promise<boolean> {
    return this.#parts.log.exclusive(() => this.#follow(pause, { kind: 'moved', to }));
  }

  async takeBack(): Promise<void> {
    const { log, block } = this.#parts;
    await log.exclusive(async () => {
      await log.catchUp();
      if (log.fence.mark?.kind === 'moved') await this.#append({ kind: 'open' });
    });
    await block.remove((await block.alias()).commit);
  }

  /**
   * Sends a write to catalog or jobs. When the block of a pause refuses it, it fails as a commit would; when the pause
   * is over, the block is removed, and the write sent again.
   * @throws TidemarkError `unavailable` during a pause, and when the store has moved; what the write throws
   */
  async around<Result>(write: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await write();
      } catch (error) {
        if (!isBlocked(error) || tries >= MOST_TRIES || !(await this.#lift())) throw error;
      }
    }
  }

  /** Removes the block of a pause that is over. Returns false when the indices have another block. */
  async #lift(): Promise<boolean> {
    const { log, block } = this.#parts;
    // First the name of the pause: it may be removed only if the log, which is read later, says that it is over.
    const { commit } = await block.alias();
    if (commit === 0 || !(await block.isSet())) return false;
    await log.exclusive(async () => {
      await log.catchUp();
      log.fence.require();
      if (log.head.number === commit) await this.#append({ kind: 'open' });
      // The head may be that of a process that is behind.
      if (log.head.number <= commit) throw isPausedError();
    });
    await block.remove(commit);
    return true;
  }

  /** Appends the commit after a pause. Returns false when another process has ended the pause. */
  async #follow({ id, commit }: StorePause, mark: FenceMark): Promise<boolean> {
    const { log, applier } = this.#parts;
    await log.catchUp();
    if (log.head.number !== commit || log.head.uuid !== id) return false;
    const record = { ...(await this.#empty()), fence: mark };
    if (!(await log.append(record))) return false;
    applier.start(record);
    return true;
  }

  /** Call it within `exclusive`. @throws TidemarkError as `CommitLog.requireOpen` */
  async #append(mark: FenceMark): Promise<StorePause> {
    const { log, applier } = this.#parts;
    for (;;) {
      if (mark.kind === 'pause' && log.fence.mark?.kind === 'pause' && log.fence.isClosed) throw isOthers();
      const record = { ...(await this.#empty()), fence: mark };
      if (await log.append(record)) {
        applier.start(record);
        return { id: record.uuid, commit: record.number };
      }
      await log.catchUp();
      // Another process has ended it.
      if (mark.kind === 'open' && log.fence.mark === undefined) return { id: log.head.uuid, commit: log.head.number };
    }
  }

  async #empty() {
    const { log, changesIndex } = this.#parts;
    return emptyRecord(log.head, { stamp: log.head.stamp, changesIndex: await changesIndex() });
  }
}

function isOthers(): TidemarkError {
  return new TidemarkError('conflict', 'another process is moving this store: wait for it');
}
