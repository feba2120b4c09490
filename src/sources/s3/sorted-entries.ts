import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { keyOfPath } from '../../core/key.ts';
import type { RootEntry } from '../content-root.ts';

const BATCH = 500;

interface Row {
  readonly key: string;
  readonly path: string | null;
  readonly length: number;
  readonly seconds: number;
  readonly tag: string | null;
  readonly toRead: number;
  readonly problem: string | null;
}

/**
 * Puts entries in the order of their resource keys. S3 lists in the order of the names' own bytes, which is another one: a space comes
 * before `!`, and its `%20` after. A character anywhere in a name may matter, so nothing is known of the order before the last name. They
 * lie in a temporary database without a name, which is in memory while it is small (8 MB), else in /var/tmp or where SQLITE_TMPDIR says, and goes when
 * it is closed, or with the process; some 100 bytes an entry.
 */
export class SortedEntries {
  readonly #database = new DatabaseSync('');
  readonly #insert: StatementSync;
  readonly #select: StatementSync;

  constructor() {
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA cache_size = -8192;
      CREATE TABLE entries (
        key TEXT PRIMARY KEY, path TEXT, length INTEGER, seconds INTEGER, tag TEXT, toRead INTEGER, problem TEXT
      ) WITHOUT ROWID;
      BEGIN`);
    this.#insert = this.#database.prepare('REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#select = this.#database.prepare('SELECT * FROM entries WHERE key > ? ORDER BY key LIMIT ?');
  }

  /** Times have whole seconds. */
  add(entry: RootEntry): void {
    const key = keyOfPath(entry.path);
    const path = key.length === entry.path.length + 1 ? null : entry.path;
    if (entry.problem !== undefined) this.#insert.run(key, path, 0, 0, null, 0, entry.problem);
    else {
      const { length, mtime, tag, toRead } = entry;
      this.#insert.run(key, path, length, Number(mtime / 1_000_000_000n), tag ?? null, toRead ?? length, null);
    }
  }

  *batches(): Generator<readonly RootEntry[]> {
    for (let after = ''; ; ) {
      const rows = this.#select.all(after, BATCH) as unknown as Row[];
      if (rows.length > 0) yield rows.map(entryOf);
      if (rows.length < BATCH) return;
      after = rows.at(-1)!.key;
    }
  }

  close(): void {
    this.#database.close();
  }
}

function entryOf({ key, path, length, seconds, tag, toRead, problem }: Row): RootEntry {
  const named = path ?? key.slice(1);
  if (problem !== null) return { path: named, problem };
  return { path: named, length, mtime: BigInt(seconds) * 1_000_000_000n, toRead, ...(tag !== null && { tag }) };
}
