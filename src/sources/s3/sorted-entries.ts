import { keyOfPath } from '../../core/key.ts';
import { ScratchDatabase, type ScratchStatement } from '../../lib/sqlite/scratch-database.ts';
import type { RootEntry } from '../content-root.ts';

const BATCH = 500;
const SCHEMA = `
  CREATE TABLE entries (
    key TEXT PRIMARY KEY, path TEXT, length INTEGER, seconds INTEGER, tag TEXT, toRead INTEGER, problem TEXT
  ) WITHOUT ROWID`;

/** Bytes of entries in memory: those of a small bucket are never written to the disk. */
const CACHE = 8 * 1024 * 1024;

type EntryRow = readonly [
  key: string,
  path: string | null,
  length: number,
  seconds: number,
  tag: string | null,
  toRead: number,
  problem: string | null,
];

/**
 * Sorts entries by their resource keys. S3 lists in the order of the bytes of names, which differs: a space comes
 * before `!`, but its `%20` after it. Any character of a name can matter, so the order is known only after the last
 * name. An entry takes about 100 bytes in a scratch database.
 */
export class SortedEntries {
  readonly #database: ScratchDatabase;
  readonly #insert: ScratchStatement;
  readonly #select: ScratchStatement;

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(folder: string) {
    this.#database = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#insert = this.#database.prepare('REPLACE INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#select = this.#database.prepare('SELECT * FROM entries WHERE key > ? ORDER BY key LIMIT ?');
  }

  /** Accepts times of whole seconds. @throws TidemarkError `unavailable`, for instance when the disk is full */
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
      const rows = this.#select.all(after, BATCH) as unknown as readonly EntryRow[];
      if (rows.length > 0) yield rows.map(entryOf);
      if (rows.length < BATCH) return;
      after = rows.at(-1)![0];
    }
  }

  close(): void {
    this.#database.close();
  }
}

function entryOf([key, path, length, seconds, tag, toRead, problem]: EntryRow): RootEntry {
  const named = path ?? key.slice(1);
  if (problem !== null) return { path: named, problem };
  return { path: named, length, mtime: BigInt(seconds) * 1_000_000_000n, toRead, ...(tag !== null && { tag }) };
}
