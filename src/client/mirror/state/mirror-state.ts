import { TidemarkError } from '../../../core/errors.ts';
import { keyOfPath } from '../../../core/key.ts';
import { type CopiedResource, encodeAbout } from '../lists/wanted-resource.ts';
import { freePath, isRenamed, type TakenNames } from '../names/resource-path.ts';
import { foldedName, OWN_PREFIX } from '../names/safe-name.ts';
import type { Facts } from './facts.ts';
import {
  type ComparedResource,
  type ComparedRow,
  comparedOf,
  KNOWN_COLUMNS,
  type KnownResource,
  knownOf,
} from './known-resource.ts';
import { LinkTable } from './link-table.ts';
import { StateDatabase } from './state-database.ts';

export interface FailedResource {
  readonly uri: string;
  readonly reason: string;
  /** A WantedResource, as JSON. */
  readonly wanted: string;
}

/** The file is in the folder of the copy, or in the state folder of a copy in a bucket. */
export const STATE_FILE = `${OWN_PREFIX}.db`;

/** Number of failures that one pass reads. */
export const MOST_FAILURES = 100_000;
const MOST_FOLDERS = 1_000;
const READ_AT_ONCE = 1_000;
const VERSION = 2;
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS resource (
    id INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, path TEXT NOT NULL, folded TEXT NOT NULL UNIQUE,
    length INTEGER, hash TEXT, lastmod TEXT, stamp INTEGER, validator TEXT, about TEXT, key TEXT);
  CREATE TABLE IF NOT EXISTS renamed (id INTEGER PRIMARY KEY);
  CREATE TABLE IF NOT EXISTS failure (uri TEXT PRIMARY KEY, reason TEXT NOT NULL, wanted TEXT NOT NULL) WITHOUT ROWID;
