import { TidemarkError } from '../../../core/errors.ts';
import { keyOfPath } from '../../../core/key.ts';
import { type CopiedResource, decodeAbout, encodeAbout } from '../lists/wanted-resource.ts';
import { foldedPath, freePath, type TakenNames } from '../names/resource-path.ts';
import { OWN_PREFIX } from '../names/safe-name.ts';
import { StateDatabase } from './state-database.ts';

/** What the copy has of a resource. A resource that has a path but no file yet has no `copied`. */
export interface KnownResource {
  readonly id: number;
  readonly uri: string;
  readonly path: string;
  readonly copied: CopiedResource | undefined;
  /** What the server said of the bytes, for a conditional request: an ETag, or a Last-Modified. */
  readonly validator: string | undefined;
}

/** What is known of the source as a whole. */
export interface Facts {
  /** The URL that the person gave, without a login. */
  readonly url: string;
  /** The Capability List, or the list itself. */
  readonly set: string;
  /** Of a copy whose files are in a bucket: where they are, and the id that the bucket has of this copy. */
  readonly bucket: { readonly name: string; readonly id: string };
  /** What all URIs began with when the copy was made: see `commonPrefix`. */
  readonly prefix: string;
  /** Microseconds since 1970: changes from here on are not applied, except those of `seen`. */
  readonly cursor: number;
  /** URIs whose changes at the time of the cursor are applied. */
  readonly seen: readonly string[];
  /** Whether the source answers `changelist.xml?from=`. */
  readonly hasRanges: boolean;
  /** Of the Change List as it was read last: its URL and its ETag or Last-Modified. */
  readonly changesRead: { readonly uri: string; readonly validator: string };
  /** The Resource List that the copy was compared with last, and when, milliseconds since 1970. */
  readonly listRead: { readonly uri: string; readonly at: number | undefined; readonly time: number };
  /** When the last pass ended, milliseconds since 1970, and what stopped it. */
  readonly lastPass: { readonly time: number; readonly failure: string | undefined };
}

export interface FailedResource {
  readonly uri: string;
  readonly reason: string;
  /** A WantedResource, as JSON. */
  readonly wanted: string;
}

/** Beside the files of the copy. */
export const STATE_FILE = `${OWN_PREFIX}.db`;

const MOST_FOLDERS = 1_000;
const VERSION = 2;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS resource (
    id INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, path TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,
    length INTEGER, hash TEXT, lastmod TEXT, stamp INTEGER, validator TEXT, about TEXT, key TEXT);
  CREATE TABLE IF NOT EXISTS failure (uri TEXT PRIMARY KEY, reason TEXT NOT NULL, wanted TEXT NOT NULL) WITHOUT ROWID;
