import type { HashAlgorithm, Hashes } from '../../../core/hash.ts';
import { digestProblem, HASH_ALGORITHMS, isHashAlgorithm } from '../../../core/hash.ts';
import { LEAST_PRIORITY, NAVIGATION_RELATIONS, PATCH_RELATION, parseRelation } from '../../../core/link-relations.ts';
import { isMediaType } from '../../../core/media-type.ts';
import type { Link } from '../../../core/resource.ts';
import { parseDatetime } from '../../../core/w3c-datetime.ts';
import type { Attributes, Entry } from '../../read/document.ts';

/** The state of a resource by a list or a change. */
export interface WantedResource {
  readonly uri: string;
  readonly isDeleted: boolean;
  /** Bytes. */
  readonly length: number | undefined;
  readonly hashes: Hashes;
  readonly lastmod: string | undefined;
  /** The time of the change, microseconds since 1970; undefined in a list of resources, and where it is missing. */
  readonly stamp: number | undefined;
  readonly about?: About | undefined;
  /** A length or hashes of the entry that cannot be compared. */
  readonly unusable?: string | undefined;
}

/** Properties of an entry that are not compared with the copy. */
export interface About {
  /** The media type. */
  readonly mime?: string | undefined;
  /** The links that hold of a copy, too. `href` is a URI as the source spells it. */
  readonly links?: readonly Link[];
}

/**
 * Links that do not hold of a copy: between the documents of the source, to its versions, and to patches, which are for
 * the state that the source had before.
 */
const OF_THE_SOURCE: ReadonlySet<string> = new Set([
  ...NAVIGATION_RELATIONS,
  ...['memento', 'timegate', 'timemap', PATCH_RELATION],
]);

const WITH_SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** The state of a resource in the copy. */
export interface CopiedResource {
  readonly length: number;
  /** `algorithm:digest`; sha-256 if the list has no hash. */
  readonly hash: string;
  readonly lastmod: string | undefined;
  readonly stamp: number | undefined;
  readonly about?: About | undefined;
}

export function wantedOf(entry: Entry, isChange: boolean): WantedResource {
  const { loc, lastmod, md } = entry;
  const length = wholeNumber(md.length);
  const hashes = parseHashes(md.hash);
  return {
    uri: loc.trim(),
    isDeleted: isChange && md.change === 'deleted',
    length,
    hashes,
    lastmod,
    stamp: isChange ? timeOf(md.datetime ?? lastmod) : undefined,
    about: aboutOf(entry),
    unusable:
      md.length !== undefined && length === undefined
        ? `length="${md.length.slice(0, 50)}"`
        : md.hash !== undefined && strongestOf(hashes) === undefined
          ? `hash="${md.hash.slice(0, 100)}"`
          : undefined,
  };
}

function aboutOf(entry: Entry): About | undefined {
  const mime = entry.md.type;
  const links = entry.extensions.length > 1 ? entry.extensions.flatMap(linkOf) : [];
  if (links.length === 0) return mime === undefined ? undefined : { mime };
  return { mime, links };
}

/** At most one link. */
function linkOf({ name, attributes }: Entry['extensions'][number]): readonly Link[] {
  if (name !== 'rs:ln') return [];
  const rel = parseRelation(attributes.rel?.trim() ?? '');
  const href = attributes.href?.trim() ?? '';
  if (rel === undefined || OF_THE_SOURCE.has(rel) || !WITH_SCHEME.test(href)) return [];
  return [{ rel, href, ...attributesOf(attributes) }];
}

function attributesOf({ type, pri, modified, length, hash }: Attributes): Omit<Link, 'rel' | 'href'> {
  const priority = wholeNumber(pri) ?? 0;
  const time = timeOf(modified);
  const bytes = wholeNumber(length);
  const hashes = parseHashes(hash);
  return {
    ...(type !== undefined && isMediaType(type) && { mime: type }),
    ...(priority >= 1 && priority <= LEAST_PRIORITY && { pri: priority }),
    ...(time !== undefined && { modified: Math.floor(time / 1_000_000) }),
    ...(bytes !== undefined && { length: bytes }),
    ...(Object.keys(hashes).length > 0 && { hashes }),
  };
}

