import type { Seconds } from '../../../core/w3c-datetime.ts';
import { CURRENT_HTTP_DATE } from '../../request/http-date.ts';
import { HttpError } from '../../request/http-error.ts';

/**
 * The time that a client requests (RFC 7089, 2.1.1); undefined when it requests none.
 * @throws HttpError 400 for anything but an HTTP date
 */
export function parseAcceptDatetime(header: string | string[] | undefined): Seconds | undefined {
  if (header === undefined) return undefined;
  const text = String(header).trim();
  const milliseconds = CURRENT_HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse accepts the 31st of February as the 2nd or 3rd of March.
  if (!Number.isNaN(milliseconds) && new Date(milliseconds).toUTCString().slice(5) === text.slice(5)) {
    return milliseconds / 1000;
  }
  const message = 'Accept-Datetime is not a date: write it such as Thu, 31 May 2007 20:35:00 GMT';
  throw new HttpError(400, { code: 'bad-date', message });
}
