import { randomBytes } from 'node:crypto';

/** For the names of the indices of one test, which other tests and runs on the same server do not have. */
export function uniquePrefix(): string {
  return `tidemark-test-${randomBytes(6).toString('hex')}`;
}

/** Removes every index and template whose name begins with `prefix`. */
export async function removeIndices(url: string, prefix: string): Promise<void> {
  const indices = await askElasticsearch(url, 'GET', `${prefix}*/_alias?expand_wildcards=all`);
  // Servers refuse to delete indices by wildcard.
  await removeNamed(url, '', Object.keys(indices));
  for (const kind of ['index_template', 'component_template']) {
    const all = (await askElasticsearch(url, 'GET', `_${kind}`))[`${kind}s`] as readonly { readonly name: string }[];
    const ours = all.map(({ name }) => name).filter((name) => name.startsWith(prefix));
    await removeNamed(url, `_${kind}/`, ours);
  }
}

/** All in one request, which takes as long as one of them. */
async function removeNamed(url: string, path: string, names: readonly string[]): Promise<void> {
  if (names.length > 0) await askElasticsearch(url, 'DELETE', path + names.join(','));
}

/**
 * Asks for `path` below the server's URL, which may hold a user and a password. Throws an error when it cannot be
 * reached or refuses.
 */
export async function askElasticsearch(url: string, method: string, path: string): Promise<Record<string, unknown>> {
  const target = new URL(path, url.endsWith('/') ? url : `${url}/`);
  const { username, password } = target;
  target.username = '';
  target.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = username === '' ? {} : { authorization: `Basic ${btoa(credentials)}` };
  const response = await fetch(target, { method, headers }).catch((error) => {
    throw new Error(`Elasticsearch at ${target.origin} cannot be reached`, { cause: error });
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${target} was answered with ${response.status}: ${answer}`);
  return JSON.parse(answer);
}
