import { TidemarkError } from '../../../core/errors.ts';
import { leaseSecondsOf } from '../../../publish/notify/subscriptions.ts';

export interface HubRequest {
  readonly mode: 'subscribe' | 'unsubscribe';
  readonly topic: string;
  readonly callback: string;
  readonly leaseSeconds: number;
  readonly secret: string | undefined;
}

const MOST_URL = 2_000;
/** WebSub, 5.1: fewer than 200 bytes. */
const MOST_SECRET = 199;

/** Parses a request to a hub (WebSub, 5.1). Unknown parameters are ignored. @throws TidemarkError `invalid` */
export function parseHubRequest(body: string): HubRequest {
  const form = new URLSearchParams(body);
  const mode = required(form, 'hub.mode');
  if (mode !== 'subscribe' && mode !== 'unsubscribe') throw wrong('hub.mode', 'is neither subscribe nor unsubscribe');
  const secret = optional(form, 'hub.secret');
  if (secret !== undefined && Buffer.byteLength(secret) > MOST_SECRET) {
    throw wrong('hub.secret', `has more than ${MOST_SECRET} bytes`);
  }
  return {
    mode,
    topic: required(form, 'hub.topic'),
    callback: callbackOf(required(form, 'hub.callback')),
    leaseSeconds: leaseOf(optional(form, 'hub.lease_seconds')),
    secret: secret === '' ? undefined : secret,
  };
}

/** The callback exactly as given (WebSub, 8.3). */
function callbackOf(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw wrong('hub.callback', 'is not a URL that begins with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') throw wrong('hub.callback', 'has a user name or a password');
  // Also an empty one: parameters are appended to the text as it is.
  if (text.includes('#')) throw wrong('hub.callback', 'has a fragment');
  if (text.trim() !== text) throw wrong('hub.callback', 'begins or ends with a space');
  if (text.length > MOST_URL) throw wrong('hub.callback', `has more than ${MOST_URL} characters`);
  return text;
}

function leaseOf(text: string | undefined): number {
  if (text === undefined || text === '') return leaseSecondsOf(undefined);
  if (!/^[1-9]\d{0,11}$/.test(text)) throw wrong('hub.lease_seconds', 'is not a whole number above 0');
  return leaseSecondsOf(Number(text));
}

function required(form: URLSearchParams, name: string): string {
  const value = optional(form, name);
  if (value === undefined || value === '') throw wrong(name, 'is missing');
  return value;
}

function optional(form: URLSearchParams, name: string): string | undefined {
  const values = form.getAll(name);
  if (values.length > 1) throw wrong(name, 'is given twice');
  return values[0];
}

function wrong(field: string, problem: string): TidemarkError {
  return new TidemarkError('invalid', `${field} ${problem}`, { code: 'bad-hub-request', field });
}
