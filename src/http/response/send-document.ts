import type { IncomingMessage } from 'node:http';
import { ENCODINGS, type Encoding, type PublishedDocument } from '../../publish/published-document.ts';
import type { RoutedResponse } from '../request/admitted.ts';
import { HttpError } from '../request/http-error.ts';
import { setCaching } from './caching.ts';
import { type Validators, weighConditions } from './conditional-request.ts';
import { negotiateEncoding } from './negotiate-encoding.ts';
import { setNotModified } from './not-modified.ts';
import { sendBytes } from './send-bytes.ts';

const YEAR_IN_SECONDS = 31_536_000;
/**
 * Chromium shows XML with an inline style sheet and pictures of its own, which differ between its versions. Nothing
 * else is loaded.
 */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Sends a document in the encoding that the client likes best, or 304 when it has it already. */
export async function sendDocument(
  request: IncomingMessage,
  response: RoutedResponse,
  { document, idleTimeout }: { document: PublishedDocument; idleTimeout: number },
): Promise<void> {
  const encoding = negotiateEncoding(request.headers['accept-encoding']);
  const validators = validatorsOf(document, encoding);
  response.setHeader('ETag', validators.etag);
  response.setHeader('Vary', 'Accept, Accept-Encoding');
  setCaching(response, document.immutable ? `public, max-age=${YEAR_IN_SECONDS}, immutable` : 'no-cache');
  if (validators.lastModified !== undefined) {
    response.setHeader('Last-Modified', new Date(validators.lastModified * 1000).toUTCString());
  }
  const precondition = weighConditions(request.headers, validators);
  if (precondition === 'failed') {
    throw new HttpError(412, { code: 'precondition-failed', message: 'the document has another version' });
  }
  if (precondition === 'not-modified') {
    setNotModified(response);
    response.end();
    return;
  }
  response.setHeader('Content-Type', 'application/xml; charset=utf-8');
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
  const length = document.lengths[encoding];
  if (request.method === 'HEAD') response.setHeader('Content-Length', String(length)).end();
  else await sendBytes(response, { body: await document.open(encoding), length, idleTimeout });
}

function validatorsOf({ digest, newest, rendered }: PublishedDocument, encoding: Encoding): Validators {
  // Rendered in the second of its newest change, it may be followed by another version of that second: a date of the
  // second before keeps a client from taking the two for one.
  const isSettled = rendered >= newest / 1000 + 1000;
  return {
    etag: etagOf(digest, encoding),
    otherEtags: ENCODINGS.map((other) => etagOf(digest, other)),
    lastModified: newest === 0 ? undefined : Math.floor(newest / 1_000_000) - (isSettled ? 0 : 1),
    dateTellsVersions: isSettled,
  };
}

function etagOf(digest: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${digest}"` : `"${digest}-${encoding}"`;
}
