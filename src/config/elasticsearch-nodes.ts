import type { ElasticsearchLocation } from '../stores/locations.ts';
import { Wrong } from './checked-value.ts';

interface Node {
  readonly url: string;
  readonly authorization: string | undefined;
}

/**
 * Reads the URLs of a cluster's nodes, separated by commas. One or all of them may have user information.
 *
 * The text after `http://` may be a password, so no message repeats any of it.
 * @throws Wrong
 */
export function readNodes(text: string): Pick<ElasticsearchLocation, 'nodes' | 'authorization'> {
  const parts = text.split(',');
  const nodes = parts.map((part, place) => {
    try {
      return readNode(part.trim());
    } catch (error) {
      if (parts.length === 1 || !(error instanceof Wrong)) throw error;
      throw new Wrong(`(node ${place + 1}) ${error.message}`);
    }
  });
  const [authorization, ...others] = new Set(nodes.flatMap(({ authorization }) => authorization ?? []));
  if (others.length > 0) throw new Wrong('has nodes with different users or passwords: use one for all of them');
  return {
    nodes: [...new Set(nodes.map(({ url }) => url))],
    ...(authorization !== undefined && { authorization }),
  };
}

function readNode(text: string): Node {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (url === null) {
    throw new Wrong(
      'is not a URL: use http://HOST:PORT or https://USER:PASSWORD@HOST:PORT, and write %2C %2F %3F %23 %25 for , / ? # % in a password',
    );
  }
  if (url.search !== '' || url.hash !== '') {
    throw new Wrong('has a query or a fragment: leave it out, and write %3F %23 for ? # in a password');
  }
  // In https://user:1/2@host, the text after the host "user" would be parsed as a path, and be shown.
  if (url.pathname.includes('@')) throw new Wrong('has an @ in its path: write %2F for / in a password');
  return { url: url.origin + url.pathname.replace(/\/+$/, ''), authorization: basicAuthorization(url) };
}

/** RFC 7617. */
function basicAuthorization(url: URL): string | undefined {
  if (url.username === '' && url.password === '') return undefined;
  const [user, password] = [decode(url.username), decode(url.password)];
  if (user === '') throw new Wrong('has a password without a user: use https://USER:PASSWORD@HOST:PORT');
  if (password === '') throw new Wrong('has a user without a password: use https://USER:PASSWORD@HOST:PORT');
  if (user.includes(':')) throw new Wrong('has a colon in the name of the user, which cannot be sent');
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Wrong('has a % in its user or password that encodes nothing: write %25 for %');
  }
}
