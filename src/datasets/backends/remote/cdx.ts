import type { Service } from './service.ts';
import { serviceFailure, wordsOf } from './service.ts';

/** A capture, as the index of a web archive has it. */
export interface Capture {
  readonly url: string;
  /** 14 digits, in UTC. */
  readonly timestamp: string;
  readonly mimetype: string;
  /** Absent for a capture that refers to an earlier one with the same bytes (`warc/revisit`). */
  readonly statusCode?: number;
  /** SHA-1 of the body as it was sent, in base32. */
  readonly digest: string;
}

/**
 * Parses an answer of a CDX server with `output=json`: an array of arrays with a header (archive.org), or an object on
 * each line (pywb).
 * @throws Error when it is neither
 */
export function parseCdx(text: string): readonly Capture[] {
  const body = text.trim();
  if (body === '') return [];
  if (!body.startsWith('[')) return body.split('\n').map((line) => captureOf(JSON.parse(line)));
  const [names = [], ...rows] = JSON.parse(body) as readonly (readonly unknown[])[];
  if (!Array.isArray(names)) throw new Error('it is neither an array of arrays nor an object on each line');
  return rows.map((row) => captureOf(Object.fromEntries(names.map((name, at) => [String(name), row[at]]))));
}

function captureOf(fields: Readonly<Record<string, unknown>>): Capture {
  const { timestamp, digest, original, url = original, statuscode, status = statuscode } = fields;
  if (typeof url !== 'string' || typeof digest !== 'string' || !/^\d{14}$/.test(String(timestamp))) {
    throw new Error('a capture has no URL, no digest, or no timestamp of 14 digits');
  }
  return {
    url,
    timestamp: String(timestamp),
    mimetype: String(fields.mime ?? fields.mimetype ?? ''),
    ...(/^\d{3}$/.test(String(status)) && { statusCode: Number(status) }),
    digest: digest.replace(/^sha1:/i, '').toUpperCase(),
  };
}

/** Whether a capture has the whole body of a response (d17). */
export const isWhole = ({ statusCode, mimetype }: Capture): boolean =>
  statusCode === 200 || statusCode === 203 || (statusCode === undefined && mimetype === 'warc/revisit');

interface CdxQuery {
  readonly url: string;
  /** Only captures from then on: 14 digits. */
  readonly from?: string | undefined;
}

/** The captures of a URL that have a whole body, the latest first. @throws IngestFailure `error-backend` */
export async function findCaptures(
  service: Service,
  { url, from }: CdxQuery,
  signal: AbortSignal,
): Promise<readonly Capture[]> {
  const query = new URLSearchParams({ url, output: 'json', matchType: 'exact', ...(from !== undefined && { from }) });
  const answer = await service.json(`cdx/search/cdx?${query}`, signal);
  // pywb answers 404 when it knows of no collection, and archive.org when a URL is excluded.
  if (answer.status !== 200) throw serviceFailure(service, `has no index of captures: it ${wordsOf(answer)}`);
  const captures = parsed(service, answer.text).filter(isWhole);
  return captures.toSorted((a, b) => (a.timestamp < b.timestamp ? 1 : -1));
}

function parsed(service: Service, text: string): readonly Capture[] {
  try {
    return parseCdx(text);
  } catch (error) {
    throw serviceFailure(service, `sends an index of captures that cannot be read: ${(error as Error).message}`);
  }
}

/** Milliseconds since 1970. @param timestamp 14 digits, in UTC */
export function timeOf(timestamp: string): number {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(timestamp)?.map(Number) ?? [];
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!);
}
