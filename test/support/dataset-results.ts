import type { ManifestFile } from '../../src/datasets/manifest.ts';
import type { IngestResult, RequestDocument } from '../../src/datasets/request.ts';
import { type DocumentWithResult, type ResultRow, rowOf } from '../../src/datasets/sinks/result-row.ts';
import type { SentResult } from '../../src/datasets/sinks/result-sink.ts';

/** 08:00 in UTC. */
export const RESULT_TIME = Date.UTC(2026, 10, 29, 8);

/** A request of `https://data.example.org/NAME`. */
export function requestDocument(name: string, more: Partial<RequestDocument> = {}): RequestDocument {
  return {
    request: {
      ingest_type: 'dataset',
      base_url: `https://data.example.org/${name}`,
      ext_ids: { doi: `10.5555/${name}` },
    },
    options: {},
    set: 'datasets',
    requested: RESULT_TIME - 60_000,
    token: 'token',
    state: 'ended',
    ...more,
  };
}

/** A request whose dataset of two files was stored. */
export function endedDocument(name: string, result: Partial<IngestResult> = {}): DocumentWithResult {
  const terminal = {
    url: `https://data.example.org/landing/${name}`,
    dt: '20261129075900',
    statusCode: 200,
    sha1hex: 'a'.repeat(40),
  };
  return {
    ...requestDocument(name),
    result: {
      hit: true,
      status: 'success',
      updated: RESULT_TIME,
      terminal,
      platform: { name: 'dataverse', domain: 'data.example.org', id: `doi:10.5555/${name}`, version: '1.1' },
      strategy: 'web-fileset',
      totalSize: 5_000_000_000,
      fileCount: 2,
      ...result,
    },
  };
}

export function manifestFile(path: string, more: Partial<ManifestFile> = {}): ManifestFile {
  return {
    status: 'success',
    path,
    size: 12,
    md5: '1'.repeat(32),
    sha1: '2'.repeat(40),
    sha256: '3'.repeat(64),
    mimetype: 'text/csv',
    platform_url: `https://data.example.org/file/${path}`,
    terminal_url: `https://s3.example.org/${path}`,
    terminal_dt: '20261129075930',
    extra: { description: 'Größe in µm' },
    stored: { artifact: 'web.warc', offset: 100, length: 12 },
    ...more,
  };
}

/** What a sink gets of such a request. @param row what is put into the row besides */
export function sentResult(name: string, row: Partial<ResultRow> = {}): SentResult {
  const document = endedDocument(name);
  const files = [manifestFile('a.csv'), manifestFile('b.csv')];
  return {
    document,
    row: { ...rowOf(document, files), ...row },
    manifestUrl: `http://localhost/api/datasets/${name}/files`,
  };
}
