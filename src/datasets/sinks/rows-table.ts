import type { ResultRow } from './result-row.ts';

export const TABLE = 'ingest_fileset_result';

/**
 * The table of the source document (D39-D48), in SQL of both PostgreSQL and SQLite: CURRENT_TIMESTAMP is another name
 * of `now()`. Its check of item_bundle_path names a column that does not exist: a misprint.
 */
export const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS ${TABLE} (
  ingest_type TEXT NOT NULL CHECK (octet_length(ingest_type) >= 1),
  base_url TEXT NOT NULL CHECK (octet_length(base_url) >= 1),
  updated TIMESTAMP WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  hit BOOLEAN NOT NULL,
  status TEXT CHECK (octet_length(status) >= 1),
  terminal_url TEXT CHECK (octet_length(terminal_url) >= 1),
  terminal_dt TEXT CHECK (octet_length(terminal_dt) = 14),
  terminal_status_code INT,
  terminal_sha1hex TEXT CHECK (octet_length(terminal_sha1hex) = 40),
  platform TEXT CHECK (octet_length(platform) >= 1),
  platform_domain TEXT CHECK (octet_length(platform_domain) >= 1),
  platform_id TEXT CHECK (octet_length(platform_id) >= 1),
  ingest_strategy TEXT CHECK (octet_length(ingest_strategy) >= 1),
  total_size BIGINT,
  file_count INT,
  item_name TEXT CHECK (octet_length(item_name) >= 1),
  item_bundle_path TEXT CHECK (octet_length(item_bundle_path) >= 1),
  manifest JSONB,
  PRIMARY KEY (ingest_type, base_url)
);
CREATE INDEX IF NOT EXISTS ${TABLE}_terminal_url_idx ON ${TABLE} (terminal_url);
`;

export const COLUMNS = [
  'ingest_type',
  'base_url',
  'updated',
  'hit',
  'status',
  'terminal_url',
  'terminal_dt',
  'terminal_status_code',
  'terminal_sha1hex',
  'platform',
  'platform_domain',
  'platform_id',
  'ingest_strategy',
  'total_size',
  'file_count',
  'item_name',
  'item_bundle_path',
  'manifest',
] as const satisfies readonly (keyof ResultRow)[];

const [, , ...others] = COLUMNS;

/** After an INSERT: a row of the same key is replaced (D49). */
export const OR_REPLACE = `ON CONFLICT (ingest_type, base_url) DO UPDATE SET ${others
  .map((column) => `${column} = excluded.${column}`)
  .join(', ')}`;

/** A statement that writes a row, for both databases. */
export function insertOf(row: ResultRow): string {
  const values = COLUMNS.map((column) => literalOf(row[column])).join(', ');
  return `INSERT INTO ${TABLE} (${COLUMNS.join(', ')}) VALUES (${values}) ${OR_REPLACE};\n`;
}

function literalOf(value: ResultRow[keyof ResultRow]): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `'${text.replaceAll("'", "''")}'`;
}
