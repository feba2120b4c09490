import { prefixWeight, VERSION_LINKS_GROWTH, weightGrowth } from './entry-weight.ts';
import { TidemarkError } from './errors.ts';
import type { HashAlgorithm } from './hash.ts';
import type { Origin } from './origin.ts';
import type { Stamp } from './stamp.ts';
import type { Prune } from './version-prunes.ts';

/** The internal id of a resource set: a positive integer that never changes and is never reused. */
export type SetId = number;

/** The properties of a set that can be changed at any time; config/set/set-settings.ts has a row for each. */
export interface SetSettings {
  readonly title?: string;
  /**
   * Other names of the set: events with such a name are accepted. No other set has one of them as its alias or
   * slug.
   */
  readonly aliases?: readonly string[];
  /** Only tokens with the right scope may read it; absent: everybody may. */
  readonly private?: boolean;
  /** Globs of excluded paths, relative to the root. */
  readonly exclude: readonly string[];
  /** Rules that make links of its resources, see link-rule.ts; absent: none. */
  readonly linkRules?: readonly string[];
  /** The base of locations of the type `abs_path`; by default the root, if that is a folder. */
  readonly resourceRootDir?: string;
  /** The most entries of one Resource List page. */
  readonly pageEntries: number;
  /** The most changes of one Change List window. */
  readonly windowChanges: number;
  /** Hashes to publish in addition to the strongest one. */
  readonly publishHashes: readonly HashAlgorithm[];
  /**
   * Seconds for which presigned URLs are valid, by which its S3 server sends the bytes; absent: this server sends
   * them.
   */
  readonly presignedSeconds?: number;
  /** Size in bytes at which a package of its dump is complete; absent: `DEFAULT_PACKAGE_BYTES`. */
  readonly dumpPackageBytes?: number;
  /** Whether packages are compressed; absent: depends on the media type. */
  readonly dumpCompression?: DumpCompression;
  /** When its dump is built, as a CRON pattern; absent: only on request. */
  readonly dumpSchedule?: string;
  /** When its Resource List is archived, as a CRON pattern; absent: only on request. */
  readonly archiveSchedule?: string;
  /** Days after which an archived list is removed; absent: never. */
  readonly archiveDays?: number;
  /** The bytes of every version are kept and published: see docs/dumps.md. */
  readonly keepVersions?: boolean;
  /** Days after which a version that has ended is removed; absent: never. */
  readonly versionsDays?: number;
  /** For a set that copies another source: seconds between two polls, if that source has no stream of changes. */
  readonly fromInterval?: number;
  /** Other hosts of that source: redirects to them are followed, and their addresses may be private. */
  readonly fromAllowedHosts?: readonly string[];
  /** A file with a bearer token for that source. */
  readonly fromTokenFile?: string;
  /** A file with logins for that source, in the format of netrc. */
  readonly fromNetrc?: string;
}

/** The settings with which a source is read: after a change of one, it is opened anew, and all of it is compared. */
const READING_SETTINGS = [
  'exclude',
  'publishHashes',
  'keepVersions',
  'fromInterval',
  'fromAllowedHosts',
  'fromTokenFile',
  'fromNetrc',
] as const satisfies readonly (keyof SetSettings)[];

/** Equal for two sets whose sources are read in the same way. */
export function readingSettings(set: SetSettings): readonly unknown[] {
  return READING_SETTINGS.map((name) => set[name]);
}

/** The settings that are CRON patterns: jobs/set-schedules.ts adds jobs at their times. */
export const SCHEDULE_SETTINGS = ['dumpSchedule', 'archiveSchedule'] as const satisfies readonly (keyof SetSettings)[];
export type ScheduleSetting = (typeof SCHEDULE_SETTINGS)[number];

/** Files that are published though their names are hidden: often they contain passwords and keys. */
export interface HiddenFiles {
  readonly count: number;
  /** The first of them. */
  readonly paths: readonly string[];
}

