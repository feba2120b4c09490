import { randomBytes } from 'node:crypto';

/** For the names of the indices of one test, which other tests and runs on the same server do not have. */
export function uniquePrefix(): string {
  return `tidemark-test-${randomBytes(6).toString('hex')}`;
}

/** Removes every index and template whose name begins with one of the prefixes. */
export async function removeIndices(url: string, ...prefixes: readonly string[]): Promise<void> {
  const names = prefixes.map((prefix) => `${prefix}*`);
  const indices = await askElasticsearch(url, 'GET', `${names}/_alias?expand_wildcards=all`);
  // Servers refuse to delete indices by wildcard.
  await removeNamed(url, '', Object.keys(indices));
  // Asked for by a wildcard that no template has, it would answer with 404.
  const { index_templates: all = [] } = (await askElasticsearch(
    url,
    'GET',
    '_index_template?filter_path=index_templates.name',
  )) as { readonly index_templates?: readonly { readonly name: string }[] };
  const templates = all.filter(({ name }) => prefixes.some((prefix) => name.startsWith(prefix)));
  await removeNamed(
    url,
    '_index_template/',
    templates.map(({ name }) => name),
  );
}

/** All in one request, which takes as long as one of them. */
async function removeNamed(url: string, path: string, names: readonly string[]): Promise<void> {
  if (names.length > 0) await askElasticsearch(url, 'DELETE', path + names.join(','));
}

/**
 * Asks for `path` below the server's URL, which may hold a user and a password. Throws an error when it cannot be
 * reached or refuses.
 * @param body is sent as JSON, of an array each element on a line of its own
 */
export async function askElasticsearch(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const target = new URL(path, url.endsWith('/') ? url : `${url}/`);
  const { username, password } = target;
  target.username = '';
  target.password = '';
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const headers = {
    ...(username !== '' && { authorization: `Basic ${btoa(credentials)}` }),
    ...(body !== undefined && { 'content-type': Array.isArray(body) ? 'application/x-ndjson' : 'application/json' }),
  };
  const lines = body && [body].flat().map((line) => `${JSON.stringify(line)}\n`);
  const response = await fetch(target, { method, headers, body: lines?.join('') ?? null }).catch((error) => {
    throw new Error(`Elasticsearch at ${target.origin} cannot be reached`, { cause: error });
  });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${target} was answered with ${response.status}: ${answer}`);
  return JSON.parse(answer);
}
