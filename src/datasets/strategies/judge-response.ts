import type { Fetched } from '../fetch/dataset-fetcher.ts';
import { isPassing, refuseChallenge, remedyOf } from '../fetch/require-capture.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile } from '../manifest.ts';

const CAPTURES = new Set([200, 203]);
const OPEN_IN_BROWSER =
  'open its URL in a browser, and ask the platform to let this program fetch it, or try again from another network';

export const isHtml = (mimetype: string | undefined): boolean =>
  /^(?:text\/html|application\/xhtml\+xml)\b/i.test(mimetype ?? '');

/** Whether a response that differs from the manifest is a page of a firewall in place of the file (d17). */
export const isReplaced = (file: PlatformFile, mimetype: string | undefined, acceptMismatch: boolean): boolean =>
  isHtml(mimetype) && !(acceptMismatch && isHtml(file.mimetype));

/**
 * Requires a response that has the bytes of a file (d17). What only the bytes can show is compared later.
 * @param file for messages, with the size that the platform states
 * @throws IngestFailure `blocked-challenge`, `platform-restricted`, `platform-404`, `mismatch-size`; for another status
 *   `file-not-fetched` when it may pass, else `bad-platform-reply`
 */
export function requireFile(file: PlatformFile, fetched: Fetched, acceptMismatch: boolean): void {
  refuseChallenge(fetched);
  const { path, size } = file;
  const { status, headers } = fetched;
  if (status === 401 || status === 403) {
    const message = `the platform refuses ${path} (status ${status}): if it is not public, name a token for its host by --platform-token`;
    throw new IngestFailure('platform-restricted', message);
  }
  if (!CAPTURES.has(status)) {
    const message = `the platform answered status ${status} for ${path}: ${remedyOf(status)}`;
    throw new IngestFailure(failureOf(status), message);
  }
  const length = lengthOf(headers);
  if (size === undefined || length === undefined || length === size) return;
  const text = `the platform sends ${length} bytes for ${path}, and states ${size}`;
  if (isReplaced(file, headers['content-type'], acceptMismatch)) {
    throw new IngestFailure('blocked-challenge', `${text}: a page of HTML came in its place; ${OPEN_IN_BROWSER}`);
  }
  if (acceptMismatch) return;
  throw new IngestFailure('mismatch-size', `${text}: report it to the platform; --accept-mismatch stores it, marked`);
}

/** A job tries again what may pass. */
function failureOf(status: number): IngestFailure['status'] {
  if (status === 404 || status === 410) return 'platform-404';
  return isPassing(status) ? 'file-not-fetched' : 'bad-platform-reply';
}

/** Bytes of the body, when it is sent as it is. */
export function lengthOf(headers: Fetched['headers']): number | undefined {
  const coding = headers['content-encoding'] ?? 'identity';
  const text = headers['content-length'];
  return coding === 'identity' && text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}
