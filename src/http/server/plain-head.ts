import type { IncomingHttpHeaders } from 'node:http';
import { isHost } from './host-header.ts';

/** The head of an ordinary GET or HEAD. */
interface PlainHead {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** The fields of a head, and the text from which they were parsed. */
export interface Fields {
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

/** Most bytes of a head. Node refuses longer ones. */
const MOST_BYTES = 8_192;
/** One whole head and nothing after it. No folded lines, no tabs, no bare line feeds, only ASCII. */
const HEAD = /^(GET|HEAD) (\/[!-~]*) HTTP\/1\.1\r\n((?:[A-Za-z0-9-]+:[ -~]*\r\n)+)\r\n$/;
/** Fields that affect where a request ends, or the connection. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'expect',
  'proxy-connection',
  'http2-settings',
]);

/**
 * Parses the head of a request from the bytes of a connection, if they are exactly one head of a strict subset of
 * HTTP/1.1. Undefined for everything else, valid or not: the parser of Node handles that.
 * @param before the fields of the previous request, which most clients repeat
 */
export function readPlainHead(bytes: Buffer, before?: Fields): (PlainHead & { readonly fields: Fields }) | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  const [, method, url, text] = HEAD.exec(bytes.toString('latin1')) ?? [];
  if (method === undefined || url === undefined || text === undefined) return undefined;
  const headers = text === before?.text ? before.headers : readFields(text);
  return headers && { method, url, headers, fields: { text, headers } };
}

/** Undefined when there is anything unusual, or a field occurs twice. */
function readFields(text: string): IncomingHttpHeaders | undefined {
  const headers: Record<string, string> = {};
  for (const line of text.slice(0, -2).split('\r\n')) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name in headers || UNUSUAL.has(name)) return undefined;
    headers[name] = line.slice(colon + 1).trim();
  }
  const { host, connection = 'keep-alive' } = headers;
  return host === undefined || !isHost(host) || connection.toLowerCase() !== 'keep-alive' ? undefined : headers;
}
