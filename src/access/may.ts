import type { ResourceSet } from '../core/resource-set.ts';
import type { Principal } from './principal.ts';

/**
 * What can be done; every route names its own.
 *
 * - `probe`: ask whether the process is well
 * - `read-source`: what all sets have in common
 * - `read-documents`: a set's lists
 * - `read-resource`: the bytes of a resource
 * - `read-state`: what the index knows of a set
 * - `post-changes`: tell of changes
 * - `read-postings`: who posted to a set, and what was rejected
 * - `administer`: make the server do work, and let others in
 * - `read-metrics`: how the server is; the figures tell of all sets together
 * - `sign-in`: show a token, as a person does in a browser
 */
export type Action =
  | 'probe'
  | 'read-source'
  | 'read-documents'
  | 'read-resource'
  | 'read-state'
  | 'post-changes'
  | 'read-postings'
  | 'administer'
  | 'read-metrics'
  | 'sign-in';

/** What of a set counts for access. */
export type GuardedSet = Pick<ResourceSet, 'slug' | 'private'>;

/** The one place that says who may do what; the set is the one that the action is about. */
export function may(principal: Principal, action: Action, set: GuardedSet | undefined): boolean {
  switch (action) {
    case 'probe':
    case 'read-source':
      return true;
    case 'read-documents':
    case 'read-resource':
    case 'read-state':
      return set?.private !== true || holds(principal, 'read', set);
    case 'post-changes':
    case 'read-postings':
      return holds(principal, 'post', set);
    case 'administer':
      return administers(principal);
    case 'read-metrics':
      return administers(principal) || (principal.kind === 'token' && principal.scopes.includes('metrics'));
    case 'sign-in':
      return principal.kind !== 'anonymous';
  }
}

export function administers(principal: Principal): boolean {
  return principal.kind === 'administrator' || (principal.kind === 'token' && principal.scopes.includes('administer'));
}

function holds(principal: Principal, verb: 'post' | 'read', set: GuardedSet | undefined): boolean {
  if (administers(principal)) return true;
  if (principal.kind !== 'token') return false;
  const { scopes } = principal;
  return scopes.includes(`${verb}:*`) || (set !== undefined && scopes.includes(`${verb}:${set.slug}`));
}
