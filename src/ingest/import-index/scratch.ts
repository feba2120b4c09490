import type { ChangeKind } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { EncodedState } from '../../core/resource.ts';
import type { Stamp } from '../../core/stamp.ts';
import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import { orderOfKinds } from './order-of-kinds.ts';

/** The state of a resource in a document. */
export interface ScratchRow {
  /** The number of the imported set, from 0. */
  readonly target: number;
  readonly key: ResourceKey;
  /** Null for a deletion, and for a resource whose document was rejected: it exists, but its state is not known. */
  readonly state: EncodedState | null;
  readonly weight: number;
  /** The order in the document; null when it has none. */
  readonly order: number | null;
}

interface ScratchResource extends ScratchRow {
  /** Time when the document was written; 0 when the document does not contain it. */
  readonly written: Stamp;
  readonly sequence: number;
  /** Its index and id, separated by a slash. */
  readonly document: string;
}

interface ScratchChange extends ScratchRow {
  readonly kind: ChangeKind;
  readonly time: Stamp;
  /** Orders changes of one time; then `sequence` does. */
  readonly written: Stamp;
  readonly sequence: number;
}

export interface HistoryEntry extends ScratchRow {
  readonly time: Stamp;
}

interface ScratchTotals {
  readonly target: number;
  readonly changes: number;
  readonly first: Stamp;
}

type Tied = readonly [rowid: number, kind: ChangeKind, sequence: number];

/**
 * Whether a resource was live before a time, according to the change before. If the index no longer has that change, it
 * follows from what the resource has become, and how often it was created and deleted until then.
 */
const IS_LIVE_BEFORE = `
  SELECT ifnull(
    (SELECT kind <> 'deleted' FROM changes WHERE target = ?1 AND key = ?2 AND (time, written) < (?3, ?4)
      ORDER BY time DESC, written DESC, sequence DESC, place DESC, rowid DESC LIMIT 1),
    (SELECT count(*) FROM resources WHERE target = ?1 AND key = ?2) +
      (SELECT sum(kind = 'deleted') - sum(kind = 'created') FROM changes WHERE target = ?1 AND key = ?2) > 0)`;

/** Bytes of documents in memory. */
const CACHE = 16 * 1024 * 1024;
const SCHEMA = `
  CREATE TABLE resources (
    target INTEGER, key TEXT, state TEXT, weight INTEGER, event_order INTEGER, written INTEGER, sequence INTEGER,
    document TEXT, PRIMARY KEY (target, key)
  ) WITHOUT ROWID;
  CREATE TABLE changes (
    target INTEGER, key TEXT, state TEXT, weight INTEGER, event_order INTEGER, time INTEGER, written INTEGER,
    sequence INTEGER, kind TEXT, place INTEGER NOT NULL DEFAULT 0
  )`;

