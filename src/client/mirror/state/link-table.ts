import type { About } from '../lists/wanted-resource.ts';
import type { StateDatabase } from './state-database.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS link (id INTEGER, target TEXT, PRIMARY KEY (id, target)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS link_target ON link (target)`;

/** Which resources link to a URI: their links lead to its copy while there is one. */
export class LinkTable {
  readonly #database: StateDatabase;

  constructor(database: StateDatabase) {
    this.#database = database;
    database.exec(SCHEMA);
  }

  /** Replaces the links of a resource. */
  set(id: number, { links = [] }: About = {}): void {
    this.#database.run('DELETE FROM link WHERE id = ?', id);
    for (const { href } of links) this.#database.run('INSERT OR IGNORE INTO link VALUES (?, ?)', id, href);
  }

  /** The paths of the resources that link to a URI. */
  pathsTo(uri: string): readonly string[] {
    const sql = 'SELECT path FROM link JOIN resource USING (id) WHERE target = ?';
    return this.#database.all(sql, uri).map(([path]) => path as string);
  }
}
