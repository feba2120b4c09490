import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { parseSlug } from '../core/resource-set.ts';
import { nearestName } from '../lib/nearest-name.ts';

/**
 * What a token permits.
 *
 * - `post:SET`: post changes to a set, `post:*` to all
 * - `read:SET`: read a private set, `read:*` all of them; public sets need no token
 * - `upload:ORG`: upload files of an organization, and read its private data, `upload:*` of all
 * - `download:ORG`: read the private data of an organization, `download:*` of all
 * - `manage:ORG`: both, and change the organization, its uploads, dumps and tokens, `manage:*` of all
 * - `group:NAME`: read the private data of the organizations that have this group among their readers
 * - `metrics`: read `/metrics` and `/api/status`
 * - `administer`: everything, including creating and revoking tokens
 */
export type Scope = 'administer' | 'metrics' | `${Verb}:${string}`;
export type Verb = 'post' | 'read' | 'upload' | 'download' | 'manage' | 'group';

/** Verbs of scopes that name an organization. */
export const OF_ORGANIZATIONS: readonly string[] = ['upload', 'download', 'manage'] satisfies readonly Verb[];

/** DEFAULT_SET of datasets/results/ensure-set.ts. */
const DATASETS_SET = 'datasets';

/** The forms of scopes, for people. */
export const SCOPE_FORMS =
  'post:SET, read:SET, upload:ORG, download:ORG, manage:ORG (or * for all), group:NAME, metrics or administer';

/** @throws TidemarkError `invalid` for a text that is not a scope */
export function parseScope(text: string): Scope {
  if (text === 'administer' || text === 'metrics') return text;
  const [, verb, slug] = /^(post|read|upload|download|manage|group):(.+)$/s.exec(text) ?? [];
  if (slug === undefined || text === 'group:*') throw noScope(text);
  return `${verb as Verb}:${slug === '*' ? slug : parseSlug(slug)}`;
}

export interface Named {
  readonly sets: { bySlug(slug: string): Promise<unknown> };
  readonly organizations: {
    get(id: string): Promise<unknown>;
    list(): Promise<readonly { readonly readers?: readonly string[] | undefined }[]>;
  };
}

/**
 * Rejects scopes of sets, organizations and groups that do not exist: they are probably mistyped.
 * @throws TidemarkError what `bySlug` and `get` throw; `not-found` for a group
 */
export async function requireNamed(scopes: readonly Scope[], { sets, organizations }: Named): Promise<void> {
  for (const scope of scopes) {
    const [verb, slug] = scope.split(':');
    if (slug === undefined || slug === '*') continue;
    if (verb === 'group') requireGroup(slug, await organizations.list());
    else if (verb !== undefined && OF_ORGANIZATIONS.includes(verb)) await organizations.get(slug);
    else await sets.bySlug(slug).catch((error: unknown) => withAdvice(error, slug));
  }
}

/** Says how a set is made that is not added as others are. */
function withAdvice(error: unknown, slug: string): never {
  if (slug !== DATASETS_SET || !isTidemarkError(error, 'not-found')) throw error;
  const message = `there is no set "${slug}" yet: the first request of a dataset makes it, such as "tidemark datasets add URL"`;
  throw new TidemarkError('not-found', message, { set: slug });
}

function requireGroup(
  name: string,
  organizations: readonly { readonly readers?: readonly string[] | undefined }[],
): void {
  const known = [...new Set(organizations.flatMap(({ readers = [] }) => readers))];
  if (known.includes(name)) return;
  const meant = nearestName(name, known);
  const message =
    meant === undefined
      ? `no organization has the group "${name}" among its readers: name it first with "tidemark organizations change ORG --private --readers ${name}"`
      : `no organization has the group "${name}" among its readers: did you mean "${meant}"?`;
  throw new TidemarkError('not-found', message, { group: name });
}

function noScope(text: string): TidemarkError {
  // A token given by mistake in place of a scope must not appear in a log.
  const shown = text.startsWith('tdm_') ? 'a token' : JSON.stringify(text.slice(0, 80));
  return new TidemarkError('invalid', `${shown} is not a scope: use ${SCOPE_FORMS}`, { field: 'scopes' });
}
