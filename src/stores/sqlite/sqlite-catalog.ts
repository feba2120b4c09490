import type { DatabaseSync } from 'node:sqlite';
import type { Catalog, CatalogDocument, CatalogKind } from '../catalog.ts';
import { ask } from './connection.ts';
import type { StoreIdentity } from './store-lock.ts';
import type { Writer } from './writer.ts';

interface CatalogParts {
  readonly database: DatabaseSync;
  readonly file: string;
  readonly writer: Writer;
  readonly identity: StoreIdentity;
}

export class SqliteCatalog implements Catalog {
  readonly #file: string;
  readonly #writer: Writer;
  readonly #identity: StoreIdentity;
  readonly #statements;

  constructor({ database, file, writer, identity }: CatalogParts) {
    this.#file = file;
    this.#writer = writer;
    this.#identity = identity;
    this.#statements = {
      get: database.prepare('SELECT id, version, body FROM catalog WHERE kind = ? AND id = ?'),
      list: database.prepare('SELECT id, version, body FROM catalog WHERE kind = ? AND version > ? ORDER BY id'),
      head: database.prepare('SELECT max(version) AS head FROM catalog WHERE kind = ?'),
    };
  }

  async get<Body>(kind: CatalogKind, id: string): Promise<CatalogDocument<Body> | undefined> {
    const row = this.#ask(() => this.#statements.get.get(kind, id));
    return row && toDocument<Body>(row);
  }

  put<Body>(kind: CatalogKind, id: string, body: Body, replaces: number | undefined): Promise<number> {
    return this.#writer.put({ kind, id, body: JSON.stringify(body), replaces });
  }

  async list<Body>(kind: CatalogKind, after = 0): Promise<readonly CatalogDocument<Body>[]> {
    return this.#ask(() => this.#statements.list.all(kind, after)).map(toDocument<Body>);
  }

  async head(kind: CatalogKind): Promise<number> {
    return (this.#ask(() => this.#statements.head.get(kind))?.head as number | null) ?? 0;
  }

  #ask<Result>(statement: () => Result): Result {
    this.#identity.require();
    return ask(this.#file, statement);
  }
}

function toDocument<Body>(row: Record<string, unknown>): CatalogDocument<Body> {
  return { id: row.id as string, version: row.version as number, body: JSON.parse(row.body as string) };
}
