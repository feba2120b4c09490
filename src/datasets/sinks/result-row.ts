import type { ManifestFile } from '../manifest.ts';
import type { IngestResult, RequestDocument } from '../request.ts';

/** A row of the table `ingest_fileset_result` (D39-D46). */
export interface ResultRow {
  readonly ingest_type: string;
  readonly base_url: string;
  /** Such as `2026-11-29T08:00:00.000Z`. */
  readonly updated: string;
  readonly hit: boolean;
  readonly status: string | null;
  readonly terminal_url: string | null;
  /** 14 digits. */
  readonly terminal_dt: string | null;
  readonly terminal_status_code: number | null;
  /** 40 digits. */
  readonly terminal_sha1hex: string | null;
  readonly platform: string | null;
  readonly platform_domain: string | null;
  readonly platform_id: string | null;
  readonly ingest_strategy: string | null;
  /** Bytes. */
  readonly total_size: number | null;
  readonly file_count: number | null;
  readonly item_name: string | null;
  readonly item_bundle_path: string | null;
  readonly manifest: readonly RowFile[] | null;
}

/** A file in the column `manifest` (D47). What was wrong with it is in `extra.message`. */
type RowFile = Omit<ManifestFile, 'message' | 'stored'>;

/** A request that has a result. */
export type DocumentWithResult = RequestDocument & { readonly result: IngestResult };

export function hasResult(document: RequestDocument): document is DocumentWithResult {
  return document.result !== undefined;
}

/**
 * The row of a result.
 * @param files of its manifest; undefined when there is none
 */
export function rowOf({ request, result }: DocumentWithResult, files: readonly ManifestFile[] | undefined): ResultRow {
  const { terminal, platform } = result;
  return {
    ingest_type: request.ingest_type,
    base_url: request.base_url,
    updated: new Date(result.updated).toISOString(),
    hit: result.hit,
    status: textOf(result.status),
    terminal_url: textOf(terminal?.url),
    terminal_dt: textOf(terminal?.dt),
    terminal_status_code: terminal?.statusCode ?? null,
    terminal_sha1hex: textOf(terminal?.sha1hex),
    platform: textOf(platform?.name),
    platform_domain: textOf(platform?.domain),
    platform_id: textOf(platform?.id),
    ingest_strategy: textOf(result.strategy),
    total_size: result.totalSize ?? null,
    file_count: result.fileCount ?? null,
    item_name: textOf(result.itemName),
    item_bundle_path: textOf(result.itemBundlePath),
    manifest: files?.map(fileOf) ?? null,
  };
}

/** The table has no empty texts (D39-D45). */
function textOf(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : storable(text);
}

function fileOf({ stored: _, message, extra, ...file }: ManifestFile): RowFile {
  const more = message === undefined ? extra : { ...extra, message };
  return storable(more === undefined ? file : { ...file, extra: more });
}

/** U+0000 and halves of characters, which PostgreSQL refuses, become U+FFFD. */
function storable<Value>(value: Value): Value {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\u{fffd}') as Value;
  if (Array.isArray(value)) return value.map(storable) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map((member) => member.map(storable))) as Value;
}
