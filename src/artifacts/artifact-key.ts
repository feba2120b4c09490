import { TidemarkError } from '../core/errors.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { ObjectKey } from './artifact-store.ts';
import { isSchemaId, type SchemaId } from './avro/schemas.ts';
import { isPlainKey, requirePlainKey, withoutSlash } from './plain-key.ts';
import { formatDate, formatTimestamp, parseTimestamp } from './timestamp.ts';

/** What makes artifacts, in the order in which one is made of another. The folder `plan` beside them is none. */
export const ACTIVITIES = [
  'harvest',
  'upload',
  'dataset',
  'normalization',
  'mapping',
  'enrichment',
  'indexing',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

/**
 * Everything that this program stores as artifacts: `formatKey` names it, `mediaTypeOf` says what it is. None is ever
 * changed.
 */
export type ArtifactKey =
  | AvroKey
  | BesideKey
  | {
      readonly kind: 'plan';
      readonly provider: string;
      readonly start: Date;
      /** Of the last activity's file, most often. */
      readonly schema: string;
    }
  | SegmentKey
  | SegmentPartKey
  | PackageKey
  | KeptListKey
  | ChangePackageKey
  | VersionKey;

/** Beside the Avro file of a run. */
export interface BesideKey {
  /**
   * `provenance` makes the file exist; `summary` has what its run did; `errata` the records that failed; by `claim` a
   * run takes a second of its own, before there is anything else.
   */
  readonly kind: keyof typeof BESIDE;
  /** The key of the Avro file. */
  readonly of: ObjectKey;
}

/** The mark of a part of a log. */
export interface SegmentKey {
  readonly kind: 'segment';
  /** The archive. */
  readonly chain: string;
  readonly number: number;
}

/** A file that a segment is made of. */
export interface SegmentPartKey extends Omit<SegmentKey, 'kind'> {
  readonly kind: 'segment-part';
  readonly part: ArchivePart;
  /** The boundaries before its first and after its last change, in microseconds since 1970. */
  readonly after: Stamp;
  readonly through: Stamp;
  /** By chance: what a dead process left behind is never in the way. */
  readonly chance: string;
}

/** A ZIP file of a Resource Dump. */
export interface PackageKey {
  readonly kind: 'package';
  readonly set: SetId;
  /** PAGE-VERSION-PART-CHANCE */
  readonly name: string;
}

/** Of an archived Resource List: the names of its pages, or the entries of one. Of an archived dump: its packages. */
export interface KeptListKey {
  readonly kind: 'kept-list' | 'kept-page' | 'kept-dump';
  readonly set: SetId;
  /** TIME-CHANCE of a list or a dump, PAGE-VERSION-CHANCE of a page */
  readonly name: string;
}

/** A ZIP file of a Change Dump. */
export interface ChangePackageKey {
  readonly kind: 'change-package';
  readonly set: SetId;
  /** EPOCH-WINDOW-PART-CHANCE */
  readonly name: string;
}

/** The bytes of a version of a resource: of all resources of the set that have the same bytes. */
export interface VersionKey {
  readonly kind: 'version';
  readonly set: SetId;
  /** The SHA-256, 64 hexadecimal digits. */
  readonly digest: string;
}

/** Parts of an archive, each in a folder of its own. */
export const ARCHIVE_PARTS = ['changes', 'orders', 'documents', 'positions'] as const;
export type ArchivePart = (typeof ARCHIVE_PARTS)[number];

/** An Avro file of records. */
export interface AvroKey {
  readonly kind: 'avro';
  /** Such as `cdl`. */
  readonly provider: string;
  readonly activity: Activity;
  /** When the run began: whole seconds, and UTC in the key. */
  readonly start: Date;
  readonly schema: SchemaId;
}

const BESIDE = {
  provenance: '-prov.json',
  summary: '-summary.json',
  errata: '-errata.ndjson',
  claim: '-claim.json',
} as const;

export const PLAN_FOLDER = 'plan';
/** All archives are stored in this folder; no provider has this name. */
export const ARCHIVE_FOLDER = '_log/';
/** A folder for each set that has packages, named by its id. */
export const DUMPS_FOLDER = '_dumps/';
/** All archived Resource Lists are stored in this folder. */
export const LISTS_FOLDER = '_lists/';
/** The same for packages of changes. */
export const CHANGE_DUMPS_FOLDER = '_change-dumps/';
/** The same for versions. */
export const VERSIONS_FOLDER = '_versions/';
const PROVIDER = /^[a-z0-9-]{1,63}$/;
// Providers have no dots and no capitals, schemas no hyphens: so the last hyphen separates them.
const FILE_NAME = /^(\d{8}_\d{6})-([a-z0-9-]+)-([^-/]+)\.avro$/;
/** Ours, by what a plan's source calls `<TIMESTAMP>-<SCHEMA NAME>.json`: any name is fine, see readings a3. */
const PLAN_SCHEMA = /^[A-Za-z0-9._]{1,100}$/;
const PLAN = /^([a-z0-9-]+)\/plan\/(\d{8}_\d{6})\/\2-([A-Za-z0-9._]{1,100})\.json$/;
const CHAIN_ID = /^\d{8}_\d{6}-[0-9a-f]{8}$/;
const SEGMENT = /^_log\/([^/]+)\/segments\/(\d{10})\.json$/;
/** The name of a package: epoch and number of the page, version, part, and what is by chance. */
const PACKAGE_NAME = /^\d+-\d+-\d+-\d+-[0-9a-f]{8}$/;
const PACKAGE = /^_dumps\/([1-9]\d{0,15})\/([^/]+)\.zip$/;
const KEPT = /^_lists\/([1-9]\d{0,15})\/(\d{8}T\d{12}Z-[0-9a-f]{8}|\d+-\d+-\d+-[0-9a-f]{8})(\.json|\.dump\.json|\.gz)$/;
const KEPT_KINDS = { '.json': 'kept-list', '.dump.json': 'kept-dump', '.gz': 'kept-page' } as const;
const CHANGE_PACKAGE = /^_change-dumps\/([1-9]\d{0,15})\/(\d+-\d+-\d+-[0-9a-f]{8})\.zip$/;
const VERSION = /^_versions\/([1-9]\d{0,15})\/([0-9a-f]{2})\/(\2[0-9a-f]{62})$/;
const SEGMENT_PART = /^_log\/([^/]+)\/([a-z]+)\/(\d{10})-(\d+)-(\d+)-([0-9a-f]+)\.avro$/;

/** The key as stores have it. @throws TidemarkError `invalid` for a provider or a schema that is none */
export function formatKey(key: ArtifactKey): ObjectKey {
  switch (key.kind) {
    case 'avro': {
      // cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro
      const { provider, activity, start, schema } = key;
      requireProvider(provider);
      return `${provider}/${activity}/${formatDate(start)}/${formatTimestamp(start)}-${provider}-${schema}.avro`;
    }
    case 'provenance':
    case 'summary':
    case 'errata':
    case 'claim':
      return besides(key.of, BESIDE[key.kind]);
    case 'plan': {
      // cdl/plan/20170209_104428/20170209_104428-MappedRecord.json
      requireProvider(key.provider);
      requirePlanSchema(key.schema);
      const timestamp = formatTimestamp(key.start);
      return `${key.provider}/${PLAN_FOLDER}/${timestamp}/${timestamp}-${key.schema}.json`;
    }
    case 'segment':
      // _log/CHAIN/segments/0000000017.json
      return `${segmentsFolder(key.chain)}${numbered(key.number)}.json`;
    case 'segment-part': {
      // _log/CHAIN/changes/0000000017-1763765435123457-1763765999000001-1f2e3d4c.avro
      const { chain, part, number, after, through, chance } = key;
      return `${ARCHIVE_FOLDER}${chain}/${part}/${numbered(number)}-${after}-${through}-${chance}.avro`;
    }
    case 'package':
      // _dumps/7/1-00000002-1763765435123457-1-1f2e3d4c.zip
      return `${packagesFolder(key.set)}${key.name}.zip`;
    case 'kept-list':
      // _lists/7/20261123T020000123457Z-1f2e3d4c.json
      return `${keptListsFolder(key.set)}${key.name}.json`;
    case 'kept-dump':
      // _lists/7/20261123T020000123457Z-1f2e3d4c.dump.json
      return `${keptListsFolder(key.set)}${key.name}.dump.json`;
    case 'kept-page':
      // _lists/7/1-00000002-1763765435123456-1f2e3d4c.gz
      return `${keptListsFolder(key.set)}${key.name}.gz`;
    case 'change-package':
      // _change-dumps/7/1-00000002-1-1f2e3d4c.zip
      return `${changePackagesFolder(key.set)}${key.name}.zip`;
    case 'version':
      // _versions/7/e3/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
      return `${versionsFolder(key.set)}${key.digest.slice(0, 2)}/${key.digest}`;
  }
}

export function mediaTypeOf({ kind }: ArtifactKey): string {
  switch (kind) {
    case 'avro':
    case 'segment-part':
      return 'application/avro';
    case 'package':
    case 'change-package':
      return 'application/zip';
    case 'kept-page':
      return 'application/gzip';
    case 'version':
      return 'application/octet-stream';
    case 'errata':
      return 'application/x-ndjson';
    case 'provenance':
    case 'summary':
    case 'claim':
    case 'plan':
    case 'segment':
    case 'kept-list':
    case 'kept-dump':
      return 'application/json';
  }
}

/** What a key of a store names; undefined for what this program does not store. */
export function parseKey(text: ObjectKey): ArtifactKey | undefined {
  if (!isPlainKey(text)) return undefined;
  return parseAvroKey(text) ?? parseBeside(text) ?? parsePlan(text) ?? parseSegment(text) ?? parseOfSet(text);
}

function parseBeside(text: ObjectKey): ArtifactKey | undefined {
  for (const kind of Object.keys(BESIDE) as (keyof typeof BESIDE)[]) {
    const of = text.endsWith(BESIDE[kind]) ? `${text.slice(0, -BESIDE[kind].length)}.avro` : undefined;
    if (of !== undefined && parseAvroKey(of) !== undefined) return { kind, of };
  }
  return undefined;
}

function parsePlan(text: ObjectKey): ArtifactKey | undefined {
  const [, provider = '', timestamp = '', schema = ''] = PLAN.exec(text) ?? [];
  const start = parseTimestamp(timestamp);
  return start === undefined || !isProvider(provider) ? undefined : { kind: 'plan', provider, start, schema };
}

function parseSegment(text: ObjectKey): ArtifactKey | undefined {
  const [, marked = '', digits] = SEGMENT.exec(text) ?? [];
  if (isChainId(marked)) return { kind: 'segment', chain: marked, number: Number(digits) };
  const [, chain = '', folder, number, after, through, chance = ''] = SEGMENT_PART.exec(text) ?? [];
  const part = ARCHIVE_PARTS.find((one) => one === folder);
  if (part === undefined || !isChainId(chain)) return undefined;
  const boundaries = { after: Number(after), through: Number(through) };
  return { kind: 'segment-part', chain, part, number: Number(number), ...boundaries, chance };
}

function parseOfSet(text: ObjectKey): ArtifactKey | undefined {
  const [, set, name = ''] = PACKAGE.exec(text) ?? [];
  if (isPackageName(name)) return { kind: 'package', set: Number(set), name };
  const [, ofChanges, changes = ''] = CHANGE_PACKAGE.exec(text) ?? [];
  if (changes !== '') return { kind: 'change-package', set: Number(ofChanges), name: changes };
  const [, ofVersion, , digest = ''] = VERSION.exec(text) ?? [];
  if (digest !== '') return { kind: 'version', set: Number(ofVersion), digest };
  const [, ofKept, kept = '', ending = ''] = KEPT.exec(text) ?? [];
  const kind = KEPT_KINDS[ending as keyof typeof KEPT_KINDS];
  if (kind === undefined || kept.includes('T') !== (kind !== 'kept-page')) return undefined;
  return { kind, set: Number(ofKept), name: kept };
}

/**
 * Reads the key of an Avro file, also one without the folder of the date, or with a slash before it. Undefined for any
 * other key.
 */
export function parseAvroKey(text: string): AvroKey | undefined {
  const names = withoutSlash(text).split('/');
  const file = names.pop()!;
  const [provider, activity = '', date, ...more] = names;
  const named = parseFileName(file);
  if (named === undefined || named.provider !== provider || !isActivity(activity) || more.length > 0) return undefined;
  return date === undefined || date === formatDate(named.start) ? { kind: 'avro', ...named, activity } : undefined;
}

/** What the name alone says of a file that was copied somewhere else. */
export function parseFileName(name: string): Omit<AvroKey, 'kind' | 'activity'> | undefined {
  const [, timestamp = '', provider = '', schema = ''] = FILE_NAME.exec(name) ?? [];
  const start = parseTimestamp(timestamp);
  return start === undefined || !isSchemaId(schema) ? undefined : { provider, start, schema };
}

/**
 * Reads what a person gives as the key of an Avro file.
 * @throws TidemarkError `invalid`
 */
export function requireKey(text: string): { readonly key: ObjectKey; readonly name: AvroKey } {
  const key = withoutSlash(text);
  const name = parseAvroKey(key);
  if (name !== undefined) return { key, name };
  throw new TidemarkError(
    'invalid',
    `"${text}" is no key of an Avro file; a valid one is cdl/harvest/20170209/20170209_104428-cdl-OriginalRecord.v1.avro`,
    { key: text },
  );
}

/** The folder of the segments of an archive. */
export function segmentsFolder(chain: string): string {
  return `${ARCHIVE_FOLDER}${chain}/segments/`;
}

/** The folder of the packages of a set. */
export function packagesFolder(set: SetId): string {
  return `${DUMPS_FOLDER}${set}/`;
}

/** The folder of the archived Resource Lists of a set. */
export function keptListsFolder(set: SetId): string {
  return `${LISTS_FOLDER}${set}/`;
}

/** The folder of the packages of changes of a set. */
export function changePackagesFolder(set: SetId): string {
  return `${CHANGE_DUMPS_FOLDER}${set}/`;
}

/** The folder of the kept versions of a set. */
export function versionsFolder(set: SetId): string {
  return `${VERSIONS_FOLDER}${set}/`;
}

export function isPackageName(text: string): boolean {
  return PACKAGE_NAME.test(text);
}

export function isChainId(text: string): boolean {
  return CHAIN_ID.test(text);
}

export function isActivity(text: string): text is Activity {
  return ACTIVITIES.some((activity) => activity === text);
}

/** @throws TidemarkError `invalid` */
export function requireActivity(text: string): Activity {
  if (isActivity(text)) return text;
  throw new TidemarkError('invalid', `"${text}" is no activity: use ${ACTIVITIES.join(', ')}`, { activity: text });
}

export function isProvider(text: string): boolean {
  return PROVIDER.test(text);
}

/** @throws TidemarkError `invalid` */
export function requireProvider(text: string): void {
  if (isProvider(text)) return;
  throw new TidemarkError(
    'invalid',
    `${JSON.stringify(text)} is no provider: use up to 63 small letters, digits and "-", such as cdl`,
    { provider: text },
  );
}

function besides(key: ObjectKey, ending: string): ObjectKey {
  requirePlainKey(key);
  if (!key.endsWith('.avro')) throw new TidemarkError('invalid', `${key} is no key of an Avro file`, { key });
  return key.slice(0, -'.avro'.length) + ending;
}

function requirePlanSchema(schema: string): void {
  if (!PLAN_SCHEMA.test(schema)) throw new TidemarkError('invalid', `"${schema}" is no name of a schema`, { schema });
}

function numbered(number: number): string {
  return String(number).padStart(10, '0');
}
