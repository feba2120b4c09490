import { unescape as decoded } from 'node:querystring';
import { readGivenFile, readTokenFile } from '../../lib/http/given-file.ts';
import type { RequestHeaders } from './fetcher.ts';
import type { NamedHosts } from './named-hosts.ts';

interface CredentialOptions {
  /** The URL of the source. It may contain a name and a password. */
  readonly url: string;
  /** The path of a file with a bearer token. */
  readonly tokenFile?: string | undefined;
  /** The path of a file in the format of netrc. */
  readonly netrc?: string | undefined;
}

interface Login {
  readonly login: string;
  readonly password: string;
}

/**
 * Returns a function that makes the header `Authorization` for a URL. Credentials for one host are never sent to
 * another, even after a redirect.
 * @throws TidemarkError `invalid` when a file cannot be read
 */
export async function readCredentials(
  options: CredentialOptions,
  hosts: NamedHosts,
): Promise<(url: URL) => RequestHeaders> {
  const { username, password } = new URL(options.url);
  const token = options.tokenFile === undefined ? undefined : await readTokenFile(options.tokenFile);
  const logins = options.netrc === undefined ? undefined : parseNetrc(await readGivenFile(options.netrc));
  // Basic permits an empty user name (RFC 7617), as for a server that only reads a token from the password.
  const named = username + password === '' ? undefined : { login: decoded(username), password: decoded(password) };
  return (url) => {
    const isSource = hosts.isSource(url);
    if (isSource && token !== undefined) return { authorization: `Bearer ${token}` };
    const login =
      (isSource ? named : undefined) ?? logins?.get(url.hostname) ?? (isSource ? logins?.get('') : undefined);
    if (login === undefined) return {};
    return { authorization: `Basic ${Buffer.from(`${login.login}:${login.password}`).toString('base64')}` };
  };
}

/** The URL without name and password, which are never stored. */
export function withoutLogin(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/**
 * Parses logins by host. The default login, for a source whose host has none, has the empty name. Macros are
 * skipped.
 */
function parseNetrc(text: string): ReadonlyMap<string, Login> {
  const logins = new Map<string, Login>();
  const words = text
    .replace(/^[ \t]*#.*$/gm, '')
    .replace(/^[ \t]*macdef .*\n(?:.+\n?)*/gm, '')
    .split(/\s+/);
  let host: string | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (word === 'machine') host = words[++at]?.toLowerCase();
    else if (word === 'default') host = '';
    else if ((word === 'login' || word === 'password') && host !== undefined) {
      const before = logins.get(host) ?? { login: '', password: '' };
      logins.set(host, { ...before, [word]: words[++at] ?? '' });
    }
  }
  return logins;
}