function wholeNumber(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

/**
 * Parses a datetime into microseconds since 1970; undefined when it is invalid. Accepts all that W3C allows, and times
 * without a zone, which some sources write.
 */
export function timeOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const trimmed = text.trim();
  const parsed = parseDatetime(trimmed);
  if (typeof parsed === 'number') return parsed;
  const other = parseDatetime(completed(trimmed));
  return typeof other === 'number' ? other : undefined;
}

/** A datetime with what may be missing, and without the digits of its fraction below the nanosecond. */
function completed(text: string): string {
  if (/^\d{4}(-\d\d){0,2}$/.test(text)) return `${text}${'-01-01'.slice(text.length - 4)}T00:00:00Z`;
  const [, time, zone] = /^(.*?:\d\d(?:\.\d{1,9})?)\d*(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  return time === undefined ? text : `${time}${zone ?? 'Z'}`;
}

/** The milliseconds since 1970 of a `lastmod`, rounded down to seconds, as the header Last-Modified has them. */
export function modifiedMs(lastmod: string | undefined): number | undefined {
  const time = timeOf(lastmod);
  return time === undefined ? undefined : Math.floor(time / 1_000_000) * 1000;
}

/** Parses the hashes of an entry. Skips invalid digests and unknown algorithms. */
export function parseHashes(text: string | undefined): Hashes {
  if (text === undefined) return {};
  const found: Partial<Record<HashAlgorithm, string>> = {};
  const trimmed = text.trim();
  // Nearly always there is one.
  for (const word of /\s/.test(trimmed) ? trimmed.split(/\s+/) : [trimmed]) {
    const colon = word.indexOf(':');
    const algorithm = word.slice(0, colon).toLowerCase();
    const digest = word.slice(colon + 1);
    if (!isHashAlgorithm(algorithm) || digestProblem(algorithm, digest) !== undefined) continue;
    found[algorithm] = digest.toLowerCase();
  }
  return found;
}

export const formatHashes = (hashes: Hashes): string =>
  HASH_ALGORITHMS.flatMap((algorithm) =>
    hashes[algorithm] === undefined ? [] : [`${algorithm}:${hashes[algorithm]}`],
  ).join(' ');

/** The strongest algorithm among the hashes; undefined when there are none. */
export const strongestOf = (hashes: Hashes): HashAlgorithm | undefined =>
  HASH_ALGORITHMS.find((algorithm) => hashes[algorithm] !== undefined);

/** Whether the copy has the wanted version; undefined when the entry does not say enough to decide. */
export function agrees(copied: CopiedResource, wanted: WantedResource): boolean | undefined {
  if (wanted.isDeleted) return false;
  if (wanted.length !== undefined && wanted.length !== copied.length) return false;
  const [algorithm, digest] = copied.hash.split(':') as [HashAlgorithm, string];
  const expected = wanted.hashes[algorithm];
  if (expected !== undefined) return expected === digest;
  if (wanted.stamp !== undefined) return wanted.stamp === copied.stamp && isPrecise(wanted.stamp) ? true : undefined;
  const [before, now] = [timeOf(copied.lastmod), timeOf(wanted.lastmod)];
  return before === undefined || now === undefined ? undefined : before === now;
}

/** Of two changes in the same second, a source may write the same time. */
const isPrecise = (stamp: number): boolean => stamp % 1_000_000 !== 0;

/** Encodes for the database. */
export const encodeAbout = (about: About | undefined): string | null =>
  about === undefined ? null : JSON.stringify(about);

export function decodeAbout(text: string | null): About | undefined {
  if (text === null) return undefined;
  // Earlier versions recorded the target of `via` alone.
  const { via, ...about }: About & { readonly via?: string } = JSON.parse(text);
  return via === undefined || !WITH_SCHEME.test(via) ? about : { ...about, links: [{ rel: 'via', href: via }] };
}
