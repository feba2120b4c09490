import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler, Response } from 'express';
import * as z from 'zod';
import { MOST_LENGTH, MOST_METADATA, type SentFile } from '../../../records/arrivals/resumable/resumable-upload.ts';
import type { ResumableStatus } from '../../../records/arrivals/resumable/resumable-uploads.ts';
import { HttpError } from '../../request/http-error.ts';

/** Parts of requests and responses according to tus 1.0 (https://tus.io/protocols/resumable-upload). */

export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'creation,creation-defer-length,expiration,termination';
/** Media type of the body of PATCH. */
export const TUS_BODY = 'application/offset+octet-stream';

/** The path at which resumable uploads are created; each has a path below it. */
export const TUS_PATH = '/api/organizations/:org/resumable-uploads';

/**
 * Sets the header of every response below TUS_PATH, including refusals, and uses the method of `X-HTTP-Method-Override`
 * (tus 1.0, Core Protocol, Headers). It comes before the guard, so that the route of that method is guarded.
 */
export const speakTus: RequestHandler = (request, response, next) => {
  response.set('Tus-Resumable', TUS_VERSION);
  const method = request.method === 'POST' ? request.get('X-HTTP-Method-Override')?.toUpperCase() : undefined;
  // For node:http it is still a POST, whose response needs a body: without one, the client would wait.
  if (method) request.method = method === 'HEAD' ? 'GET' : method;
  next();
};

/** @throws HttpError 412 for a client that uses another version, or does not state one */
export function requireTus({ 'tus-resumable': version }: IncomingHttpHeaders): void {
  if (version === TUS_VERSION) return;
  throw new HttpError(412, {
    code: 'other-version',
    message: `send the header Tus-Resumable: ${TUS_VERSION}, the version of tus that is spoken here`,
    headers: { 'Tus-Version': TUS_VERSION },
  });
}

/** Parses a header with a number of bytes. @throws HttpError 400 */
export function bytesOf(headers: IncomingHttpHeaders, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = headers[name.toLowerCase()];
  if (typeof text === 'string' && /^\d{1,300}$/.test(text)) return Number(text);
  throw badHeader(name, `the header ${name} is ${text === undefined ? 'missing' : 'not a number of bytes'}`);
}

/**
 * Parses `Upload-Length`; undefined when it comes later, with `Upload-Defer-Length: 1`.
 * @throws HttpError 400; 413 above `Tus-Max-Size` (tus 1.0, Creation, POST)
 */
export function lengthOf(headers: IncomingHttpHeaders): number | undefined {
  const { 'upload-defer-length': deferred } = headers;
  if (deferred === '1' && headers['upload-length'] === undefined) return undefined;
  if (deferred !== undefined) {
    throw badHeader('Upload-Defer-Length', 'send Upload-Length, or Upload-Defer-Length: 1 in place of it');
  }
  const length = bytesOf(headers, 'Upload-Length');
  if (length <= MOST_LENGTH) return length;
  throw new HttpError(413, {
    code: 'too-large',
    message: `the upload has ${headers['upload-length']} bytes, and at most ${MOST_LENGTH} are accepted: send several`,
    headers: { 'Tus-Max-Size': String(MOST_LENGTH) },
    details: { field: 'Upload-Length' },
  });
}

/** Parses the header `Upload-Metadata`: pairs of a key and a Base64 text. @throws HttpError 400 */
export function metadataOf(text: string): ReadonlyMap<string, string> {
  if (text.length > MOST_METADATA) throw badHeader('Upload-Metadata', 'the header Upload-Metadata is too long');
  const pairs = text.split(',').map((pair) => pair.trim().split(' '));
  return new Map(pairs.filter(([key]) => key !== '').map(([key = '', value = '']) => [key, decoded(key, value)]));
}

const filesSchema = z.array(z.strictObject({ name: z.string(), length: z.int().min(0) })).min(1);

/** The files to be sent: one with the name `filename`, or those listed in `files`. @throws HttpError 400 */
export function filesOf(metadata: ReadonlyMap<string, string>, length: number | undefined): readonly SentFile[] {
  const listed = metadata.get('files');
  const name = metadata.get('filename');
  if (listed === undefined && name !== undefined) return [{ name, length }];
  if (listed === undefined) {
    const message =
      'the header Upload-Metadata with "filename" (or "files") is missing: send the name in Base64, such as Upload-Metadata: filename YS5tcmM= for a.mrc';
    throw badHeader('Upload-Metadata', message);
  }
  try {
    return filesSchema.parse(JSON.parse(listed));
  } catch {
    const form = '[{"name": "a.mrc", "length": 123}]';
    throw badHeader('Upload-Metadata', `the value of "files" is not JSON such as ${form}`);
  }
}

function decoded(key: string, value: string): string {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString('utf8');
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(value) && Buffer.from(text).equals(bytes)) return text;
  throw badHeader('Upload-Metadata', `the value of ${JSON.stringify(key.slice(0, 40))} is not UTF-8 in Base64`);
}

/** Sets the headers with the progress of an upload. */
export function setStatus(response: Response, { upload, offset, expires }: ResumableStatus): void {
  response.set({
    'Upload-Offset': String(offset),
    ...(upload.length === undefined ? { 'Upload-Defer-Length': '1' } : { 'Upload-Length': String(upload.length) }),
    'Upload-Expires': new Date(expires).toUTCString(),
    ...(upload.done !== undefined && { 'Tidemark-Upload': `${upload.stream}/${upload.done.number}` }),
  });
}

function badHeader(field: string, message: string): HttpError {
  return new HttpError(400, { code: 'bad-header', message, details: { field } });
}
