import { decodeState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { ChangedRows } from './changed-rows.ts';
import { keyOfRow, PlacedRows } from './placed-rows.ts';
import { SortedRows } from './sorted-rows.ts';

type Index = Pick<ChangeLog, 'changes' | 'watermark'> & Pick<ResourceStates, 'states'>;

/** Number of states between two reports. */
const REPORTED = 10_000;

/**
 * The states of a set at a boundary, sorted by the places of their records. They are copied while others may change the
 * set; then the changes since the start of the copying are applied, up to the boundary.
 */
export class StateCopy {
  readonly placed = new PlacedRows();
  readonly #set: SetId;
  readonly #copied: SortedRows;
  readonly #later: SortedRows;
  readonly #changed: ChangedRows;
  #after: Stamp = 0;

  /** @throws TidemarkError `unavailable` when nothing can be written into the folder */
  constructor(set: SetId, folder: string) {
    this.#set = set;
    this.#copied = new SortedRows(folder);
    this.#later = new SortedRows(folder);
    this.#changed = new ChangedRows(folder, this.placed);
  }

  /** Approximate number of records. */
  get size(): number {
    return this.#copied.size;
  }

  /** @throws TidemarkError `unavailable` for a state without a record, and when the disk is full */
  async begin(index: Index, onCopied: (records: number) => void): Promise<void> {
    this.#after = await index.watermark();
    for await (const batch of index.states(this.#set)) {
      for (const { key, state } of batch) this.#copied.add(this.placed.rowOf(key, decodeState(state)));
      if (this.#copied.size % REPORTED < batch.length) onCopied(this.#copied.size);
    }
  }

  /** Applies the changes up to a boundary, which must be above everything that was copied. Call this once. */
  async catchUp(index: Index, until: Stamp): Promise<void> {
    await this.#changed.read(index, this.#set, { after: this.#after, until });
    for (const { row } of this.#changed) if (row !== undefined) this.#later.add(row);
  }

  /** The rows, ascending by place. Call this once. */
  *rows(): Generator<string> {
    const later = this.#later.sorted();
    let next = later.next();
    for (const row of this.#copied.sorted()) {
      if (this.#changed.has(keyOfRow(row))) continue;
      for (; !next.done && next.value < row; next = later.next()) yield next.value;
      yield row;
    }
    for (; !next.done; next = later.next()) yield next.value;
  }

  close(): void {
    this.#changed.close();
    this.#later.close();
    this.#copied.close();
  }
}
