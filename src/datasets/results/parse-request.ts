import * as z from 'zod';
import { TidemarkError } from '../../core/errors.ts';
import { fieldProblem, issueText } from '../../core/issue-text.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { INGEST_TYPE, type IngestRequest } from '../request.ts';

/** Bytes of a base_url: a B-tree of PostgreSQL refuses longer ones (d19). */
const MOST_URL_BYTES = 2_000;
/** Bytes of a request as JSON. */
const MOST_BYTES = 64 * 1024;
const DOI_RESOLVER = 'https://doi.org/';
const HANDLE_RESOLVER = 'https://hdl.handle.net/';
/** `doi:10.7910/DVN/CLSFKX`, `10.7910/DVN/CLSFKX`, `doi.org/10.7910/…`, `http://dx.doi.org/10.7910/…`. */
const DOI = /^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.|www\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i;
/** `hdl:1902.1/12612`. */
const HANDLE = /^hdl:\s*(\S+\/\S+)$/i;

/** In JSON: an even number of backslashes before it are characters of their own. */
const HAS_NUL = /(?<!\\)(?:\\\\)*\\u0000/;

const REQUEST = z.looseObject({
  ingest_type: z.string().default(INGEST_TYPE),
  base_url: z.string(),
  link_source: z.string().exactOptional(),
  link_source_id: z.string().exactOptional(),
  ingest_request_source: z.string().exactOptional(),
  ext_ids: z.record(z.string(), z.string()).exactOptional(),
  fatcat: z.record(z.string(), z.unknown()).exactOptional(),
  edit_extra: z.record(z.string(), z.unknown()).exactOptional(),
});

/**
 * Checks a request of a client: an object in sandcrawler's names, or only a URL or DOI. Other members are
 * kept.
 * @throws TidemarkError `invalid`, with its field
 */
export function parseRequest(value: unknown): IngestRequest {
  const given = typeof value === 'string' ? { base_url: value } : withoutNulls(value);
  const { success, data, error } = REQUEST.safeParse(given, { error: issueText });
  if (!success) {
    const { path, message } = error.issues[0]!;
    const field = path.join('.');
    throw refused(field || 'request', field === '' ? 'use an object, or a URL' : message);
  }
  const { ingest_type, base_url } = data;
  if (ingest_type !== INGEST_TYPE) {
    throw refused('ingest_type', `use ${INGEST_TYPE}: ${excerpt(ingest_type)} is not ingested here`);
  }
  const text = jsonOf(data);
  if (text === undefined || Buffer.byteLength(text) > MOST_BYTES) {
    throw refused('request', `at most ${MOST_BYTES} bytes as JSON, and less depth`);
  }
  if (HAS_NUL.test(text)) throw refused('request', 'leave out the character U+0000, which databases refuse');
  return { ...data, ingest_type: INGEST_TYPE, base_url: parseBaseUrl(base_url) };
}

/**
 * The URL of a URL, a DOI or a handle in any of its spellings. A URL stays as it is, apart from those of DOIs.
 * @throws TidemarkError `invalid`
 */
export function parseBaseUrl(text: string): string {
  const trimmed = text.trim();
  const url = urlOf(trimmed);
  if (Buffer.byteLength(url) > MOST_URL_BYTES) throw refused('base_url', `at most ${MOST_URL_BYTES} bytes`);
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || /[\s\u0000-\u001f\u007f]/.test(url)) {
    const example = 'use a URL with http or https, or a DOI, such as doi:10.7910/DVN/CLSFKX';
    // Without the name of the field, which means nothing to those who have typed a DOI.
    throw new TidemarkError('invalid', `${excerpt(trimmed)} is no URL: ${example}`, { field: 'base_url' });
  }
  if (!url.isWellFormed()) throw refused('base_url', 'has half of a character (a lone surrogate)');
  if (parsed.username !== '' || parsed.password !== '') {
    throw refused('base_url', 'leave out the user name and the password: every result shows the URL');
  }
  return url;
}

function urlOf(text: string): string {
  const [, doi] = DOI.exec(text) ?? [];
  if (doi !== undefined) return `${DOI_RESOLVER}${doi}`;
  const [, handle] = HANDLE.exec(text) ?? [];
  return handle === undefined ? text : `${HANDLE_RESOLVER}${handle}`;
}

/** Other programs write members without a value as null. */
function withoutNulls(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

/** Undefined when it is nested too deeply. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function refused(field: string, text: string): TidemarkError {
  return new TidemarkError('invalid', fieldProblem(field, text), { field });
}
