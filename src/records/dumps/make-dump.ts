import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import type { StreamName } from '../stream-set-names.ts';
import { ArtifactFile } from './artifact-file.ts';
import { ChangedRows } from './changed-rows.ts';
import { type UploadErrata, writeErrata } from './errata-file.ts';
import { netEffect } from './net-effect.ts';
import { PlacedRows } from './placed-rows.ts';
import { readPlaced } from './read-placed.ts';
import { type MadeFile, RecordFiles } from './record-files.ts';
import { SortedRows } from './sorted-rows.ts';
import type { StateCopy } from './state-copy.ts';

/** A dump to write. Plain values, so that a thread can receive them. */
export interface DumpTask extends StreamName {
  readonly set: SetId;
  readonly until: Stamp;
  readonly errata: readonly UploadErrata[];
}

export interface DumpParts {
  readonly index: Pick<ChangeLog, 'changes' | 'watermark'> &
    Pick<ResourceStates, 'states'> &
    Pick<SetStatistics, 'history'>;
  readonly artifacts: Pick<ArtifactStore, 'get' | 'put' | 'delete' | 'name'>;
  /** The folder of scratch databases. */
  readonly folder: string;
  onProgress(progress: DumpProgress): void;
}

export interface DumpProgress {
  readonly done: number;
  readonly total?: number | undefined;
  readonly text: string;
}

/** The files of a dump, all of them stored. */
export interface MadeDump {
  readonly records: number;
  readonly deletions: number;
  readonly files: readonly MadeFile[];
}

/**
 * Writes the state of a set at a boundary.
 * @param copy of the states, started before the boundary
 * @throws TidemarkError `unavailable` when an artifact cannot be read or written; then nothing is stored
 */
export async function makeFullDump(task: DumpTask, copy: StateCopy, parts: DumpParts): Promise<MadeDump> {
  await copy.catchUp(parts.index, task.until);
  const made = new MadeFiles(parts.artifacts);
  return made.orNone(async () => {
    const records = await made.addRecords(task, { rows: copy.rows(), total: copy.size, placed: copy.placed }, parts);
    await made.addErrata(task);
    return { records, deletions: 0, files: made.files };
  });
}

/**
 * Writes the net effect of the changes of a set between two boundaries. Undefined when there are neither changes nor
 * errata.
 * @throws TidemarkError as `makeFullDump`
 */
export async function makeDelta(
  task: DumpTask & { readonly after: Stamp },
  parts: DumpParts,
): Promise<MadeDump | undefined> {
  const placed = new PlacedRows();
  const changed = new ChangedRows(parts.folder, placed);
  const sorted = new SortedRows(parts.folder);
  const made = new MadeFiles(parts.artifacts);
  try {
    return await made.orNone(async () => {
      await changed.read(parts.index, task.set, { after: task.after, until: task.until });
      let deletions = 0;
      for await (const effect of netEffect(changed, task, parts)) {
        if ('row' in effect) sorted.add(effect.row);
        else await made.addDeletion(effect.deleted, task);
        if ('deleted' in effect) deletions += 1;
      }
      const total = sorted.size;
      if (total > 0) await made.addRecords(task, { rows: sorted.sorted(), total, placed }, parts);
      await made.endDeletions();
      await made.addErrata(task);
      return made.files.length === 0 ? undefined : { records: total, deletions, files: made.files };
    });
  } finally {
    sorted.close();
    changed.close();
  }
}

interface RowsToWrite {
  readonly rows: Iterable<string>;
  /** Approximate number of records. */
  readonly total: number;
  readonly placed: PlacedRows;
}

/** The files of one dump: at the end, either all of them are stored, or none. */
class MadeFiles {
  readonly #artifacts: DumpParts['artifacts'];
  readonly files: MadeFile[] = [];
  #records: RecordFiles | undefined;
  #deletes: ArtifactFile | undefined;
  #ids: string[] = [];

  constructor(artifacts: DumpParts['artifacts']) {
    this.#artifacts = artifacts;
  }

  async orNone<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      await this.#abandon();
      throw error;
    }
  }

  /** Returns the number of records. */
  async addRecords(name: StreamName, { rows, total, placed }: RowsToWrite, parts: DumpParts): Promise<number> {
    const files = new RecordFiles(this.#artifacts, name);
    this.#records = files;
    let done = 0;
    for await (const records of readPlaced(recordsOf(rows, placed), this.#artifacts)) {
      await files.add(records);
      done += records.length;
      parts.onProgress({ done, total, text: 'records written' });
    }
    this.files.push(...(await files.end()));
    this.#records = undefined;
    failpoint('dumping.written');
    return done;
  }

  async addDeletion(id: string, name: StreamName): Promise<void> {
    this.#deletes ??= new ArtifactFile(this.#artifacts, name);
    if (this.#ids.push(id) >= IDS_AT_ONCE) await this.#writeIds();
  }

  async endDeletions(): Promise<void> {
    if (this.#deletes === undefined) return;
    await this.#writeIds();
    this.files.push({ kind: 'deletes', ...(await this.#deletes.end()) });
    this.#deletes = undefined;
  }

  async addErrata({ errata, ...name }: DumpTask): Promise<void> {
    if (errata.length > 0) this.files.push(await writeErrata(errata, name, this.#artifacts));
  }

  async #writeIds(): Promise<void> {
    const ids = this.#ids.splice(0);
    if (ids.length > 0) await this.#deletes!.write(Buffer.from(`${ids.join('\n')}\n`));
  }

  /** A nightly job removes files that cannot be removed now. */
  async #abandon(): Promise<void> {
    const stored = [(await this.#deletes?.abandon())?.key, ...((await this.#records?.abandon()) ?? [])];
    for (const key of [...stored, ...this.files.map(({ artifact }) => artifact)]) {
      if (key !== undefined) await this.#artifacts.delete(key).catch(() => {});
    }
  }
}

const IDS_AT_ONCE = 1_000;

function* recordsOf(rows: Iterable<string>, placed: PlacedRows) {
  for (const row of rows) yield placed.recordOf(row);
}
