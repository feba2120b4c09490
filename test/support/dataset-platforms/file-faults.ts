import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { chunksOf, contentOf, type ServedFile } from './simulated-dataset.ts';

/** How a file is served wrongly. */
export interface FileFault {
  readonly name: keyof typeof FAULTS;
  /** Bytes after which it is cut off. */
  readonly at?: number;
  /** How many of the first responses; all by default. */
  readonly times?: number;
}

interface Served {
  readonly file: ServedFile;
  readonly response: ServerResponse;
  /** The first byte that is requested. */
  readonly from: number;
  /** Of the fault. */
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
}

type Send = (served: Served) => void;

const FAULTS = {
  /** The connection breaks. */
  'cut-off': (served) => sendBytes(served, { length: served.file.size - served.from, most: served.at }),
  /** The same without a Content-Length, and with a proper end. */
  shortened: (served) => sendBytes(served, { most: served.at, isEnded: true }),
  'one-byte-more': ({ file, response, headers }) => {
    response.writeHead(200, { ...headers, 'content-length': file.size + 1 });
    response.end(Buffer.concat([contentOf(file.name, file.size), Buffer.from('x')]));
  },
  'wrong-bytes': ({ file, response, headers }) => {
    response.writeHead(200, { ...headers, 'content-length': file.size }).end(contentOf(`${file.name}?`, file.size));
  },
  endless: ({ file, response, headers }) => {
    response.writeHead(200, headers);
    const more = () => {
      while (!response.destroyed && response.write(contentOf(file.name, 65_536)));
    };
    response.on('drain', more);
    more();
  },
  'larger-content-length': (served) => sendBytes(served, { length: served.file.size + 100 - served.from }),
  'smaller-content-length': (served) => sendBytes(served, { length: served.at, most: served.at, isEnded: true }),
  html: ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end('<!doctype html><title>Log in</title><p>Please log in to download this file.');
  },
  /** Nothing but the end of the connection says how long it is. */
  'html-until-closed': ({ response }) => {
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<!doctype html><p>Log in');
  },
  challenge: ({ response }) => {
    response.writeHead(202, { 'x-amzn-waf-action': 'challenge', 'content-type': 'text/html' }).end();
  },
  empty: ({ response, headers }) => void response.writeHead(200, { ...headers, 'content-length': 0 }).end(),
  gzip: ({ file, response, headers }) => {
    response.writeHead(200, { ...headers, 'content-encoding': 'gzip' });
    response.end(gzipSync(contentOf(file.name, file.size)));
  },
  'gzip-of-less': ({ file, response, headers }) => {
    const bytes = gzipSync(contentOf(file.name, file.size - 1));
    response.writeHead(200, { ...headers, 'content-encoding': 'gzip', 'content-length': bytes.length }).end(bytes);
  },
  forbidden: ({ response }) => void response.writeHead(403).end('no'),
  missing: ({ response }) => void response.writeHead(404).end('no'),
  unavailable: ({ response }) => void response.writeHead(503).end('no'),
  'unavailable-for-long': ({ response }) => void response.writeHead(503, { 'retry-after': '36000' }).end('no'),
} as const satisfies Readonly<Record<string, Send>>;

/** Serves a file, or the range of it that begins where the request says, with its fault. */
export function serveFile(request: IncomingMessage, response: ServerResponse, served: ServedFile) {
  const { fault, size, md5, mimetype, ignoresRanges = false } = served;
  const headers = { 'content-type': mimetype, etag: `"${md5}"`, 'accept-ranges': ignoresRanges ? 'none' : 'bytes' };
  const from = ignoresRanges ? 0 : firstByte(request, md5);
  const one: Served = { file: served, response, from, at: fault?.at ?? Math.floor(size / 2), headers };
  if (fault !== undefined && served.served++ < (fault.times ?? Number.POSITIVE_INFINITY)) {
    (FAULTS[fault.name] as Send)(one);
    return;
  }
  if (from > 0 && from >= size) response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  else sendBytes(one, { length: size - from });
}

function firstByte({ headers }: IncomingMessage, md5: string): number {
  const validator = headers['if-range'];
  if (validator !== undefined && validator !== `"${md5}"`) return 0;
  return Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
}

interface Sending {
  /** The header Content-Length; none by default. */
  readonly length?: number;
  /** Bytes that are sent; all by default. */
  readonly most?: number;
  /** Ends properly where it is cut off. */
  readonly isEnded?: boolean;
}

function sendBytes({ file, response, from, headers }: Served, { length, most, isEnded = most === undefined }: Sending) {
  response.writeHead(from > 0 ? 206 : 200, {
    ...headers,
    ...(length !== undefined && { 'content-length': length }),
    ...(from > 0 && { 'content-range': `bytes ${from}-${file.size - 1}/${file.size}` }),
  });
  const chunks = chunksOf({ name: file.name, size: Math.min(file.size, from + (most ?? file.size)) }, from);
  const isWhole = length === undefined || length === (most ?? file.size - from);
  const more = () => {
    for (;;) {
      const { done, value } = chunks.next();
      if (done === true) break;
      if (!response.write(value)) {
        response.once('drain', more);
        return;
      }
    }
    if (isEnded && isWhole) response.end();
    // What was written arrives before the connection ends.
    else response.write('', () => response.socket?.end());
  };
  more();
}
