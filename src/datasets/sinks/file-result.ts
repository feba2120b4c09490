import type { DocumentWithResult, ResultRow } from './result-row.ts';

/**
 * The result of a single file, as sandcrawler's workers of files report it (D32, D36): of a dataset that is one file;
 * undefined for others.
 */
export function fileResultOf({ request }: DocumentWithResult, row: ResultRow): object | undefined {
  const [file] = row.manifest ?? [];
  if (!row.hit || file === undefined || row.ingest_strategy?.endsWith('-file') !== true) return undefined;
  return {
    request,
    hit: true,
    status: 'success',
    ingest_strategy: row.ingest_strategy,
    terminal: {
      terminal_url: file.terminal_url ?? row.terminal_url,
      terminal_dt: file.terminal_dt ?? row.terminal_dt,
      terminal_status_code: 200,
      terminal_sha1hex: file.sha1,
    },
    file_meta: {
      size_bytes: file.size,
      md5hex: file.md5,
      sha1hex: file.sha1,
      sha256hex: file.sha256,
      mimetype: file.mimetype,
    },
  };
}