/** Sorts the documents that were read, on disk: about 350 bytes each in a scratch database. */
export class Scratch {
  readonly #database: ScratchDatabase;
  readonly #statements;

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(folder: string) {
    this.#database = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#statements = {
      find: this.#database.prepare(
        'SELECT state, written, sequence, document FROM resources WHERE target = ? AND key = ?',
      ),
      putResource: this.#database.prepare('REPLACE INTO resources VALUES (?,?,?,?,?,?,?,?)'),
      addChange: this.#database.prepare('INSERT INTO changes VALUES (?,?,?,?,?,?,?,?,?,0)'),
    };
  }

  /**
   * Stores a resource. When there are two documents of it, the newer one stays; returns the other one, unless it was
   * already rejected.
   */
  putResource(row: ScratchResource): string | undefined {
    const { target, key, state, weight, order, written, sequence, document } = row;
    const found = this.#statements.find.get(target, key) as unknown as
      | [state: string | null, written: number, sequence: number, document: string]
      | undefined;
    if (found !== undefined && !isNewer(row, found)) return state === null ? undefined : document;
    this.#statements.putResource.run(target, key, state, weight, order, written, sequence, document);
    return found === undefined || found[0] === null ? undefined : found[3];
  }

  addChange({ target, key, state, weight, order, time, written, sequence, kind }: ScratchChange): void {
    this.#statements.addChange.run(target, key, state, weight, order, time, written, sequence, kind);
  }

  /**
   * Ends the reading: a resource without a change document was created when its document was written, if that is known.
   * Returns the history of each set that has one.
   */
  arrange(): readonly ScratchTotals[] {
    this.#database.exec(`
      CREATE INDEX changes_of_key ON changes (target, key, time, written, sequence);
      INSERT INTO changes
        SELECT target, key, state, weight, event_order, written, written, sequence, 'created', 0 FROM resources AS r
        WHERE state IS NOT NULL AND written > 0
        AND NOT EXISTS (SELECT 1 FROM changes AS c WHERE c.target = r.target AND c.key = r.key)`);
    this.#orderTies();
    const rows = this.#database.prepare('SELECT target, count(*), min(time) FROM changes GROUP BY target').iterate();
    return [...rows].map(([target, changes, first]) => ({ target, changes, first }) as ScratchTotals);
  }

  /**
   * All changes of all sets in the order of time. The newest change of an existing resource has the state and the order
   * of the resource's document; every other change has those of its own document.
   */
  *history(): Iterable<HistoryEntry> {
    const rows = this.#database.prepare(`
      SELECT c.target, c.key, ifnull(r.state, c.state), ifnull(r.weight, c.weight),
        ifnull(r.event_order, c.event_order), c.time
      FROM changes AS c LEFT JOIN resources AS r
        ON r.target = c.target AND r.key = c.key AND r.state IS NOT NULL AND c.state IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM changes AS later WHERE later.target = c.target AND later.key = c.key
          AND (later.time, later.written, later.sequence, later.place, later.rowid) > (c.time, c.written, c.sequence, c.place, c.rowid))
      ORDER BY c.time, c.written, c.sequence, c.place, c.rowid`);
    for (const [target, key, state, weight, order, time] of rows.iterate()) {
      yield { target, key, state, weight, order, time } as HistoryEntry;
    }
  }

  /** The resources of a set, ascending by key. */
  *resources(target: number): Iterable<ScratchRow> {
    const rows = this.#database.prepare(
      'SELECT key, state, weight, event_order FROM resources WHERE target = ? ORDER BY key',
    );
    for (const [key, state, weight, order] of rows.iterate(target)) {
      yield { target, key, state, weight, order } as ScratchRow;
    }
  }

  /**
   * When the changes of a resource are in several shards, the index does not know the order in which they were written;
   * nor does a reindexed copy. So changes of one time are put in an order in which each is consistent with the one
   * before.
   */
  #orderTies(): void {
    this.#database.exec(`
      CREATE TABLE ties AS SELECT target, key, time, written FROM changes
        GROUP BY target, key, time, written HAVING count(*) > 1 ORDER BY target, key, time, written`);
    const changes = this.#database.prepare(
      'SELECT rowid, kind, sequence FROM changes WHERE (target, key, time, written) = (?,?,?,?) ORDER BY sequence, rowid',
    );
    const move = this.#database.prepare('UPDATE changes SET sequence = ?, place = ? WHERE rowid = ?');
    const isLive = this.#database.prepare(IS_LIVE_BEFORE);
    // Ascending by time within a key, so the changes before a tie are already ordered.
    for (const tie of this.#database.prepare('SELECT * FROM ties ORDER BY rowid').iterate()) {
      const [target, key, time, written] = tie as [number, string, Stamp, Stamp];
      const tied = changes.all(target, key, time, written) as unknown as readonly Tied[];
      const [live] = isLive.get(target, key, time, written) as unknown as [number];
      const kinds = tied.map(([, kind]) => kind);
      // They exchange their sequence numbers: changes of other resources keep theirs, and so their positions.
      for (const [place, at] of orderOfKinds(kinds, live === 1).entries())
        move.run(tied[place]![2], place, tied[at]![0]);
    }
  }

  close(): void {
    this.#database.close();
  }
}

/** An accepted document takes precedence over a rejected one; otherwise the newer one does. */
function isNewer(row: ScratchResource, found: [string | null, number, number, string]): boolean {
  const [state, written, sequence, document] = found;
  if ((row.state === null) !== (state === null)) return state === null;
  if (row.written !== written) return row.written > written;
  if (row.sequence !== sequence) return row.sequence > sequence;
  return row.document > document;
}
