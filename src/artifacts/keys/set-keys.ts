import type { SetId } from '../../core/resource-set.ts';
import type { ObjectKey } from '../artifact-store.ts';

/** Keys of what is stored for a set, in a folder named by the id of the set. */
export type SetKey = PackageKey | KeptListKey | ChangePackageKey | VersionKey | VersionPackKey;

/** A ZIP file of a Resource Dump. */
interface PackageKey {
  readonly kind: 'package';
  readonly set: SetId;
  /** PAGE-VERSION-PART-RANDOM, where PAGE is its epoch and its number. */
  readonly name: string;
}

/**
 * Objects of an archived Resource List: the names of its pages, or the entries of one page. For an archived dump: its
 * packages.
 */
interface KeptListKey {
  readonly kind: 'kept-list' | 'kept-page' | 'kept-dump';
  readonly set: SetId;
  /** TIME-RANDOM for a list or a dump, PAGE-VERSION-RANDOM for a page */
  readonly name: string;
}

/** A ZIP file of a Change Dump. */
interface ChangePackageKey {
  readonly kind: 'change-package';
  readonly set: SetId;
  /** EPOCH-WINDOW-PART-RANDOM */
  readonly name: string;
}

/** The bytes of a version of a resource, shared by all resources of the set with the same bytes. */
export interface VersionKey {
  readonly kind: 'version';
  readonly set: SetId;
  /** The SHA-256 in 64 hexadecimal digits. */
  readonly digest: string;
}

/** The bytes of some small versions of resources of the set: see version-pack.ts. */
export interface VersionPackKey {
  readonly kind: 'version-pack';
  readonly set: SetId;
  /** RANDOM-NUMBER */
  readonly name: string;
}

/** The folder of all packages. Each set has a folder in it, named by its id. */
export const DUMPS_FOLDER = '_dumps/';
/** The folder of all archived Resource Lists. */
export const LISTS_FOLDER = '_lists/';
/** The folder of all packages of changes. */
export const CHANGE_DUMPS_FOLDER = '_change-dumps/';
/** The folder of all versions. */
export const VERSIONS_FOLDER = '_versions/';
const PACKAGE = /^_dumps\/([1-9]\d{0,15})\/(\d+-\d+-\d+-\d+-[0-9a-f]{8})\.zip$/;
const KEPT = /^_lists\/([1-9]\d{0,15})\/(\d{8}T\d{12}Z-[0-9a-f]{8}|\d+-\d+-\d+-[0-9a-f]{8})(\.json|\.dump\.json|\.gz)$/;
const KEPT_KINDS = { '.json': 'kept-list', '.dump.json': 'kept-dump', '.gz': 'kept-page' } as const;
const CHANGE_PACKAGE = /^_change-dumps\/([1-9]\d{0,15})\/(\d+-\d+-\d+-[0-9a-f]{8})\.zip$/;
const VERSION_PACK = /^_versions\/([1-9]\d{0,15})\/packs\/([0-9a-f]{2})\/(\2[0-9a-f]{14}-\d{1,9})\.zip$/;
const VERSION = /^_versions\/([1-9]\d{0,15})\/([0-9a-f]{2})\/(\2[0-9a-f]{62})$/;

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

/** The folder of the packs of small versions of a set. */
export function packsFolder(set: SetId): string {
  return `${versionsFolder(set)}packs/`;
}

export function formatSetKey(key: SetKey): ObjectKey {
  switch (key.kind) {
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
    case 'version-pack':
      // _versions/7/packs/1f/1f2e3d4c5b6a7988-12.zip
      return `${packsFolder(key.set)}${key.name.slice(0, 2)}/${key.name}.zip`;
  }
}

export function parseSetKey(text: ObjectKey): SetKey | undefined {
  const [, set, name = ''] = PACKAGE.exec(text) ?? [];
  if (name !== '') return { kind: 'package', set: Number(set), name };
  const [, ofChanges, changes = ''] = CHANGE_PACKAGE.exec(text) ?? [];
  if (changes !== '') return { kind: 'change-package', set: Number(ofChanges), name: changes };
  const [, ofVersion, , digest = ''] = VERSION.exec(text) ?? [];
  if (digest !== '') return { kind: 'version', set: Number(ofVersion), digest };
  const [, ofPack, , pack = ''] = VERSION_PACK.exec(text) ?? [];
  if (pack !== '') return { kind: 'version-pack', set: Number(ofPack), name: pack };
  const [, ofKept, kept = '', ending = ''] = KEPT.exec(text) ?? [];
  const kind = KEPT_KINDS[ending as keyof typeof KEPT_KINDS];
  if (kind === undefined || kept.includes('T') !== (kind !== 'kept-page')) return undefined;
  return { kind, set: Number(ofKept), name: kept };
}
