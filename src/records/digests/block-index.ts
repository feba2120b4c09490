import type { BlockPlace } from '../../artifacts/avro/container-writer.ts';
import type { DigestRow } from './digest-row.ts';

/** The blocks of an artifact, which are added in any order. */
export class BlockIndex {
  /** Number of records by the offset of their block. */
  readonly #records = new Map<number, number>();
  /** Number of records before a block, by its offset. */
  #before: ReadonlyMap<number, number> | undefined;

  add({ offset, records }: Pick<BlockPlace, 'offset' | 'records'>): void {
    this.#records.set(offset, records);
    this.#before = undefined;
  }

  /** How many records come before this one in the artifact. All blocks before it were added. */
  recordsBefore({ offset, position }: Pick<DigestRow, 'offset' | 'position'>): number {
    this.#before ??= this.#sum();
    return this.#before.get(offset)! + position;
  }

  #sum(): ReadonlyMap<number, number> {
    let sum = 0;
    const inOrder = [...this.#records].sort(([one], [other]) => one - other);
    return new Map(
      inOrder.map(([offset, records]) => {
        const before = sum;
        sum += records;
        return [offset, before];
      }),
    );
  }
}
