import type { IncomingHttpHeaders } from 'node:http';
import type { Response } from 'express';
import * as z from 'zod';
import { MOST_METADATA, type SentFile } from '../../../streams/resumable/resumable-upload.ts';
import type { ResumableStatus } from '../../../streams/resumable/resumable-uploads.ts';
import { HttpError } from '../../request/http-error.ts';

/** What of a request and an answer is as tus 1.0 has it (https://tus.io/protocols/resumable-upload). */

export const TUS_VERSION = '1.0.0';
export const TUS_EXTENSIONS = 'creation,expiration,termination';
/** Of the body of PATCH. */
export const TUS_BODY = 'application/offset+octet-stream';

/** @throws HttpError 412 for a client that speaks another version, or does not say which */
export function requireTus({ 'tus-resumable': version }: IncomingHttpHeaders): void {
  if (version === TUS_VERSION) return;
  throw new HttpError(412, {
    code: 'other-version',
    message: `send the header Tus-Resumable: ${TUS_VERSION}, the version of tus that is spoken here`,
    headers: { 'Tus-Resumable': TUS_VERSION, 'Tus-Version': TUS_VERSION },
  });
}

/** A header that is a number of bytes. @throws HttpError 400 */
export function bytesOf(headers: IncomingHttpHeaders, name: 'Upload-Length' | 'Upload-Offset'): number {
  const text = headers[name.toLowerCase()];
  if (typeof text === 'string' && /^\d{1,15}$/.test(text)) return Number(text);
  throw badHeader(name, `the header ${name} is ${text === undefined ? 'missing' : 'no number of bytes'}`);
}

/** The header `Upload-Metadata`: pairs of a key and a text in Base64. @throws HttpError 400 */
export function metadataOf({ 'upload-metadata': header = '' }: IncomingHttpHeaders): ReadonlyMap<string, string> {
  const text = Array.isArray(header) ? header.join(',') : header;
  if (text.length > MOST_METADATA) throw badHeader('Upload-Metadata', 'the header Upload-Metadata is too long');
  const pairs = text.split(',').map((pair) => pair.trim().split(' '));
  return new Map(pairs.filter(([key]) => key !== '').map(([key = '', value = '']) => [key, decoded(key, value)]));
}

const filesSchema = z.array(z.strictObject({ name: z.string(), length: z.int().min(0) })).min(1);

/** The files that are sent: one with the name `filename`, or those that `files` lists. @throws HttpError 400 */
export function filesOf(metadata: ReadonlyMap<string, string>, length: number): readonly SentFile[] {
  const listed = metadata.get('files');
  if (listed === undefined) return [{ name: metadata.get('filename') ?? '', length }];
  try {
    return filesSchema.parse(JSON.parse(listed));
  } catch {
    const form = '[{"name": "a.mrc", "length": 123}]';
    throw badHeader('Upload-Metadata', `the value of "files" is no JSON such as ${form}`);
  }
}

function decoded(key: string, value: string): string {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString('utf8');
  if (/^[A-Za-z0-9+/]*={0,2}$/.test(value) && Buffer.from(text).equals(bytes)) return text;
  throw badHeader('Upload-Metadata', `the value of ${JSON.stringify(key.slice(0, 40))} is no UTF-8 in Base64`);
}

/** The headers that say how far an upload has come. */
export function setStatus(response: Response, { upload, offset, expires }: ResumableStatus): void {
  response.set({
    'Tus-Resumable': TUS_VERSION,
    'Upload-Offset': String(offset),
    'Upload-Length': String(upload.length),
    'Upload-Expires': new Date(expires).toUTCString(),
    ...(upload.done !== undefined && { 'Tidemark-Upload': `${upload.stream}/${upload.done.number}` }),
  });
}

function badHeader(field: string, message: string): HttpError {
  return new HttpError(400, { code: 'bad-header', message, details: { field } });
}