/** The resources of one Capability List. */
export interface ResourceSet extends SetSettings {
  readonly id: SetId;
  /** Its name in URLs. */
  readonly slug: string;
  /** A part of the names of pages and windows. It rises when the history begins anew. */
  readonly epoch: number;
  /** The boundary at which the history of this epoch begins. */
  readonly epochStart: Stamp;
  /** The prefix of the URIs of its resources; ends with a slash. */
  readonly urlPrefix: string;
  /**
   * The weight of the shortest prefix that the set ever had: stored weights may be based on it. Absent if the set was
   * never moved or renewed.
   */
  readonly leastPrefixWeight?: number;
  readonly origin: Origin;
  /** When its page size was changed: pages from before are cut again, with new names. */
  readonly pagesSince?: Stamp;
  /** When its published hashes were changed: all lists but closed ones have other bytes since then. */
  readonly hashesSince?: Stamp;
  /** The hashes that it published before, each until a boundary, ascending: closed documents keep them. */
  readonly earlierHashes?: readonly { readonly hashes: readonly HashAlgorithm[]; readonly until: Stamp }[];
  /** When each schedule got its current pattern: earlier times of the pattern do not count. */
  readonly scheduledSince?: { readonly [Setting in ScheduleSetting]?: Stamp };
  /** False until its first scan or import is complete, and while it is moved: no partial Resource List is published. */
  readonly ready: boolean;
  /** Set while its keys are being changed to those of its prefix; absent otherwise. */
  readonly moving?: Moving | undefined;
  /**
   * Scopes besides `read:SET` whose tokens may read it while it is private: those of its organization, which decides
   * whether it is private. Absent for a set without an organization.
   */
  readonly readers?: readonly string[];
  /** The epoch of its Resource Dump; absent while it has none. */
  readonly dumpEpoch?: number | undefined;
  /** The epoch of its Change Dump; absent while it has none. */
  readonly changeDumpEpoch?: number | undefined;
  /** The epoch of its archived Resource Lists; absent before the first was archived. */
  readonly listArchiveEpoch?: number | undefined;
  /** The epoch of its archived Resource Dumps; absent before the first was archived. */
  readonly dumpArchiveEpoch?: number | undefined;
  /**
   * The version after each change above this boundary is kept. Absent for a set that keeps none, and until its first
   * full scan since it keeps versions.
   */
  readonly versionsSince?: Stamp | undefined;
  /** The removals of its versions, ascending; see version-prunes.ts. */
  readonly versionsPruned?: readonly Prune[];
  /** It had resources before it kept versions: their stored weights do not include the links to versions. */
  readonly versionsAdded?: true;
  /** Why it cannot be synced with its source now; absent when it can, and for a set without a source. */
  readonly trouble?: Trouble | undefined;
  /** The hidden files that its last full scan found; absent when there was none. */
  readonly hidden?: HiddenFiles | undefined;
  /**
   * When a full scan was last requested, by a user or because the set keeps versions from now on: the process that
   * syncs the set begins one.
   */
  readonly scanRequested?: Stamp;
  /** The index from which it was imported; absent for a set that began here. */
  readonly imported?: Imported;
  /** When it was removed. Neither its id nor its slug is reused. */
  readonly removed?: Stamp;
  /** It was removed before it had any change: its slug may be reused. */
  readonly unused?: boolean;
}

export interface Trouble {
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly problem: string;
}

/** The state of a set after its move is complete. */
interface Moving {
  readonly ready: boolean;
  /** Only an import has changed it. */
  readonly asImported?: boolean;
}

export const DUMP_COMPRESSIONS = ['by-type', 'none'] as const;
type DumpCompression = (typeof DUMP_COMPRESSIONS)[number];

/** New values of settings; null means the default. */
export type SetFields = { readonly [Field in keyof SetSettings]?: SetSettings[Field] | null | undefined };

