import { ENCODINGS, type Encoding, type PublishedDocument } from '../../publish/published-document.ts';
import type { Answer } from '../request/answer.ts';
import type { DirectRequest } from '../request/direct-request.ts';
import { HttpError } from '../request/http-error.ts';
import { cachingHeaders } from './caching.ts';
import { type Validators, weighConditions } from './conditional-request.ts';
import { negotiateEncoding } from './negotiate-encoding.ts';
import { notModified } from './not-modified.ts';
import { openToScripts } from './open-to-scripts.ts';
import { XML_POLICY } from './xml-policy.ts';

/** Cached for a year. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Responds with a document in the encoding that the client prefers, or with 304 when the client already has it. */
export async function answerDocument(
  { method, headers, sender }: Pick<DirectRequest, 'method' | 'headers' | 'sender'>,
  { document, isPrivate }: { readonly document: PublishedDocument; readonly isPrivate: boolean },
): Promise<Answer> {
  const encoding = negotiateEncoding(headers['accept-encoding']);
  const validators = validatorsOf(document, encoding);
  const control = document.immutable ? IMMUTABLE : 'no-cache';
  const known: Record<string, string> = {
    ETag: validators.etag,
    ...cachingHeaders({ control, isPrivate, vary: 'Accept, Accept-Encoding' }),
    ...openToScripts({ sender }, isPrivate),
  };
  if (validators.lastModified !== undefined) {
    known['Last-Modified'] = new Date(validators.lastModified * 1000).toUTCString();
  }
  const precondition = weighConditions(headers, validators);
  if (precondition === 'failed') {
    throw new HttpError(412, { code: 'precondition-failed', message: 'the document has another version' });
  }
  if (precondition === 'not-modified') return notModified(known);
  known['Content-Type'] = 'application/xml; charset=utf-8';
  known['Content-Security-Policy'] = XML_POLICY;
  if (encoding !== 'identity') known['Content-Encoding'] = encoding;
  known['Content-Length'] = String(document.lengths[encoding]);
  return { status: 200, headers: known, body: method === 'HEAD' ? undefined : await document.open(encoding) };
}

function validatorsOf({ digest, newest, rendered }: PublishedDocument, encoding: Encoding): Validators {
  // A document rendered in the second of its newest change may be followed by another version of that second: with a
  // date one second earlier, no client mistakes one for the other.
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
