import type { ResourceSet } from '../core/resource-set.ts';
import type { Principal } from './principal.ts';
import type { Scope, Verb } from './scope.ts';

/**
 * The actions that can be permitted; every route names its own.
 *
 * - `probe`: check that the process is healthy
 * - `read-source`: read what all sets have in common
 * - `read-documents`: read a set's lists
 * - `read-resource`: read the bytes of a resource
 * - `read-state`: read what the index contains of a set
 * - `post-changes`: post changes
 * - `read-postings`: read who posted to a set, and what was rejected
 * - `read-organization`: read what an organization has uploaded, and the results of processing it
 * - `upload-files`: upload files of an organization, and have a failed upload processed again
 * - `manage-organization`: change an organization, its streams, uploads and dumps
 * - `manage-any`: what is for those who manage any organization: its tokens (see grants.ts), and the overview
 * - `administer`: make the server do work, and give access to others
 * - `read-metrics`: read the state of the server; its figures cover all sets
 */
export type Action =
  | 'probe'
  | 'read-source'
  | 'read-documents'
  | 'read-resource'
  | 'read-state'
  | 'post-changes'
  | 'read-postings'
  | 'read-organization'
  | 'upload-files'
  | 'manage-organization'
  | 'manage-any'
  | 'administer'
  | 'read-metrics';

/**
 * The properties of the object of an action that matter for access: a set, or an organization, whose id is its
 * slug.
 */
export type Guarded = Pick<ResourceSet, 'slug' | 'private' | 'readers'>;

/** The only place that decides whether a principal may perform an action. */
export function may(principal: Principal, action: Action, about: Guarded | undefined): boolean {
  switch (action) {
    case 'probe':
    case 'read-source':
      return true;
    case 'read-documents':
    case 'read-resource':
    case 'read-state':
      return about?.private !== true || holds(principal, 'read', about) || isReader(principal, about);
    case 'read-organization':
      // A set may have the same id as the organization: `read:ORG` is only for that set.
      return about?.private !== true || holds(principal, 'read', undefined) || isReader(principal, about);
    case 'post-changes':
    case 'read-postings':
      return holds(principal, 'post', about);
    case 'upload-files':
      return holds(principal, 'upload', about) || holds(principal, 'manage', about);
    case 'manage-organization':
      return holds(principal, 'manage', about);
    case 'manage-any':
      return administers(principal) || managesAny(principal);
    case 'administer':
      return administers(principal);
    case 'read-metrics':
      return administers(principal) || readsMetrics(principal);
  }
}

export function administers(principal: Principal): boolean {
  return principal.kind === 'administrator' || (principal.kind === 'token' && principal.scopes.includes('administer'));
}

function readsMetrics(principal: Principal): boolean {
  return principal.kind === 'token'
    ? principal.scopes.includes('metrics')
    : principal.kind === 'anonymous' && principal.readsMetrics === true;
}

function managesAny(principal: Principal): boolean {
  return principal.kind === 'token' && principal.scopes.some((scope) => scope.startsWith('manage:'));
}

/** The scope by which the readers of an organization name a token: who manages it may read it. */
function readingOf(scope: Scope): Scope {
  return scope.startsWith('manage:') ? (scope.replace('manage:', 'download:') as Scope) : scope;
}

function isReader(principal: Principal, { readers = [] }: Guarded): boolean {
  return principal.kind === 'token' && principal.scopes.some((scope) => readers.includes(readingOf(scope)));
}

function holds(principal: Principal, verb: Verb, { slug }: { readonly slug?: string } = {}): boolean {
  if (administers(principal)) return true;
  if (principal.kind !== 'token') return false;
  const { scopes } = principal;
  return scopes.includes(`${verb}:*`) || (slug !== undefined && scopes.includes(`${verb}:${slug}`));
}
