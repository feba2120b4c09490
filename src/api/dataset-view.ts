import * as z from 'zod';
import { type ManifestFile, STRATEGY_NAMES } from '../datasets/manifest.ts';
import { INGEST_TYPE, type IngestResult } from '../datasets/request.ts';
import type { AnyManifest } from '../datasets/results/manifests.ts';
import type { ListedRequest } from '../datasets/results/request-list.ts';
import { DATASET_STATUSES } from '../datasets/status.ts';
import { count, datetime, formatTime, next } from './fields.ts';

/**
 * The shapes of datasets in the JSON API, and of the lines that `tidemark datasets ingest -` writes. Requests, results
 * and files have the names of sandcrawler.
 */

export const REQUEST_STATES = ['waiting', 'running', 'ended'] as const;
const MOST_URL = 2_000;

const links = {
  link_source: z.string().optional().describe('Where the URL was found, such as `doi` or `fatcat`.'),
  link_source_id: z.string().optional(),
  ingest_request_source: z.string().optional(),
  ext_ids: z.record(z.string(), z.string()).optional(),
  fatcat: z.record(z.string(), z.unknown()).optional(),
  edit_extra: z.record(z.string(), z.unknown()).optional(),
};

/** Describes a request; parse-request.ts checks it. */
export const newRequestSchema = z
  .looseObject({
    ingest_type: z.literal(INGEST_TYPE).optional(),
    base_url: z
      .string()
      .min(1)
      .max(MOST_URL)
      .describe('The URL of the landing page, or a DOI or handle in any of its spellings.'),
    ...links,
  })
  .meta({
    id: 'NewIngestRequest',
    description: 'Members that are not named here are kept as they came.',
    examples: [{ ingest_type: 'dataset', base_url: 'https://doi.org/10.7910/DVN/CLSFKX' }],
  });

const requestSchema = z
  .looseObject({ ingest_type: z.literal(INGEST_TYPE), base_url: z.string(), ...links })
  .meta({ id: 'IngestRequest', description: 'The request as it came, with its URL.' });

const resultSchema = z
  .strictObject({
    hit: z.boolean().describe('Whether the dataset is stored.'),
    status: z.enum(DATASET_STATUSES),
    message: z.string().optional().describe('What was wrong, where, and what to do. Absent for a success.'),
    updated: datetime,
    terminal_url: z.string().optional().describe('Where the crawl of `base_url` has ended.'),
    terminal_dt: z.string().optional().describe('When: 14 digits, in UTC.'),
    terminal_status_code: z.int().optional(),
    terminal_sha1hex: z.string().optional(),
    platform: z.string().optional(),
    platform_domain: z.string().optional(),
    platform_id: z.string().optional(),
    version: z.string().optional(),
    ingest_strategy: z.enum(STRATEGY_NAMES).optional(),
    total_size: count.optional().describe('Bytes.'),
    file_count: count.optional(),
    item_name: z.string().optional(),
    item_bundle_path: z.string().optional(),
  })
  .meta({ id: 'IngestResult', description: 'The last result of a request, also while the next one is awaited.' });

const optionsSchema = z.strictObject({
  bundle: z.boolean().optional(),
  followLatest: z.boolean().optional(),
  acceptMismatch: z.boolean().optional(),
});

export const datasetRequestSchema = z
  .strictObject({
    id: z.string().describe('Of the request: 32 hexadecimal digits, the same for each request of this URL.'),
    set: z.string().describe('The id of the set that publishes the dataset.'),
    state: z.enum(REQUEST_STATES),
    requested: datetime,
    job: z.string().optional(),
    options: optionsSchema.optional(),
    request: requestSchema,
    result: resultSchema.optional(),
  })
  .meta({ id: 'DatasetRequest', description: 'A request of a dataset, and what became of it.' });

export const datasetRequestsSchema = z
  .strictObject({ requests: z.array(datasetRequestSchema), next: next('after') })
  .meta({ id: 'DatasetRequests' });

