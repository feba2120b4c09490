import type { ChangeEvent } from '../core/change.ts';
import { entryWeight } from '../core/entry-weight.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { pathOfKey, type ResourceKey, resolveLocation, unfetchable } from '../core/key.ts';
import { NAVIGATION_RELATIONS, PATCH_RELATION, parseRelation } from '../core/link-relations.ts';
import { isMediaType } from '../core/media-type.ts';
import type { Link, ResourceState } from '../core/resource.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { codeOfProblem, parseDatetime, type Seconds } from '../core/w3c-datetime.ts';
import type { LeavesOut } from '../sources/served-source.ts';
import { postedHashes } from './posted-hashes.ts';
import { type PostedEvent, postedEventSchema } from './posted-schema.ts';
import { type Rejection, rejectionOf } from './rejection.ts';

const NOT_REPRESENTABLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/;
const DAY_IN_SECONDS = 86_400;

export interface PostedTo {
  readonly set: ResourceSet;
  /** The exclusions of its root; events of excluded files are rejected. */
  readonly leavesOut?: LeavesOut | undefined;
}

/**
 * Makes a change event of a posted value (already parsed from JSON), or says why it cannot.
 * @param now milliseconds since 1970: a lastmod more than a day later is refused
 */
export function parsePostedEvent(value: unknown, to: PostedTo, now: number): ChangeEvent | Rejection {
  const parsed = postedEventSchema.safeParse(value);
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
  // A store may have such resources from an earlier version, so they can be deleted.
  if (posted.change !== 'deleted') {
    requireFetchable(key);
    requirePublishable(key, leavesOut);
  }
  // State in a deletion is checked, and then ignored.
  const described = toState(posted, set, now);
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

/** Every reader of the set can read the bytes of a live resource. */
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

function toState({ lastmod, length, md5, hash, mime, ln }: PostedEvent, set: ResourceSet, now: number): ResourceState {
  const state: { -readonly [Field in keyof ResourceState]: ResourceState[Field] } = {};
  if (lastmod !== undefined) state.lastmod = toSeconds(lastmod, now);
  if (length !== undefined) state.length = length;
  const hashes = postedHashes(md5, hash);
  if (hashes !== undefined) state.hashes = hashes;
  if (mime !== undefined) state.mime = checkMediaType('mime', mime);
  if (ln !== undefined) state.links = ln.map((link, at) => toLink(link, `ln[${at}]`, set));
  return state;
}

function toSeconds(text: string, now: number): Seconds {
  const microseconds = parseDatetime(text);
  if (typeof microseconds === 'string') {
    const code = codeOfProblem(microseconds);
    throw wrong(
      'lastmod',
      code,
      `is ${JSON.stringify(text.slice(0, 80))}, ${microseconds}: write 2026-01-31T12:00:00Z`,
    );
  }
  const seconds = Math.floor(microseconds / 1_000_000);
  if (seconds > now / 1000 + DAY_IN_SECONDS) {
    throw wrong('lastmod', 'datetime-in-future', `is ${text}, more than a day in the future`);
  }
  return seconds;
}

function toLink({ rel, href, mime }: NonNullable<PostedEvent['ln']>[number], field: string, set: ResourceSet): Link {
  const relation = parseRelation(rel);
  if (relation === undefined) {
    checkRepresentable(`${field}.rel`, rel);
    const found = JSON.stringify(rel.slice(0, 80));
    throw wrong(
      `${field}.rel`,
      'unknown-relation',
      `is ${found}, neither a name registered at IANA nor an absolute URI`,
    );
  }
  if (NAVIGATION_RELATIONS.has(relation)) {
    throw wrong(
      `${field}.rel`,
      'reserved-relation',
      `is "${relation}", by which ResourceSync documents link to each other`,
    );
  }
  if (relation === PATCH_RELATION && mime === undefined) {
    throw wrong(
      `${field}.mime`,
      'patch-without-type',
      'is missing: a patch must have the media type that says how to apply it',
    );
  }
  const key = resolveLocation(href, set, `${field}.href`);
  if (mime === undefined) return { rel: relation, href: key };
  return { rel: relation, href: key, mime: checkMediaType(`${field}.mime`, mime) };
}

function checkMediaType(field: string, text: string): string {
  if (isMediaType(text)) return text;
  checkRepresentable(field, text);
  throw wrong(field, 'bad-media-type', `is ${JSON.stringify(text.slice(0, 80))}, no media type such as text/plain`);
}

function checkRepresentable(field: string, text: string): void {
  if (text.isWellFormed() && !NOT_REPRESENTABLE.test(text)) return;
  throw wrong(field, 'not-representable', 'has control characters or lone surrogates, which XML cannot hold');
}

function wrong(field: string, code: string, message: string): TidemarkError {
  return new TidemarkError('invalid', `${field} ${message}`, { code, field });
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
