import { TidemarkError } from '../core/errors.ts';
import { parseSlug } from '../core/resource-set.ts';

/**
 * What a token permits.
 *
 * - `post:SET`: post changes to a set, `post:*` to all
 * - `read:SET`: read a private set, `read:*` all of them; public sets need no token
 * - `upload:ORG`: upload files of an organization and read its uploads, `upload:*` of all
 * - `metrics`: read `/metrics` and `/api/status`
 * - `administer`: everything, also making and revoking tokens
 */
export type Scope = 'administer' | 'metrics' | `${Verb}:${string}`;
export type Verb = 'post' | 'read' | 'upload';

/** @throws TidemarkError `invalid` for a text that is not a scope */
export function parseScope(text: string): Scope {
  if (text === 'administer' || text === 'metrics') return text;
  const [, verb, slug] = /^(post|read|upload):(.+)$/s.exec(text) ?? [];
  if (slug === undefined) throw noScope(text);
  return `${verb as Verb}:${slug === '*' ? slug : parseSlug(slug)}`;
}

export interface Named {
  readonly sets: { bySlug(slug: string): Promise<unknown> };
  readonly organizations: { get(id: string): Promise<unknown> };
}

/**
 * Refuses scopes of sets and organizations that do not exist: they are more likely mistyped than meant for later.
 * @throws TidemarkError what `bySlug` and `get` throw
 */
export async function requireNamed(scopes: readonly Scope[], { sets, organizations }: Named): Promise<void> {
  for (const scope of scopes) {
    const [verb, slug] = scope.split(':');
    if (slug === undefined || slug === '*') continue;
    await (verb === 'upload' ? organizations.get(slug) : sets.bySlug(slug));
  }
}

function noScope(text: string): TidemarkError {
  // A token given by mistake in place of a scope must not appear in a log.
  const shown = text.startsWith('tdm_') ? 'a token' : JSON.stringify(text.slice(0, 80));
  return new TidemarkError(
    'invalid',
    `${shown} is no scope: use post:SET, read:SET, upload:ORG (or * for all), metrics or administer`,
    {
      field: 'scope',
    },
  );
}
