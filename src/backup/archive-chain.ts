import { randomBytes } from 'node:crypto';
import { formatKey, parseKey } from '../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { putJson, readJson } from '../artifacts/json-object.ts';
import { ARCHIVE_FOLDER, isChainId, segmentsFolder } from '../artifacts/keys/log-keys.ts';
import { formatTimestamp } from '../artifacts/timestamp.ts';
import { isTidemarkError, TidemarkError, unlessConflict } from '../core/errors.ts';
import { SEGMENT_MARK, type SegmentMark } from './segment.ts';

/** Number of marks that are read at a time. */
const AT_ONCE = 16;

/** The segments of one log, 1, 2, 3 …; each begins where the one before ends. */
export class ArchiveChain {
  readonly id: string;
  readonly #store: ArtifactStore;

  constructor(store: ArtifactStore, id: string) {
    this.#store = store;
    this.id = id;
  }

  /** The name in messages. */
  get name(): string {
    return `the archive ${this.id} in ${this.#store.name}`;
  }

  /** The last segment; undefined when there is none yet. @throws TidemarkError `invalid` when one is missing */
  async last(): Promise<SegmentMark | undefined> {
    const count = await this.#count();
    return count === 0 ? undefined : this.#read(count);
  }

  /**
   * All segments in order, or those after one.
   * @throws TidemarkError `invalid` when one is missing, or does not follow the one before
   */
  async all(after?: SegmentMark): Promise<readonly SegmentMark[]> {
    const count = await this.#count();
    const marks: SegmentMark[] = [];
    for (let done = after?.number ?? 0; done < count; done += AT_ONCE) {
      const numbers = Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, at) => done + at + 1);
      marks.push(...(await Promise.all(numbers.map((number) => this.#read(number)))));
    }
    for (const [at, mark] of marks.entries()) this.#requireNext(mark, marks[at - 1] ?? after);
    return marks;
  }

  /** Adds a segment. Returns false when another process has taken its number. */
  async append(mark: SegmentMark, signal?: AbortSignal): Promise<boolean> {
    const key = { kind: 'segment', chain: this.id, number: mark.number } as const;
    return (await unlessConflict(putJson(this.#store, key, mark, { signal }))) !== undefined;
  }

  async #count(): Promise<number> {
    let count = 0;
    for await (const batch of this.#store.list(segmentsFolder(this.id))) {
      for (const { key } of batch) {
        const segment = parseKey(key);
        if (segment?.kind !== 'segment') continue;
        count += 1;
        if (segment.number !== count) throw this.#hole(count);
      }
    }
    return count;
  }

  async #read(number: number): Promise<SegmentMark> {
    const mark = await readJson(this.#store, formatKey({ kind: 'segment', chain: this.id, number }), SEGMENT_MARK);
    if (mark === undefined) throw this.#hole(number);
    if (mark.number === number) return mark;
    throw new TidemarkError('invalid', `${this.name} has segment ${mark.number} under the name of ${number}`);
  }

  #requireNext(mark: SegmentMark, before: SegmentMark | undefined): void {
    const records = mark.changes?.records ?? 0;
    if (mark.after === (before?.through ?? 0) && mark.total === (before?.total ?? 0) + records) return;
    throw new TidemarkError(
      'invalid',
      `${this.name} has a hole: segment ${mark.number} does not begin where the one before ends`,
    );
  }

  #hole(number: number): TidemarkError {
    return new TidemarkError('invalid', `${this.name} has a hole: segment ${number} is missing`, { segment: number });
  }
}

/** A unique id, beginning with the time. */
export function newChainId(now = new Date()): string {
  return `${formatTimestamp(now)}-${randomBytes(4).toString('hex')}`;
}

export interface ListedChain {
  readonly chain: ArchiveChain;
  /** Its last segment; undefined when the archive is damaged. */
  readonly last: SegmentMark | undefined;
  /** What is wrong with it. */
  readonly damage?: string;
}

/** The archives in a store, oldest first; an archive exists once it has a segment. */
export async function listChains(store: ArtifactStore): Promise<readonly ListedChain[]> {
  const found: ListedChain[] = [];
  for (const id of await store.folders(ARCHIVE_FOLDER)) {
    if (!isChainId(id)) continue;
    const chain = new ArchiveChain(store, id);
    try {
      const last = await chain.last();
      if (last !== undefined) found.push({ chain, last });
    } catch (error) {
      if (!isTidemarkError(error, 'invalid')) throw error;
      found.push({ chain, last: undefined, damage: error.message });
    }
  }
  return found;
}