/** The index of another program from which a set was imported. */
export interface Imported {
  /** The name of the index: a pattern or several. */
  readonly index: string;
  /** The name of the set in that index. */
  readonly name: string;
  /** The set's last change at the end of an import; absent while an import is running, or was killed. */
  readonly through?: Stamp;
  /** The import was stopped before it was complete. */
  readonly stopped?: true;
}

/** ResourceSync 1.1, 7: at most 50,000 entries and 50 MB for each document. */
export const MAX_ENTRIES = 50_000;
/** The maximum weight of the entries of a document. The rest of 50 MB is for its head and links. */
export const MAX_ENTRIES_WEIGHT = 45 * 1024 * 1024;

/** Characters: every web page repeats the title. */
export const MAX_TITLE_LENGTH = 500;

/** Each change renders one page again, so pages are smaller than the maximum: see docs/performance.md. */
export const DEFAULT_PAGE_ENTRIES = 10_000;
export const DEFAULT_WINDOW_CHANGES = 50_000;
/** Older programs and file systems cannot read files of 2 GiB. */
export const DEFAULT_PACKAGE_BYTES = 2_000_000_000;

/** A slug has no two consecutive dots, so that it is never interpreted as a path to another folder. */
export const SLUG = /^(?!.*\.\.)[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/**
 * If an earlier version of the program may have moved a set, this is the weight of the shortest possible prefix,
 * `http://a/`.
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

/** The maximum stored weight of the entries of a Resource List page: less after the prefix has become longer. */
export function pageWeight(set: ResourceSet): number {
  const growth = weightGrowth(leastPrefixWeight(set), prefixWeight(set.urlPrefix));
  return Math.floor(MAX_ENTRIES_WEIGHT / growth / (set.versionsAdded ? VERSION_LINKS_GROWTH : 1));
}

/** Whether it has a Resource Dump. One of an earlier epoch does not count: its URIs are wrong. */
export function hasDump({ dumpEpoch, epoch }: Pick<ResourceSet, 'dumpEpoch' | 'epoch'>): boolean {
  return dumpEpoch === epoch;
}

/** Whether it has a Change Dump. One of an earlier epoch does not count: its URIs are wrong. */
export function hasChangeDump({
  changeDumpEpoch,
  epoch,
  keepVersions,
}: Pick<ResourceSet, 'changeDumpEpoch' | 'epoch' | 'keepVersions'>): boolean {
  return keepVersions === true && changeDumpEpoch === epoch;
}

/** Whether it has an archive of Resource Lists. One of an earlier epoch does not count: its URIs are wrong. */
export function hasListArchive({ listArchiveEpoch, epoch }: Pick<ResourceSet, 'listArchiveEpoch' | 'epoch'>): boolean {
  return listArchiveEpoch === epoch;
}

/** Whether it has an archive of Resource Dumps. */
export function hasDumpArchive({ dumpArchiveEpoch, epoch }: Pick<ResourceSet, 'dumpArchiveEpoch' | 'epoch'>): boolean {
  return dumpArchiveEpoch === epoch;
}

/**
 * The boundary above which the version after each change was kept, if the set publishes versions: it keeps them, and
 * had a full scan since. `prunedBefore` says what was removed again.
 */
export function keptSince({
  keepVersions,
  versionsSince,
}: Pick<ResourceSet, 'keepVersions' | 'versionsSince'>): Stamp | undefined {
  return keepVersions ? versionsSince : undefined;
}

/** When settings were changed that change the bytes of all entries in its lists; 0 for never. */
export function entriesSince(set: Pick<ResourceSet, 'hashesSince' | 'keepVersions' | 'versionsSince'>): Stamp {
  return Math.max(set.hashesSince ?? 0, keptSince(set) ?? 0);
}

/** Whether its lists were published. While it is moved they are unavailable, but clients know them already. */
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
    `"${text}" is not a set id: use 1 to 64 lower-case letters, digits, ".", "_" or "-", beginning and ending with a letter or digit`,
    { field: 'set' },
  );
}

/** The slug that is suggested by the name of a folder. */
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
