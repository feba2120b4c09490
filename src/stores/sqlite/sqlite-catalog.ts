import type { DatabaseSync } from 'node:sqlite';
import { parseStored } from '../../core/errors.ts';
import type { Catalog, CatalogDocument, CatalogKind, CatalogPage } from '../catalog.ts';
import type { ReadBatch } from './read-batch.ts';
import type { Writer } from './writer.ts';

/** Sorts above every character of an id. */
const LAST = '\u{10ffff}';

interface CatalogParts {
  readonly database: DatabaseSync;
  readonly writer: Writer;
  readonly reads: ReadBatch;
}

export class SqliteCatalog implements Catalog {
  readonly #writer: Writer;
  readonly #reads: ReadBatch;
  readonly #statements;

  constructor({ database, writer, reads }: CatalogParts) {
    this.#writer = writer;
    this.#reads = reads;
    this.#statements = {
      get: database.prepare('SELECT id, version, body FROM catalog WHERE kind = ? AND id = ?'),
      list: database.prepare('SELECT id, version, body FROM catalog WHERE kind = ? AND version > ? ORDER BY id'),
      first: database.prepare(
        'SELECT id, version, body FROM catalog WHERE kind = ? AND version > ? ORDER BY version LIMIT ?',
      ),
      latest: database.prepare(
        'SELECT id, version, body FROM catalog WHERE kind = ? AND id >= ? AND id < ? ORDER BY id DESC LIMIT ?',
      ),
      head: database.prepare('SELECT max(version) AS head FROM catalog WHERE kind = ?'),
    };
  }

  async get<Body>(kind: CatalogKind, id: string): Promise<CatalogDocument<Body> | undefined> {
    const row = await this.#reads.run(() => this.#statements.get.get(kind, id));
    return row && toDocument<Body>(row);
  }

  put<Body>(kind: CatalogKind, id: string, body: Body, replaces: number | undefined): Promise<number> {
    return this.#writer.put({ kind, id, body: JSON.stringify(body), replaces });
  }

  async list<Body>(kind: CatalogKind, after = 0, limit?: number): Promise<readonly CatalogDocument<Body>[]> {
    const { list, first } = this.#statements;
    const read = () => (limit === undefined ? list.all(kind, after) : first.all(kind, after, limit));
    return (await this.#reads.run(read)).map(toDocument<Body>);
  }

  async latest<Body>(
    kind: CatalogKind,
    prefix: string,
    { before, limit = -1 }: CatalogPage = {},
  ): Promise<readonly CatalogDocument<Body>[]> {
    const end = before?.startsWith(prefix) ? before : `${prefix}${LAST}`;
    return (await this.#reads.run(() => this.#statements.latest.all(kind, prefix, end, limit))).map(toDocument<Body>);
  }

  head(kind: CatalogKind): Promise<number> {
    return this.#reads.run((once) => once(`head of ${kind}`, () => this.#head(kind)));
  }

  #head(kind: CatalogKind): number {
    return (this.#statements.head.get(kind)?.head as number | null) ?? 0;
  }
}

function toDocument<Body>(row: Record<string, unknown>): CatalogDocument<Body> {
  const body = parseStored<Body>(row.body as string, `the document ${row.id}`);
  return { id: row.id as string, version: row.version as number, body };
}
