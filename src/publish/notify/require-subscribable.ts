import { TidemarkError } from '../../core/errors.ts';

const MOST_URL = 2_000;
/** WebSub, 5.1: fewer than 200 bytes. */
const MOST_SECRET = 199;

/**
 * Checks a callback, which is kept exactly as it was given (WebSub, 8.3), and a secret.
 * @throws TidemarkError `invalid`, whose field is the parameter of WebSub
 */
export function requireSubscribable(callback: string, secret?: string): void {
  const url = URL.parse(callback);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw badHubRequest('hub.callback', 'is not a URL that begins with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') throw badHubRequest('hub.callback', 'has a user name or a password');
  // Also an empty one: parameters are appended to the text as it is.
  if (callback.includes('#')) throw badHubRequest('hub.callback', 'has a fragment');
  if (callback.trim() !== callback) throw badHubRequest('hub.callback', 'begins or ends with a space');
  if (callback.length > MOST_URL) throw badHubRequest('hub.callback', `has more than ${MOST_URL} characters`);
  if (secret !== undefined && Buffer.byteLength(secret) > MOST_SECRET) {
    throw badHubRequest('hub.secret', `has more than ${MOST_SECRET} bytes`);
  }
}

export function badHubRequest(field: string, problem: string): TidemarkError {
  return new TidemarkError('invalid', `${field} ${problem}`, { code: 'bad-hub-request', field });
}
