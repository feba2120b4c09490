import { isDeepStrictEqual } from 'node:util';
import { requireSetFields } from '../config/set/set-settings.ts';
import { TidemarkError } from '../core/errors.ts';
import { strictUri } from '../core/key.ts';
import { type Origin, traitsOf } from '../core/origin.ts';
import { requireOtherSource } from '../core/own-source.ts';
import {
  DEFAULT_PAGE_ENTRIES,
  DEFAULT_WINDOW_CHANGES,
  type Imported,
  parseSlug,
  type ResourceSet,
  SCHEDULE_SETTINGS,
  type ScheduleSetting,
  type SetFields,
  type SetSettings,
} from '../core/resource-set.ts';
import { resourcesPrefix, setHome } from '../core/set-uris.ts';
import { clockStamp, type Stamp } from '../core/stamp.ts';
import { ofOrganization } from './set-errors.ts';

/** Most characters of a prefix: a URI has at most 2,048, and the rest of it needs some. */
const MOST_PREFIX = 2000;

const DEFAULTS = {
  exclude: [],
  pageEntries: DEFAULT_PAGE_ENTRIES,
  windowChanges: DEFAULT_WINDOW_CHANGES,
  publishHashes: [],
} as const satisfies Partial<SetSettings>;

type WithOrigin = Pick<ResourceSet, 'origin'>;

/** The properties of a new set; all others have a default. */
export interface NewSet extends SetFields {
  readonly slug: string;
  /** Default: clients post to it. */
  readonly origin?: Origin | undefined;
  readonly urlPrefix?: string | undefined;
  /**
   * For an imported set: the boundary below its first change, above the store's last one. Default: its history begins
   * now.
   */
  readonly epochStart?: Stamp | undefined;
  readonly imported?: Imported | undefined;
  /** Only for a set of an organization: see ResourceSet. */
  readonly readers?: readonly string[] | undefined;
}

/**
 * Makes the document of a new set, without an id.
 * @throws TidemarkError `invalid` for an invalid slug, prefix or setting
 */
export function draftSet(set: NewSet, baseUrl: string): Omit<ResourceSet, 'id' | 'epochStart'> {
  const { slug: given, origin = { kind: 'posted' }, urlPrefix, epochStart: _, imported, ...fields } = set;
  const slug = parseSlug(given);
  // The organization of a set decides who may read it, which no other caller may do.
  requireSetFields(set.readers === undefined ? fields : { ...fields, private: undefined }, origin);
  const { from, source, stream } = traitsOf(origin);
  if (from !== undefined) requireOtherSource([from.url, from.set], setHome(baseUrl, slug));
  return {
    slug,
    epoch: 1,
    urlPrefix: urlPrefix === undefined ? resourcesPrefix(baseUrl, slug) : parseUrlPrefix(urlPrefix),
    // A set of a stream, or of datasets, is created before there is anything in it.
    ready: (source === undefined || stream !== undefined || origin.kind === 'datasets') && imported === undefined,
    ...(imported !== undefined && { imported }),
    ...withDefaults({ ...fields, origin }),
  };
}

/**
 * Applies changes of settings to a set.
 * @throws TidemarkError `invalid` for a value that the set cannot have
 * @param now a boundary above every change: documents that depend on changed settings get new names from then on
 */
export function changedSet(set: ResourceSet, changes: SetFields, now: Stamp): ResourceSet {
  if (changes.private !== undefined && set.readers !== undefined) throw ofOrganization(set.slug);
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  // An earlier version may have stored a value that is refused now.
  const others = given.filter(([field, value]) => !isDeepStrictEqual(value, set[field as keyof SetFields]));
  requireSetFields(Object.fromEntries(others), set.origin);
  const { scheduledSince: _, ...changed } = withDefaults({ ...set, ...Object.fromEntries(given) }) as ResourceSet;
  const hasOtherPages = changed.pageEntries !== set.pageEntries;
  const hasOtherHashes = !isDeepStrictEqual(changed.publishHashes, set.publishHashes);
  return {
    ...changed,
    ...versionFields(changed, set, now),
    ...(hasOtherPages && { pagesSince: now }),
    ...(hasOtherHashes && otherHashes(set, now)),
    ...scheduledSince(changed, set),
  };
}

