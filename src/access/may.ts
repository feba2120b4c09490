import type { ResourceSet } from '../domain/resource-set.ts';
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
 * - `administer`: make the server do work
 */
export type Action =
  | 'probe'
  | 'read-source'
  | 'read-documents'
  | 'read-resource'
  | 'read-state'
  | 'post-changes'
  | 'administer';

/** The one place that says who may do what; the set is the one that the action is about. */
export function may(principal: Principal, action: Action, _set: ResourceSet | undefined): boolean {
  switch (action) {
    case 'probe':
    case 'read-source':
    case 'read-documents':
    case 'read-resource':
    case 'read-state':
      return true;
    case 'post-changes':
    case 'administer':
      return principal.kind === 'administrator';
  }
}
