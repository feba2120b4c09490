import type { IncomingHttpHeaders } from 'node:http';
import { HttpError } from './http-error.ts';

/** What a route takes: nothing, or change events. */
export type BodyKind = 'none' | 'changes';
export type ChangesFormat = 'json' | 'ndjson';

const FORMATS: ReadonlyMap<string, ChangesFormat> = new Map([
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
]);

/**
 * The format of posted changes. A web page of another origin cannot send one of these types without asking first.
 * @throws HttpError 415
 */
export function changesFormat({ 'content-type': contentType = '' }: IncomingHttpHeaders): ChangesFormat {
  const [name = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase());
  const format = FORMATS.get(name);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.replace(/"/g, '');
  if (format !== undefined && (charset === undefined || charset === 'charset=utf-8')) return format;
  throw new HttpError(415, {
    code: 'unsupported-media-type',
    message: `the Content-Type is ${contentType || 'missing'}: use application/json or application/x-ndjson, in UTF-8`,
    headers: { Accept: [...FORMATS.keys()].join(', ') },
  });
}
