import { prefixWeight, VERSION_LINKS_GROWTH, weightGrowth } from './entry-weight.ts';
import { TidemarkError } from './errors.ts';
import type { HashAlgorithm } from './hash.ts';
import type { Origin } from './origin.ts';
import type { Stamp } from './stamp.ts';
import type { Prune } from './version-prunes.ts';

/** The internal id of a resource set: a positive integer, never changed and never given twice. */
export type SetId = number;

/** The properties of a set that can be changed at any time; config/set-settings.ts has a row for each. */
export interface SetSettings {
  readonly title?: string;
  /**
   * Names that it has elsewhere: events that name it so are accepted. No other set has one of them as its alias or
   * slug.
   */
  readonly aliases?: readonly string[];
  /** Only for those whose token may read it; absent means that it is for everybody. */
  readonly private?: boolean;
  /** Globs, relative to the root, of what is left out. */
  readonly exclude: readonly string[];
  /** Rules by which its resources get links, see link-rule.ts; absent: none. */
  readonly linkRules?: readonly string[];
  /** What locations of the type `abs_path` are resolved against; the root when that is a folder. */
  readonly resourceRootDir?: string;
  /** The most entries of one Resource List page. */
  readonly pageEntries: number;
  /** The most changes of one Change List window. */
  readonly windowChanges: number;
  /** Hashes to publish beside the strongest one. */
  readonly publishHashes: readonly HashAlgorithm[];
  /** Its bytes are sent by their S3 server, by URLs that hold for so many seconds; absent: by this one. */
  readonly presignedSeconds?: number;
  /** Bytes above which a package of its dump is not made larger; absent: `DEFAULT_PACKAGE_BYTES`. */
  readonly dumpPackageBytes?: number;
  /** Whether packages are compressed; absent: where the media type says that it is worth it. */
  readonly dumpCompression?: DumpCompression;
  /** When its dump is built, as a pattern of CRON; absent: when a person says so. */
  readonly dumpSchedule?: string;
  /** When its Resource List is kept, as a pattern of CRON; absent: when a person says so. */
  readonly archiveSchedule?: string;
  /** Days after which an archived list is removed; absent: never. */
  readonly archiveDays?: number;
  /** The bytes of every version are kept and published: see docs/versions.md. */
  readonly keepVersions?: boolean;
  /** Days after which a version that has ended is removed; absent: never. */
  readonly versionsDays?: number;
  /** Of a set that copies another source: seconds between two polls, where that sends no changes as they happen. */
  readonly fromInterval?: number;
  /** Other hosts to which redirects are followed there, and whose addresses may be private. */
  readonly fromAllowedHosts?: readonly string[];
  /** A file with a bearer token for it. */
  readonly fromTokenFile?: string;
  /** A file with logins for it, in the format of netrc. */
  readonly fromNetrc?: string;
}

/** The settings that are patterns of CRON: jobs/set-schedules.ts adds jobs at their times. */
export const SCHEDULE_SETTINGS = ['dumpSchedule', 'archiveSchedule'] as const satisfies readonly (keyof SetSettings)[];
export type ScheduleSetting = (typeof SCHEDULE_SETTINGS)[number];

