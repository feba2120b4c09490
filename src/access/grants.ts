import { TidemarkError } from '../core/errors.ts';
import { administers } from './may.ts';
import type { Principal } from './principal.ts';
import { OF_ORGANIZATIONS, type Scope } from './scope.ts';
import { stateOf, type TokenRecord } from './token.ts';
import type { NewToken } from './token-registry.ts';

/** Valid tokens that a sender may see, of those who manage organizations: tokens are in the memory of each server. */
const MOST_VALID = 200;

/**
 * Whether a sender may give a scope to a token, or take it away. Who manages an organization may do so with each scope
 * of this organization, and with no other one: a token never gets a right that its maker does not have.
 */
function mayGrant(sender: Principal, scope: Scope): boolean {
  if (administers(sender)) return true;
  if (sender.kind !== 'token') return false;
  const [verb = '', slug = ''] = scope.split(':');
  const { scopes } = sender;
  return OF_ORGANIZATIONS.includes(verb) && (scopes.includes('manage:*') || scopes.includes(`manage:${slug}`));
}

/** Whether a sender may see a token, and revoke it: all of its scopes are the sender's to give. */
export function maySeeToken(sender: Principal, { scopes }: Pick<TokenRecord, 'scopes'>): boolean {
  return scopes.every((scope) => mayGrant(sender, scope));
}

/**
 * A token as its maker may make it. One that is made by a token that expires does not outlive it, and has its limits.
 * @param all the tokens that exist
 * @throws TidemarkError `forbidden` for a scope that is not the maker's to give; `invalid` for a later expiry, or for
 *   limits, which are for administrators; `conflict` when there are too many
 */
export function grantedToken(sender: Principal, token: NewToken, all: readonly TokenRecord[]): NewToken {
  if (administers(sender) || sender.kind !== 'token') return token;
  const scope = token.scopes.find((one) => !mayGrant(sender, one));
  if (scope !== undefined) throw notToGive(sender.name, scope);
  if (Object.keys(token.limits ?? {}).length > 0) throw invalid('limits', 'only administrators give limits to a token');
  const { expires = sender.expires } = token;
  if (sender.expires !== undefined && expires! > sender.expires) {
    const last = new Date(sender.expires).toISOString();
    throw invalid('expires', `a token may not outlive the one that makes it: choose a time up to ${last}`);
  }
  requireFew(sender, all);
  return { ...token, limits: sender.limits, expires, madeBy: sender.id };
}

function requireFew(sender: Principal, all: readonly TokenRecord[]): void {
  const now = Date.now();
  const valid = all.filter((record) => maySeeToken(sender, record) && stateOf(record, now) === 'valid').length;
  if (valid < MOST_VALID) return;
  throw new TidemarkError(
    'conflict',
    `there are ${MOST_VALID} valid tokens already: revoke those that are not used any more`,
  );
}

function notToGive(name: string, scope: Scope): TidemarkError {
  const message = `the token "${name}" may not give the scope ${scope}: it gives upload, download and manage of the organizations that it manages`;
  return new TidemarkError('forbidden', message, { scope });
}

function invalid(field: string, message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field });
}
