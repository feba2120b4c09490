import { TidemarkError } from '../core/errors.ts';
import { parseSlug } from '../core/resource-set.ts';

/**
 * What a token permits.
 *
 * - `post:SET`: post changes to a set, `post:*` to all
 * - `read:SET`: read a private set, `read:*` all of them; public sets need no token
 * - `metrics`: read `/metrics` and `/api/status`
 * - `administer`: everything, also making and revoking tokens
 */
export type Scope = 'administer' | 'metrics' | 'metrics' | `${'post' | 'read'}:${string}`;

/** @throws TidemarkError `invalid` for a text that is not a scope */
export function parseScope(text: string): Scope {
  if (text === 'administer' || text === 'metrics') return text;
  const [, verb, slug] = /^(post|read):(.+)$/s.exec(text) ?? [];
  if (slug === undefined) throw noScope(text);
  return `${verb as 'post' | 'read'}:${slug === '*' ? slug : parseSlug(slug)}`;
}

/** The set that a scope names; undefined for a scope of all sets. */
function slugOfScope(scope: Scope): string | undefined {
  const slug = scope.slice(scope.indexOf(':') + 1);
  return !scope.includes(':') || slug === '*' ? undefined : slug;
}

/**
 * Refuses scopes of sets that do not exist: they are more likely mistyped than meant for later.
 * @throws TidemarkError what `bySlug` throws
 */
export async function requireSets(
  scopes: readonly Scope[],
  sets: { bySlug(slug: string): Promise<unknown> },
): Promise<void> {
  for (const scope of scopes) {
    const slug = slugOfScope(scope);
    if (slug !== undefined) await sets.bySlug(slug);
  }
}

function noScope(text: string): TidemarkError {
  // A token given by mistake in place of a scope must not appear in a log.
  const shown = text.startsWith('tdm_') ? 'a token' : JSON.stringify(text.slice(0, 80));
  return new TidemarkError(
    'invalid',
    `${shown} is no scope: use post:SET, read:SET (or * for all sets), metrics or administer`,
    {
      field: 'scope',
    },
  );
}
