import type { DatabaseSync } from 'node:sqlite';
import type { ResourceKey } from '../../core/key.ts';
import { holder } from '../../core/key-search.ts';
import type { StateRow } from './queries.ts';
import { prepareRows, type RowStatement } from './row-statement.ts';
import type { FindRequest } from './wire.ts';

/** Milliseconds after which a search stops, and returns its position. */
const MOST_TIME_MS = 500;
/** Number of keys between two checks of the deadline: some milliseconds. */
const SLICE = 20_000;
/** Sorts above every key: keys are ASCII. */
const NO_END = '\u007f';

interface FoundRows {
  readonly rows: readonly StateRow[];
  /** The key up to which the set was searched; undefined when all of it was searched. */
  readonly next: ResourceKey | undefined;
}

/** Searches for texts in keys, key by key. For keys that do not match, it reads only the index. */
export class KeyFinder {
  readonly #sliceEnd: RowStatement<[end: ResourceKey]>;
  readonly #find: readonly RowStatement<StateRow>[];

  constructor(database: DatabaseSync) {
    this.#sliceEnd = prepareRows(
      database,
      `SELECT key FROM resources WHERE set_id = ? AND key > ? ORDER BY key LIMIT 1 OFFSET ${SLICE - 1}`,
    );
    // LIKE ignores the case of ASCII letters.
    const find = (holds: string) =>
      prepareRows<StateRow>(
        database,
        `SELECT key, state, stamp, created, event_order FROM resources
         WHERE set_id = ? AND key > ? AND key <= ? AND (${holds}) AND state IS NOT NULL ORDER BY key`,
      );
    const like = `key LIKE ? ESCAPE '\\'`;
    this.#find = [find(like), find(`${like} OR ${like}`)];
  }

  find({ set, texts, after = '', limit }: FindRequest): FoundRows {
    const deadline = performance.now() + MOST_TIME_MS;
    const statement = this.#find[texts.length - 1]!;
    const patterns = texts.map(patternOf);
    const holds = holder(texts);
    const rows: StateRow[] = [];
    for (let from = after; ; ) {
      const [end] = this.#sliceEnd.get(set, from) ?? [];
      for (const row of statement.iterate(set, from, end ?? NO_END, ...patterns)) {
        if (!holds(row[0])) continue;
        // One row more than the limit: there are more.
        if (rows.length === limit) return { rows, next: rows[limit - 1]![0] };
        rows.push(row);
      }
      if (end === undefined) return { rows, next: undefined };
      if (performance.now() > deadline) return { rows, next: end };
      from = end;
    }
  }
}

function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