`;
const COLUMNS = 'id, uri, path, length, hash, lastmod, stamp, validator, about';

/**
 * What a copy consists of, in one SQLite file beside it. Changes are made durable together, by `commit`: a process that
 * ends before has changed nothing here.
 */
export class MirrorState implements TakenNames {
  readonly #database: StateDatabase;
  /** Folded paths of folders that have a resource: none of them can be a file. Some of them, since most are asked for
   * again and again. */
  readonly #folders = new Set<string>();
  #prefix: string | undefined;
  #hasFailures = true;
  #isListed = false;

  /** @throws TidemarkError `unavailable` or `incompatible` */
  constructor(file: string, readOnly = false) {
    this.#database = new StateDatabase(file, { schema: SCHEMA, readOnly });
    if (readOnly) return;
    const version = this.#database.get('SELECT value FROM fact WHERE name = ?', 'version')?.[0];
    if (version !== undefined && version !== String(VERSION)) {
      this.#database.close();
      throw new TidemarkError('incompatible', `the copy was made by another version of Tidemark: use that one`, {
        file,
      });
    }
    if (version === undefined) this.#database.run('INSERT INTO fact VALUES (?, ?)', 'version', String(VERSION));
    this.commit();
  }

  fact<Name extends keyof Facts>(name: Name): Facts[Name] | undefined {
    const row = this.#database.get('SELECT value FROM fact WHERE name = ?', name);
    return row === undefined ? undefined : JSON.parse(row[0] as string);
  }

  setFact<Name extends keyof Facts>(name: Name, value: Facts[Name] | undefined): void {
    if (value === undefined) this.#database.run('DELETE FROM fact WHERE name = ?', name);
    else this.#database.run('INSERT OR REPLACE INTO fact VALUES (?, ?)', name, JSON.stringify(value));
    if (name === 'prefix') this.#prefix = undefined;
  }

  resource(uri: string): KnownResource | undefined {
    const row = this.#database.get(`SELECT ${COLUMNS} FROM resource WHERE uri = ?`, uri);
    return row === undefined ? undefined : knownOf(row);
  }

  /** At most so many, by their ids, after one. */
  resources(after: number, limit: number): readonly KnownResource[] {
    const sql = `SELECT ${COLUMNS} FROM resource WHERE id > ? ORDER BY id LIMIT ?`;
    return this.#database.all(sql, after, limit).map(knownOf);
  }

  /** At most so many, by their URIs, from one on: what a list is compared with. */
  resourcesFrom(uri: string, limit: number): readonly Pick<KnownResource, 'id' | 'uri' | 'copied'>[] {
    const sql = 'SELECT id, uri, length, hash, lastmod, stamp FROM resource WHERE uri >= ? ORDER BY uri LIMIT ?';
    const rows = this.#database.all(sql, uri, limit) as unknown as readonly ComparedRow[];
    return rows.map(([id, uri, ...copied]) => ({ id, uri, copied: copiedOf(copied) }));
  }

  resourceAt(path: string): KnownResource | undefined {
    const row = this.#database.get(`SELECT ${COLUMNS} FROM resource WHERE folded = ?`, foldedPath(path));
    return row === undefined || row[2] !== path ? undefined : knownOf(row);
  }

  /** How many resources the copy has, and their bytes. */
  totals(): { readonly count: number; readonly bytes: number; readonly failures: number } {
    const row = this.#database.get('SELECT count(length), ifnull(sum(length), 0) FROM resource')!;
    const failures = this.#database.get('SELECT count(*) FROM failure')![0] as number;
    return { count: row[0] as number, bytes: row[1] as number, failures };
  }

  /** How many resources have a path, those without a file included. */
  named(): number {
    return this.#database.get('SELECT count(*) FROM resource')![0] as number;
  }

  largestId(): number {
    return this.#database.get('SELECT ifnull(max(id), 0) FROM resource')![0] as number;
  }

  /** Gives a resource that is new its path, which it keeps as long as it exists. */
  name(uri: string): KnownResource {
    this.#prefix ??= this.fact('prefix') ?? '';
    const path = freePath(uri, this.#prefix, this);
    const folded = foldedPath(path);
    const key = this.#isListed ? keyOfPath(path) : null;
    const sql = 'INSERT INTO resource (uri, path, folded, key) VALUES (?, ?, ?, ?)';
    const id = this.#database.run(sql, uri, path, folded, key);
    this.#rememberFolders(folded);
    return { id, uri, path, copied: undefined, validator: undefined };
  }

  setCopied(id: number, copied: CopiedResource, validator: string | undefined): void {
    const { length, hash, lastmod, stamp, about } = copied;
    const sql =
      'UPDATE resource SET length = ?, hash = ?, lastmod = ?, stamp = ?, validator = ?, about = ? WHERE id = ?';
    this.#database.run(sql, length, hash, lastmod ?? null, stamp ?? null, validator ?? null, encodeAbout(about), id);
  }

  /** Nothing is known of any file, nor of how far changes were applied. Resources keep their paths. */
  forgetAllCopied(): void {
    this.#database.run('UPDATE resource SET length = NULL, hash = NULL, validator = NULL');
    this.clearFailures();
    const facts = ['cursor', 'seen', 'changesRead', 'listRead', 'lastPass'] as const;
    for (const name of facts) this.setFact(name, undefined);
  }

  /** The copy has no right file of the resource: the next pass that wants it fetches it. */
  forgetCopied(id: number): void {
    this.#database.run('UPDATE resource SET length = NULL, hash = NULL, validator = NULL WHERE id = ?', id);
  }

  remove(id: number): void {
    this.#folders.clear();
    this.#database.run('DELETE FROM resource WHERE id = ?', id);
  }

  failures(limit: number): readonly FailedResource[] {
    const rows = this.#database.all('SELECT uri, reason, wanted FROM failure ORDER BY uri LIMIT ?', limit);
    return rows.map((row) => {
      const [uri, reason, wanted] = row as unknown as readonly string[];
      return { uri: uri!, reason: reason!, wanted: wanted! };
    });
  }

  failure(uri: string): FailedResource | undefined {
    const row = this.#database.get('SELECT reason, wanted FROM failure WHERE uri = ?', uri);
    return row === undefined ? undefined : { uri, reason: row[0] as string, wanted: row[1] as string };
  }

  setFailure({ uri, reason, wanted }: FailedResource): void {
    this.#hasFailures = true;
    this.#database.run('INSERT OR REPLACE INTO failure VALUES (?, ?, ?)', uri, reason, wanted);
  }

  clearFailure(uri: string): void {
    if (this.#hasFailures) this.#database.run('DELETE FROM failure WHERE uri = ?', uri);
  }

  clearFailures(): void {
    this.#database.run('DELETE FROM failure');
    this.#hasFailures = false;
  }

  hasFile(folded: string): boolean {
    if (this.#folders.has(folded)) return false;
    return this.#database.get('SELECT 1 FROM resource WHERE folded = ?', folded) !== undefined;
  }

  hasFolder(folded: string): boolean {
    // 0 follows the slash.
    const sql = 'SELECT 1 FROM resource WHERE folded > ? AND folded < ? LIMIT 1';
    return this.#database.get(sql, `${folded}/`, `${folded}0`) !== undefined;
  }

  /** Lets `CopyListing` list the resources from now on. */
  listByKey(): void {
    this.#isListed = true;
    this.#database.define('key_of', keyOfPath);
    this.#database.exec(`
      CREATE UNIQUE INDEX IF NOT EXISTS resource_key ON resource (key) WHERE key IS NOT NULL;
      UPDATE resource SET key = key_of(path) WHERE key IS NULL`);
  }

  /** @throws TidemarkError `unavailable`, such as on a full disk: then nothing can be changed before `recover` */
  commit(): void {
    this.#database.commit();
  }

  /**
   * After changes could not be made or committed: forgets those that were not. No caller may have an id of a resource
   * any more, since another one may get it.
   */
  recover(): void {
    if (!this.#database.recover()) return;
    this.#folders.clear();
    this.#prefix = undefined;
    this.#hasFailures = true;
  }

  /** What was not committed is lost. */
  close(): void {
    this.#database.close();
  }

  #rememberFolders(folded: string): void {
    if (this.#folders.size > MOST_FOLDERS) this.#folders.clear();
    for (let at = folded.indexOf('/'); at >= 0; at = folded.indexOf('/', at + 1))
      this.#folders.add(folded.slice(0, at));
  }
}

function knownOf(row: readonly unknown[]): KnownResource {
  const [id, uri, path, length, hash, lastmod, stamp, validator, about] = row as readonly [
    ...[number, string, string, ...CopiedRow, string | null, string | null],
  ];
  const copied = copiedOf([length, hash, lastmod, stamp]);
  const known = { id, uri, path, validator: validator ?? undefined };
  return { ...known, copied: copied && { ...copied, about: decodeAbout(about) } };
}

type CopiedRow = readonly [length: number | null, hash: string | null, lastmod: string | null, stamp: number | null];
type ComparedRow = readonly [id: number, uri: string, ...CopiedRow];

function copiedOf([length, hash, lastmod, stamp]: CopiedRow): CopiedResource | undefined {
  if (length === null || hash === null) return undefined;
  return { length, hash, lastmod: lastmod ?? undefined, stamp: stamp ?? undefined };
}