function otherHashes(
  { publishHashes: hashes, earlierHashes = [] }: ResourceSet,
  now: Stamp,
): Pick<ResourceSet, 'hashesSince' | 'earlierHashes'> {
  return { hashesSince: now, earlierHashes: [...earlierHashes, { hashes, until: now }] };
}

/** The times at which a set's schedules got their patterns; now for those that differ from before. */
export function scheduledSince(
  set: SetSettings,
  before: Partial<Pick<ResourceSet, ScheduleSetting | 'scheduledSince'>> = {},
): Pick<ResourceSet, 'scheduledSince'> {
  const now = clockStamp();
  const since = SCHEDULE_SETTINGS.flatMap((name) => {
    if (set[name] === undefined) return [];
    return [[name, set[name] === before[name] ? before.scheduledSince?.[name] : now]];
  });
  return since.length === 0 ? {} : { scheduledSince: Object.fromEntries(since) };
}

/** The fields about versions of a set whose settings have changed. */
function versionFields(
  { keepVersions = false, origin, epochStart }: ResourceSet,
  before: ResourceSet,
  now: Stamp,
): Pick<ResourceSet, 'versionsSince' | 'versionsAdded' | 'scanRequested'> {
  if (keepVersions === (before.keepVersions === true)) return {};
  if (!keepVersions) return { versionsSince: undefined };
  // Artifacts contain every version of a record anyway.
  if (traitsOf(origin).keepsVersions === true) return { versionsSince: epochStart, versionsAdded: true };
  // A full scan keeps the current bytes of files. It is requested, because a process that syncs the set does not notice
  // that the setting was changed and changed back before it read it again.
  return { versionsSince: undefined, versionsAdded: true, scanRequested: now };
}

/**
 * Adds defaults to the given settings. A setting without a default is absent if it is not given, and so are empty
 * aliases.
 */
function withDefaults(fields: SetFields & WithOrigin): SetSettings & WithOrigin {
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => isGiven(value)));
  const {
    aliases = [],
    linkRules = [],
    private: isPrivate,
    keepVersions,
    ...rest
  } = given as Partial<SetSettings> & WithOrigin;
  const { folder } = traitsOf(fields.origin);
  return {
    ...(folder !== undefined && { resourceRootDir: folder }),
    ...DEFAULTS,
    ...rest,
    ...(aliases.length > 0 && { aliases }),
    ...(linkRules.length > 0 && { linkRules }),
    ...(isPrivate === true && { private: true }),
    ...(keepVersions === true && { keepVersions }),
  };
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** @throws TidemarkError `invalid` */
export function parseUrlPrefix(text: string): string {
  const url = URL.parse(text);
  // The message does not repeat a password.
  if (url !== null && (url.username !== '' || url.password !== '')) {
    const message = 'the URL prefix has a user name or a password, which every URI would have: leave them out';
    throw new TidemarkError('invalid', message, { field: 'urlPrefix' });
  }
  // An empty query or fragment, too, would be before the path of each resource.
  if (url === null || !/^https?:$/.test(url.protocol) || /[?#]/.test(text)) {
    throw new TidemarkError('invalid', `"${text}" is not a URL prefix: use http:// or https:// without a query`, {
      field: 'urlPrefix',
    });
  }
  const href = strictUri(url.href);
  const prefix = href.endsWith('/') ? href : `${href}/`;
  if (prefix.length <= MOST_PREFIX) return prefix;
  throw new TidemarkError('invalid', `the URL prefix has ${prefix.length} characters; at most ${MOST_PREFIX}`, {
    field: 'urlPrefix',
  });
}
