/** The credentials of a request: none, a token (which may be any text), or an unknown form. */
export type Credentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'unknown' };

/**
 * Reads the Authorization header: `Bearer TOKEN`, or Basic with any user name and the token as password: browsers
 * send Basic by themselves, and some clients support nothing else.
 */
export function readCredentials(authorization: string | undefined): Credentials {
  const text = (authorization ?? '').trim();
  const [scheme = ''] = text.split(/\s/, 1);
  const rest = text.slice(scheme.length).trim();
  switch (scheme.toLowerCase()) {
    case '':
      return { kind: 'none' };
    case 'bearer':
      return isOneWord(rest) ? { kind: 'token', token: rest } : { kind: 'unknown' };
    case 'basic':
      return passwordIn(rest);
    default:
      return { kind: 'unknown' };
  }
}

function passwordIn(encoded: string): Credentials {
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  // RFC 7617, 2: a user name has no colon, a password may have some.
  const colon = decoded.indexOf(':');
  const token = decoded.slice(colon + 1);
  return colon >= 0 && isOneWord(token) ? { kind: 'token', token } : { kind: 'unknown' };
}

function isOneWord(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
