import type { ChangeEvent } from '../core/change.ts';
import { entryWeight } from '../core/entry-weight.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { issueText } from '../core/issue-text.ts';
import { pathOfKey, type ResourceKey, resolveLocation, unfetchable } from '../core/key.ts';
import type { ResourceState } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import type { LeavesOut } from '../sources/served-source.ts';
import { postedHashes } from './posted-hashes.ts';
import { postedLinks } from './posted-links.ts';
import { type PostedEvent, postedEventSchema } from './posted-schema.ts';
import { checkMediaType, checkRepresentable, toSeconds, wrong } from './posted-values.ts';
import { type Rejection, rejectionOf } from './rejection.ts';

export interface PostedTo {
  readonly set: ResourceSet;
  /** The exclusions of its root; events of excluded files are rejected. */
  readonly leavesOut?: LeavesOut | undefined;
}

/**
 * Makes a change event of a posted value (already parsed from JSON), or returns why it cannot.
 * @param now milliseconds since 1970: a lastmod more than a day later is refused
 */
export function parsePostedEvent(value: unknown, to: PostedTo, now: number): ChangeEvent | Rejection {
  const parsed = postedEventSchema.safeParse(value, { error: issueText });
  if (!parsed.success) return rejectionOf(value, parsed.error.issues);
  try {
    return toEvent(parsed.data, to, now);
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return toRejection(error);
    throw error;
  }
}

export function isRejection(result: ChangeEvent | Rejection): result is Rejection {
  return 'status' in result;
}

function toEvent(posted: PostedEvent, { set, leavesOut }: PostedTo, now: number): ChangeEvent {
  const { source, position } = posted;
  checkAddressee(posted, set);
  const key = resolveLocation(posted.location, set);
  // A store may contain such resources from an earlier version, so they can be deleted.
  if (posted.change !== 'deleted') {
    requireFetchable(key);
    requirePublishable(key, leavesOut);
  }
  // The state in a deletion is checked, and then ignored.
  const described = toState(posted, { set, key, now });
  const state = posted.change === 'deleted' ? undefined : described;
  const { id, urlPrefix } = set;
  const weight = entryWeight(urlPrefix, key, state);
  const { order } = posted;
  if (source === undefined && order === undefined) return { set: id, key, state, weight, urlPrefix };
  return {
    set: id,
    key,
    state,
    weight,
    urlPrefix,
    ...(source !== undefined && { source }),
    ...(source !== undefined && position !== undefined && { position }),
    ...(order !== undefined && { order }),
  };
}

function requireFetchable(key: ResourceKey): void {
  const code = unfetchable(key);
  if (code === undefined) return;
  const message = {
    'not-http': 'of a resource is an http or https URI, which clients can fetch',
    fragment: 'has a fragment ("#…"), which is a part of a resource: leave it out',
  }[code];
  throw new TidemarkError('invalid', `location ${message}`, { code, field: 'location.value' });
}

/** Requires a publishable key: every reader of the set can read the bytes of a live resource. */
function requirePublishable(key: ResourceKey, leavesOut: LeavesOut | undefined): void {
  const path = pathOfKey(key);
  if (path === undefined || leavesOut?.(path) !== true) return;
  const message = 'location is left out of this set, by its exclusions or its .tidemarkignore';
  throw new TidemarkError('invalid', message, { code: 'left-out', field: 'location.value' });
}

function checkAddressee({ resource_set, source, position }: PostedEvent, { slug, aliases = [] }: ResourceSet): void {
  if (resource_set !== undefined && resource_set !== slug && !aliases.includes(resource_set)) {
    const names = [slug, ...aliases].map((name) => `"${name}"`).join(' or ');
    throw wrong('resource_set', 'other-set', `is not ${names}, the set that it was posted to`);
  }
  if (source !== undefined) checkRepresentable('source', source);
  else if (position !== undefined) {
    throw wrong('position', 'position-without-source', 'is given without source, which says whose position it is');
  }
}

function toState(
  { lastmod, length, md5, hash, mime, ln }: PostedEvent,
  { set, key, now }: { readonly set: ResourceSet; readonly key: ResourceKey; readonly now: number },
): ResourceState {
  const state: { -readonly [Field in keyof ResourceState]: ResourceState[Field] } = {};
  if (lastmod !== undefined) state.lastmod = toSeconds('lastmod', lastmod, now);
  if (length !== undefined) state.length = length;
  const hashes = postedHashes(md5, hash);
  if (hashes !== undefined) state.hashes = hashes;
  if (mime !== undefined) state.mime = checkMediaType('mime', mime);
  if (ln !== undefined) state.links = postedLinks(ln, { set, key, state, now });
  return state;
}

function toRejection({ message, details }: TidemarkError): Rejection {
  const { code, field } = details;
  return {
    status: 'rejected',
    code: typeof code === 'string' ? code : 'invalid',
    message,
    ...(typeof field === 'string' && { field }),
  };
}
