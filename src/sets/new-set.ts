import { isDeepStrictEqual } from 'node:util';
import { TidemarkError } from '../core/errors.ts';
import { strictUri } from '../core/key.ts';
import { type Origin, traitsOf } from '../core/origin.ts';
import {
  DEFAULT_PAGE_ENTRIES,
  DEFAULT_WINDOW_CHANGES,
  type Imported,
  parseSlug,
  type ResourceSet,
  type SetFields,
} from '../core/resource-set.ts';
import { resourcesPrefix } from '../core/set-uris.ts';
import type { Stamp } from '../core/stamp.ts';

/** Characters of a prefix: a URI has at most 2,048, and some are needed for the rest of it. */
const MOST_PREFIX = 2000;

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
}

/**
 * A set as it would be added, before it has an id.
 * @throws TidemarkError `invalid` for an invalid slug or prefix
 */
export function draftSet(set: NewSet, baseUrl: string): Omit<ResourceSet, 'id' | 'epochStart'> {
  const slug = parseSlug(set.slug);
  const { origin = { kind: 'posted' } } = set;
  return {
    slug,
    epoch: 1,
    urlPrefix: set.urlPrefix === undefined ? resourcesPrefix(baseUrl, slug) : parseUrlPrefix(set.urlPrefix),
    origin,
    ...settingsOf(set),
    ready: traitsOf(origin).source === undefined && set.imported === undefined,
    ...(set.imported !== undefined && { imported: set.imported }),
  };
}

/**
 * The set with other settings.
 * @param now a boundary above every change: documents that depend on changed settings are new ones from then on
 */
export function changedSet(set: ResourceSet, changes: SetFields, now: Stamp): ResourceSet {
  const { title: _t, aliases: _a, private: _p, resourceRootDir: _r, presignedSeconds: _s, ...kept } = set;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const settings = settingsOf({ ...set, ...Object.fromEntries(given) });
  const hasOtherPages = settings.pageEntries !== set.pageEntries;
  const hasOtherHashes = !isDeepStrictEqual(settings.publishHashes, set.publishHashes);
  return {
    ...kept,
    ...settings,
    ...(hasOtherPages && { pagesSince: now }),
    ...(hasOtherHashes && { hashesSince: now }),
  };
}

function settingsOf(set: SetFields & Pick<NewSet, 'origin'>): Pick<ResourceSet, keyof SetFields> {
  const folder = set.resourceRootDir ?? (set.origin && traitsOf(set.origin).folder);
  return {
    ...(isGiven(set.title) && { title: set.title }),
    ...(isGiven(set.aliases) && set.aliases.length > 0 && { aliases: set.aliases }),
    ...(isGiven(set.presignedSeconds) && { presignedSeconds: set.presignedSeconds }),
    ...(folder !== undefined && { resourceRootDir: folder }),
    exclude: set.exclude ?? [],
    pageEntries: set.pageEntries ?? DEFAULT_PAGE_ENTRIES,
    windowChanges: set.windowChanges ?? DEFAULT_WINDOW_CHANGES,
    publishHashes: set.publishHashes ?? [],
    ...(set.private === true && { private: true }),
  };
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** @throws TidemarkError `invalid` */
export function parseUrlPrefix(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '' || url.username !== '') {
    throw new TidemarkError('invalid', `"${text}" is no URL prefix: use http:// or https:// without a query`, {
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