/** What one Capability List covers. */
export interface ResourceSet extends SetSettings {
  readonly id: SetId;
  /** Its name in URLs. */
  readonly slug: string;
  /** Part of page and window names; rises when the history starts anew. */
  readonly epoch: number;
  /** The boundary at which the history of this epoch begins. */
  readonly epochStart: Stamp;
  /** What the URIs of its resources begin with; ends with a slash. */
  readonly urlPrefix: string;
  /**
   * The weight of the shortest prefix that it ever had: weights in the store may be of that one. Absent while it was
   * never moved or renewed.
   */
  readonly leastPrefixWeight?: number;
  readonly origin: Origin;
  /** When its page size was changed: pages that were cut before are cut anew, under new names. */
  readonly pagesSince?: Stamp;
  /** When its published hashes were changed: all lists have other bytes since then. */
  readonly hashesSince?: Stamp;
  /** When its schedules were set, each to its present pattern: earlier times of the pattern do not count. */
  readonly scheduledSince?: { readonly [Setting in ScheduleSetting]?: Stamp };
  /**
   * False until its first scan or import is complete, and while it is moved: a Resource List is never a part of itself.
   */
  readonly ready: boolean;
  /** Its keys are being made those of its prefix; absent at all other times. */
  readonly moving?: Moving | undefined;
  /**
   * Scopes of tokens that may read it while it is private, beside `read:SET`: those of its organization, which decides
   * whether it is private. Absent for a set without an organization.
   */
  readonly readers?: readonly string[];
  /** The epoch of its Resource Dump; absent while it has none. */
  readonly dumpEpoch?: number | undefined;
  /** The epoch of its Change Dump; absent while it has none. */
  readonly changeDumpEpoch?: number | undefined;
  /** The epoch of its archived Resource Lists; absent before the first was kept. */
  readonly listArchiveEpoch?: number | undefined;
  /** The epoch of its archived Resource Dumps; absent before the first was kept. */
  readonly dumpArchiveEpoch?: number | undefined;
  /**
   * The version after each change above this boundary is kept. Absent for a set that keeps none, and until everything
   * was scanned once since it does.
   */
  readonly versionsSince?: Stamp | undefined;
  /** What was removed of its versions, ascending; see version-prunes.ts. */
  readonly versionsPruned?: readonly Prune[];
  /** It had resources before it kept versions: their weights have no room for the links to versions. */
  readonly versionsAdded?: true;
  /** Why it cannot be synced with its source at present; absent when it can, and for a set that has no source. */
  readonly trouble?: Trouble | undefined;
  /** When a person last asked for a full scan: the process that syncs the set begins one. */
  readonly scanRequested?: Stamp;
  /** Where it was taken over from; absent for a set that began here. */
  readonly imported?: Imported;
  /** When it was removed; its id is not given again, nor its slug. */
  readonly removed?: Stamp;
  /** It was removed before it had any change: its slug may be given again. */
  readonly unused?: boolean;
}

export interface Trouble {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly problem: string;
}

/** What a set will be again when its keys are those of its prefix. */
export interface Moving {
  readonly ready: boolean;
  /** Nothing but an import has changed it. */
  readonly asImported?: boolean;
}

export const DUMP_COMPRESSIONS = ['by-type', 'none'] as const;
export type DumpCompression = (typeof DUMP_COMPRESSIONS)[number];

/** Values of settings: null is the default. */
export type SetFields = { readonly [Field in keyof SetSettings]?: SetSettings[Field] | null | undefined };

/** An index that another program wrote, from which a set was taken over. */
export interface Imported {
  /** Its name there, a pattern or several. */
  readonly index: string;
  /** What the set is called there. */
  readonly name: string;
  /** The set's last change when an import ended; absent while one is under way, or was killed. */
  readonly through?: Stamp;
  /** That import was stopped before all was taken over. */
  readonly stopped?: true;
}

/** ResourceSync 1.1, 7: at most 50,000 entries and 50 MB a document. The second leaves room for head and links. */
export const MAX_ENTRIES = 50_000;
export const MAX_DOCUMENT_BYTES = 52_428_800;
/** The entries of a document may weigh this much: what is left of 50 MB is for its head. */
export const MAX_ENTRIES_WEIGHT = 45 * 1024 * 1024;

/** Characters: every page for people repeats it. */
export const MAX_TITLE_LENGTH = 500;

/** One change renders one page anew, so pages are smaller than they might be: see docs/performance.md. */
export const DEFAULT_PAGE_ENTRIES = 10_000;
export const DEFAULT_WINDOW_CHANGES = 50_000;
/** Older programs and file systems read no file of 2 GiB. */
export const DEFAULT_PACKAGE_BYTES = 2_000_000_000;