`;
/**
 * The state of a copy, in one SQLite file. `commit` makes changes durable together: if the process ends before, none of
 * them is saved.
 */
export class MirrorState implements TakenNames {
  readonly #database: StateDatabase;
  /**
   * A cache of folded paths of folders that contain a resource, so they cannot be files. The same ones are asked for
   * again and again.
   */
  readonly #folders = new Set<string>();
  #prefix: string | undefined;
  /** False when there are none: then none need be cleared, which a copy of millions would do as often. */
  #hasFailures = true;
  /** Undefined unless the copy is listed. */
  #links: LinkTable | undefined;
  #keepsNames: boolean | undefined;

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
    this.#hasFailures = this.failures(1).length > 0;
  }

  fact<Name extends keyof Facts>(name: Name): Facts[Name] | undefined {
    const row = this.#database.get('SELECT value FROM fact WHERE name = ?', name);
    return row === undefined ? undefined : JSON.parse(row[0] as string);
  }

  setFact<Name extends keyof Facts>(name: Name, value: Facts[Name] | undefined): void {
    if (value === undefined) this.#database.run('DELETE FROM fact WHERE name = ?', name);
    else this.#database.run('INSERT OR REPLACE INTO fact VALUES (?, ?)', name, JSON.stringify(value));
    if (name === 'prefix') this.#prefix = undefined;
    if (name === 'keepsNames') this.#keepsNames = undefined;
  }

  resource(uri: string): KnownResource | undefined {
    const row = this.#database.get(`SELECT ${KNOWN_COLUMNS} FROM resource WHERE uri = ?`, uri);
    return row === undefined ? undefined : knownOf(row);
  }

  /** At most `limit` resources with larger ids, in the order of their ids. */
  resources(after: number, limit: number): readonly KnownResource[] {
    const sql = `SELECT ${KNOWN_COLUMNS} FROM resource WHERE id > ? ORDER BY id LIMIT ?`;
    return this.#database.all(sql, after, limit).map(knownOf);
  }

  /** At most `limit` resources from this URI on, in the order of their URIs, to be compared with a list. */
  resourcesFrom(uri: string, limit: number): readonly ComparedResource[] {
    const sql = 'SELECT id, uri, about, length, hash, lastmod, stamp FROM resource WHERE uri >= ? ORDER BY uri LIMIT ?';
    const rows = this.#database.all(sql, uri, limit) as unknown as readonly ComparedRow[];
    return rows.map(comparedOf);
  }

  resourceAt(path: string): KnownResource | undefined {
    const row = this.#database.get(`SELECT ${KNOWN_COLUMNS} FROM resource WHERE folded = ?`, this.fold(path));
    return row === undefined || row[2] !== path ? undefined : knownOf(row);
  }

  /** The number of resources in the copy, their bytes, and the number of failures. */
  totals(): { readonly count: number; readonly bytes: number; readonly failures: number } {
    const row = this.#database.get('SELECT count(length), ifnull(sum(length), 0) FROM resource')!;
    const failures = this.#database.get('SELECT count(*) FROM failure')![0] as number;
    return { count: row[0] as number, bytes: row[1] as number, failures };
  }

  /** The number of resources whose path is not the one of their URI; 0 while it is not known. */
  renamed(): number {
    if (this.fact('keepsNames') === undefined) return 0;
    return this.#database.get('SELECT count(*) FROM renamed')![0] as number;
  }

  /** Sets, once for a copy, whether its paths are different where their bytes are. One with files keeps their paths. */
  beginNames(keepsNames: boolean): void {
    if (this.fact('keepsNames') !== undefined) return;
    const isNew = this.largestId() === 0;
    this.setFact('keepsNames', isNew && keepsNames);
    if (!isNew) this.#countRenamed();
  }

  fold(path: string): string {
    this.#keepsNames ??= this.fact('keepsNames') ?? false;
    return this.#keepsNames ? path : foldedName(path);
  }

  /** The number of resources with a path, including those without a file. */
  named(): number {
    return this.#database.get('SELECT count(*) FROM resource')![0] as number;
  }

  largestId(): number {
    return this.#database.get('SELECT ifnull(max(id), 0) FROM resource')![0] as number;
  }

  /** Gives a new resource its path, which never changes while the resource exists. */
  name(uri: string): KnownResource {
    this.#prefix ??= this.fact('prefix') ?? '';
    const path = freePath(uri, this.#prefix, this);
    const folded = this.fold(path);
    const key = this.#links === undefined ? null : keyOfPath(path);
    const sql = 'INSERT INTO resource (uri, path, folded, key) VALUES (?, ?, ?, ?)';
    const id = this.#database.run(sql, uri, path, folded, key);
    if (isRenamed(uri, this.#prefix, path)) this.#database.run('INSERT OR IGNORE INTO renamed VALUES (?)', id);
    this.#rememberFolders(folded);
    return { id, uri, path, copied: undefined, validator: undefined };
  }

  setCopied(id: number, copied: CopiedResource, validator: string | undefined): void {
    const { length, hash, lastmod, stamp, about } = copied;
    const sql =
      'UPDATE resource SET length = ?, hash = ?, lastmod = ?, stamp = ?, validator = ?, about = ? WHERE id = ?';
    this.#database.run(sql, length, hash, lastmod ?? null, stamp ?? null, validator ?? null, encodeAbout(about), id);
    this.#links?.set(id, about);
  }

  /** The paths of listed resources that link to a URI. */
  pathsLinkingTo(uri: string): readonly string[] {
    return this.#links?.pathsTo(uri) ?? [];
  }

  /** Forgets the state of all files, and the cursor. Resources keep their paths. */
  forgetAllCopied(): void {
    this.#database.run('UPDATE resource SET length = NULL, hash = NULL, validator = NULL');
    this.clearFailures();
    const facts = ['cursor', 'seen', 'changesBefore', 'changeListRead', 'listRead', 'lastPass'] as const;
    for (const name of facts) this.setFact(name, undefined);
  }

  /** Records that the copy has no right file of the resource: the next pass that wants it fetches it. */
  forgetCopied(id: number): void {
    this.#database.run('UPDATE resource SET length = NULL, hash = NULL, validator = NULL WHERE id = ?', id);
  }

  remove(id: number): void {
    this.#folders.clear();
    this.#database.run('DELETE FROM resource WHERE id = ?', id);
    this.#links?.set(id);
    this.#database.run('DELETE FROM renamed WHERE id = ?', id);
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

  has(folded: string): boolean {
    // In ASCII, 0 follows the slash. One statement, because each call takes longer than finding the row.
    const sql = `SELECT 1 WHERE EXISTS (SELECT 1 FROM resource WHERE folded = ?)
      OR EXISTS (SELECT 1 FROM resource WHERE folded > ? AND folded < ?)`;
    return this.#database.get(sql, folded, `${folded}/`, `${folded}0`) !== undefined;
  }

  /** Adds keys and links, now and for later resources, so that `CopyListing` can list the copy. */
  listByKey(): void {
    this.#links = new LinkTable(this.#database);
    this.#database.define('key_of', keyOfPath);
    this.#database.exec(`
      CREATE UNIQUE INDEX IF NOT EXISTS resource_key ON resource (key) WHERE key IS NOT NULL;
      UPDATE resource SET key = key_of(path) WHERE key IS NULL`);
    if (this.fact('hasLinks')) return;
    // The next pass compares the copy with the whole list, which has the links.
    this.setFact('cursor', undefined);
    this.setFact('hasLinks', true);
    this.commit();
  }

  /** @throws TidemarkError `unavailable`, such as on a full disk: nothing can be changed before `recover` then */
  commit(): void {
    this.#database.commit();
  }

  /**
   * Rolls back after a change or a commit has failed. Ids of resources from before are invalid afterwards: another
   * resource may get the same one.
   */
  recover(): void {
    if (!this.#database.recover()) return;
    this.#folders.clear();
    this.#prefix = undefined;
    this.#keepsNames = undefined;
    this.#hasFailures = true;
  }

  /** Changes that were not committed are lost. */
  close(): void {
    this.#database.close();
  }

  #countRenamed(): void {
    const prefix = this.fact('prefix') ?? '';
    for (let after = 0; ; ) {
      const resources = this.resources(after, READ_AT_ONCE);
      for (const { id, uri, path } of resources) {
        after = id;
        if (isRenamed(uri, prefix, path)) this.#database.run('INSERT OR IGNORE INTO renamed VALUES (?)', id);
      }
      if (resources.length < READ_AT_ONCE) return;
    }
  }

  #rememberFolders(folded: string): void {
    if (this.#folders.size > MOST_FOLDERS) this.#folders.clear();
    for (let at = folded.indexOf('/'); at >= 0; at = folded.indexOf('/', at + 1))
      this.#folders.add(folded.slice(0, at));
  }
}
