import type { TokenRegistry } from './token-registry.ts';

/** Revokes the tokens all of whose scopes are for one organization: its uploads, or a set of it. */
export async function revokeTokensOf(
  tokens: Pick<TokenRegistry, 'list' | 'revoke'>,
  organization: string,
): Promise<void> {
  for (const { id, scopes, revoked } of await tokens.list()) {
    if (revoked === undefined && scopes.every((scope) => isOf(scope, organization))) await tokens.revoke(id);
  }
}

/** `upload:lane`, `read:lane--main.dumps`: no other set may have such an id. */
function isOf(scope: string, organization: string): boolean {
  const [verb, slug = ''] = scope.split(':');
  if (verb === 'group') return false;
  return slug.replace(/--.*$/, '').replace(/\.(?:uploads|dumps)$/, '') === organization;
}
