import { http } from '../../lib/http/node-http.ts';
import type { Answer } from '../request/answer.ts';

/** The parts of a response head besides the response's own headers. */
export interface HeadOptions {
  readonly requestId: string;
  /** Headers of every response; those of the response take precedence. */
  readonly common: ReadonlyMap<string, string>;
  /** The end of the head, with the headers of the connection. */
  readonly end: string;
}

// Same check as in Node: other characters could end the line, or the head.
const NOT_IN_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

let dateSecond = 0;
let dateLine = '';

/** The head as node:http would send it. @throws TypeError for a value that no header can have */
export function headText({ status, headers }: Answer, { requestId, common, end }: HeadOptions): string {
  let text = `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\nX-Request-Id: ${requestId}\r\n`;
  // A client keeps its other headers (RFC 9110, 15.4.5).
  if (status !== 304) for (const [name, value] of common) if (!(name in headers)) text += `${name}: ${value}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === 'string') text += line(name, value);
    else for (const one of value) text += line(name, one);
  }
  return text + currentDate() + end;
}

function line(name: string, value: string): string {
  if (NOT_IN_VALUE.test(value)) throw new TypeError(`invalid character in the header ${name}`);
  return `${name}: ${value}\r\n`;
}

function currentDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateLine = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
  }
  return dateLine;
}
