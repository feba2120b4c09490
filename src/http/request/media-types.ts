import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from './http-error.ts';

/** The media type of a request's body in lower case, without its parameters; empty when the request has none. */
export function mediaTypeOf({ 'content-type': contentType = '' }: IncomingHttpHeaders): string {
  return contentType.split(';', 1)[0]!.trim().toLowerCase();
}

/**
 * Refuses a body of another media type, or of another charset than UTF-8. A web page of another origin cannot send JSON
 * or NDJSON without asking first.
 * @throws HttpError 415
 */
export function requireMediaType(headers: IncomingHttpHeaders, understood: readonly string[]): void {
  const { 'content-type': contentType = '' } = headers;
  const parameters = contentType.toLowerCase().split(';').slice(1);
  const charsets = parameters.map((part) => part.trim()).filter((parameter) => parameter.startsWith('charset'));
  const isUtf8 = charsets.every((charset) => /^charset=(?:utf-8|"utf-8")$/.test(charset));
  if (isUtf8 && understood.includes(mediaTypeOf(headers))) return;
  const charset = understood.every((type) => type.endsWith('octet-stream')) ? '' : ', in UTF-8';
  throw new HttpError(415, {
    code: 'unsupported-media-type',
    message: `the Content-Type is ${contentType || 'missing'}: use ${understood.slice(0, 2).join(' or ')}${charset}`,
    headers: { Accept: understood.join(', ') },
  });
}
