import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** A statement with rows of a known type. */
export interface RowStatement<Row> {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  iterate(...values: SQLInputValue[]): Iterable<Row>;
}

/** Prepares a statement that returns rows as arrays, which node:sqlite creates twice as fast as objects. */
export function prepareRows<Row extends readonly unknown[]>(database: DatabaseSync, sql: string): RowStatement<Row> {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement as unknown as RowStatement<Row>;
}
