import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ResourceKey } from '../../domain/key.ts';
import type { FindRequest, FoundRows } from './wire.ts';

/** Milliseconds after which a search says how far it has come. */
const MOST_TIME = 500;
/** Keys between two looks at the clock: some milliseconds. */
const SLICE = 20_000;
/** Above every key: keys are ASCII. */
const NO_END = '\u007f';

/** Looks for texts in keys, one key after the other. Of what it does not find, it reads only the index. */
export class KeyFinder {
  readonly #sliceEnd: StatementSync;
  readonly #find: readonly StatementSync[];

  constructor(database: DatabaseSync) {
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#sliceEnd = prepare(
      `SELECT key FROM resources WHERE set_id = ? AND key > ? ORDER BY key LIMIT 1 OFFSET ${SLICE - 1}`,
    );
    // LIKE tells no case of ASCII letters apart.
    const find = (holds: string) =>
      prepare(
        `SELECT key, state, stamp, created FROM resources
         WHERE set_id = ? AND key > ? AND key <= ? AND (${holds}) AND state IS NOT NULL ORDER BY key LIMIT ?`,
      );
    const like = `key LIKE ? ESCAPE '\\'`;
    this.#find = [find(like), find(`${like} OR ${like}`)];
  }

  find({ set, texts, after = '', limit }: FindRequest): FoundRows {
    const deadline = performance.now() + MOST_TIME;
    const statement = this.#find[texts.length - 1]!;
    const patterns = texts.map(patternOf);
    const rows: unknown[][] = [];
    for (let from = after; ; ) {
      const [end] = (this.#sliceEnd.get(set, from) ?? []) as unknown as [ResourceKey?];
      // One more tells whether there are more.
      const wanted = limit + 1 - rows.length;
      rows.push(...(statement.all(set, from, end ?? NO_END, ...patterns, wanted) as unknown as unknown[][]));
      if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]![0] as ResourceKey };
      if (end === undefined) return { rows, next: undefined };
      if (performance.now() > deadline) return { rows, next: end };
      from = end;
    }
  }
}

function patternOf(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