const fileSchema = z
  .strictObject({
    status: z.string().describe('As of a result; or `unverified`, `accepted-mismatch`, `not-tried`.'),
    message: z.string().optional(),
    path: z.string(),
    size: count.optional().describe('Bytes.'),
    md5: z.string().optional(),
    sha1: z.string().optional(),
    sha256: z.string().optional(),
    mimetype: z.string().optional(),
    platform_url: z.string().optional(),
    terminal_url: z.string().optional(),
    terminal_dt: z.string().optional(),
    extra: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'DatasetFile',
    description: 'Of a file that was not stored, hashes and size are those of the platform.',
  });

export const datasetFilesSchema = z
  .strictObject({
    id: z.string(),
    file_count: count,
    bundle: fileSchema.optional().describe('The stored file that contains the others.'),
    notes: z.array(z.string()).optional().describe('What people have to know, such as which files are left out.'),
    files: z.array(fileSchema),
    next: z.int().optional().describe('Send it as `at` for what follows. Absent when nothing does.'),
  })
  .meta({ id: 'DatasetFiles' });

const line = { number: z.int().min(1).describe('The number of its line, counted from 1.') };
export const requestLineSchema = z
  .discriminatedUnion('status', [
    z
      .strictObject({ ...line, status: z.literal('added'), id: z.string(), base_url: z.string() })
      .meta({ id: 'AddedRequest' }),
    z
      .strictObject({
        ...line,
        status: z.literal('rejected'),
        code: z.string(),
        message: z.string(),
        field: z.string().optional(),
      })
      .meta({ id: 'RejectedRequest' }),
  ])
  .meta({ id: 'RequestLine', description: 'What became of the request on one line.' });
export type RequestLine = z.output<typeof requestLineSchema>;

const totals = { added: count, rejected: count };
export const lastRequestLineSchema = z
  .discriminatedUnion('complete', [
    z.strictObject({ complete: z.literal(true), ...totals }).meta({ id: 'CompleteRequests' }),
    z
      .strictObject({
        complete: z.literal(false),
        ...totals,
        error: z.looseObject({ code: z.string(), message: z.string() }),
      })
      .meta({ id: 'IncompleteRequests' }),
  ])
  .meta({ id: 'LastRequestLine' });

export type DatasetRequestView = z.output<typeof datasetRequestSchema>;
export type DatasetFileView = z.output<typeof fileSchema>;

export function datasetRequestView({ id, document }: ListedRequest): DatasetRequestView {
  const { request, options, set, requested, job, state, result } = document;
  return {
    id,
    set,
    state,
    requested: formatTime(requested),
    ...(job !== undefined && { job }),
    ...(Object.keys(options).length > 0 && { options }),
    request,
    ...(result !== undefined && { result: resultView(result) }),
  } as DatasetRequestView;
}

function resultView(result: IngestResult): DatasetRequestView['result'] {
  const { hit, status, message, updated, terminal, platform, strategy, totalSize, fileCount } = result;
  const given = {
    message,
    updated: formatTime(updated),
    terminal_url: terminal?.url,
    terminal_dt: terminal?.dt,
    terminal_status_code: terminal?.statusCode,
    terminal_sha1hex: terminal?.sha1hex,
    platform: platform?.name,
    platform_domain: platform?.domain,
    platform_id: platform?.id,
    version: platform?.version,
    ingest_strategy: strategy,
    total_size: totalSize,
    file_count: fileCount,
    item_name: result.itemName,
    item_bundle_path: result.itemBundlePath,
  };
  const known = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return { hit, status, ...(known as Pick<typeof given, 'updated'>) };
}

/** Without the place in the artifact store: that is of this program alone. */
export function datasetFileView({ stored: _, ...file }: ManifestFile): DatasetFileView {
  return file as DatasetFileView;
}

/** The files of a manifest, from position `at`, of which the first is 0. */
export function datasetFilesView(
  id: string,
  manifest: AnyManifest | undefined,
  { at, limit }: { readonly at: number; readonly limit: number },
): z.output<typeof datasetFilesSchema> {
  const files = manifest?.files ?? [];
  const bundle = manifest !== undefined && 'bundle' in manifest ? manifest.bundle : undefined;
  const end = at + limit;
  return {
    id,
    file_count: files.length,
    ...(bundle !== undefined && { bundle: datasetFileView(bundle) }),
    ...(manifest?.notes !== undefined && { notes: [...manifest.notes] }),
    files: files.slice(at, end).map(datasetFileView),
    ...(end < files.length && { next: end }),
  };
}