/** The form of a slug: one without two dots in a row, so that it is never taken for the way to another folder. */
export const SLUG = /^(?!.*\.\.)[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/**
 * Of a set that an earlier version of the program may have moved, nothing shorter than `http://a/` can have been the
 * prefix.
 */
const LEAST_PREFIX_WEIGHT = 9;

/** @see ResourceSet.leastPrefixWeight */
export function leastPrefixWeight(
  set: Pick<ResourceSet, 'epoch' | 'urlPrefix' | 'leastPrefixWeight'>,
  urlPrefix = set.urlPrefix,
): number {
  const known = set.leastPrefixWeight ?? (set.epoch === 1 ? prefixWeight(set.urlPrefix) : LEAST_PREFIX_WEIGHT);
  return Math.min(known, prefixWeight(urlPrefix));
}

/**
 * What the entries of a Resource List page may weigh by the weights in the store: less when the prefix has become
 * longer since.
 */
export function pageWeight(set: ResourceSet): number {
  const growth = weightGrowth(leastPrefixWeight(set), prefixWeight(set.urlPrefix));
  return Math.floor(MAX_ENTRIES_WEIGHT / growth / (set.versionsAdded ? VERSION_LINKS_GROWTH : 1));
}

/** Whether it has a Resource Dump. One of an earlier epoch has wrong URIs. */
export function hasDump({ dumpEpoch, epoch }: Pick<ResourceSet, 'dumpEpoch' | 'epoch'>): boolean {
  return dumpEpoch === epoch;
}

/** Whether it has a Change Dump. One of an earlier epoch has wrong URIs. */
export function hasChangeDump({
  changeDumpEpoch,
  epoch,
  keepVersions,
}: Pick<ResourceSet, 'changeDumpEpoch' | 'epoch' | 'keepVersions'>): boolean {
  return keepVersions === true && changeDumpEpoch === epoch;
}

/** Whether it has an archive of Resource Lists. One of an earlier epoch has wrong URIs. */
export function hasListArchive({ listArchiveEpoch, epoch }: Pick<ResourceSet, 'listArchiveEpoch' | 'epoch'>): boolean {
  return listArchiveEpoch === epoch;
}

/** Whether it has an archive of Resource Dumps. */
export function hasDumpArchive({ dumpArchiveEpoch, epoch }: Pick<ResourceSet, 'dumpArchiveEpoch' | 'epoch'>): boolean {
  return dumpArchiveEpoch === epoch;
}

/**
 * The boundary above which the version after each change was kept, for a set that publishes versions: it keeps them,
 * and all of it was scanned since then. `prunedBefore` says what was removed again.
 */
export function keptSince({
  keepVersions,
  versionsSince,
}: Pick<ResourceSet, 'keepVersions' | 'versionsSince'>): Stamp | undefined {
  return keepVersions ? versionsSince : undefined;
}

/** When settings were changed that give all entries of its lists other bytes; 0 for never. */
export function entriesSince(set: Pick<ResourceSet, 'hashesSince' | 'keepVersions' | 'versionsSince'>): Stamp {
  return Math.max(set.hashesSince ?? 0, keptSince(set) ?? 0);
}

/** Whether its lists have been published. While it is moved they are not, but clients know them already. */
export function isPublished({ ready, moving }: Pick<ResourceSet, 'ready' | 'moving'>): boolean {
  return ready || moving?.ready === true;
}

/**
 * Returns the slug, or throws `invalid`: lower-case letters, digits, `.`, `_` and `-`, 1 to 64, letters or digits at
 * the ends.
 */
export function parseSlug(text: string): string {
  if (SLUG.test(text)) return text;
  throw new TidemarkError(
    'invalid',
    `"${text}" is no set id: use 1 to 64 lower-case letters, digits, ".", "_" or "-", beginning and ending with a letter or digit`,
    { field: 'set' },
  );
}

/** The set id that a folder's name suggests. */
export function slugify(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64)
    .replace(/-+$/, '');
  return slug === '' ? 'files' : slug;
}
