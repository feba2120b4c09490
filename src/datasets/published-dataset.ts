import type { Hashes } from '../core/hash.ts';
import { keyOfPath, mendedUri, type ResourceKey } from '../core/key.ts';
import type { Link, ResourceState } from '../core/resource.ts';
import { type Dataset, folderOf } from './dataset.ts';
import type { ManifestFile, StoredBytes } from './manifest.ts';
import type { AnyManifest } from './results/manifests.ts';

/** A resource of the set that publishes a dataset. */
export interface PublishedFile {
  readonly key: ResourceKey;
  readonly state: ResourceState;
}

const MANIFEST = 'manifest.json';
/** Characters of a key: a URI has at most 2,048, with the prefix of its set. */
const MOST_KEY = 1_200;
const MOST_ID = 600;
const MOST_URI = 2_048;
const DIGITS = 6;

type Named = Pick<Dataset, 'platform'>;

/** `/DOMAIN/ID/vVERSION/manifest.json`. */
export function manifestKey(dataset: Named): ResourceKey {
  return `${prefixOf(dataset)}${MANIFEST}`;
}

/**
 * The key of a file: `/DOMAIN/ID/vVERSION/PATH`. A path that would be too long for a URI is replaced by its number.
 * @param number from 1; 0 for the bundle
 */
export function fileKey(dataset: Named, file: Pick<ManifestFile, 'path'>, number: number): ResourceKey {
  return keyBelow(prefixOf(dataset), file, number);
}

function keyBelow(prefix: string, { path }: Pick<ManifestFile, 'path'>, number: number): ResourceKey {
  const key = `${prefix}${keyOfPath(path).slice(1)}`;
  if (key.length <= MOST_KEY) return key;
  const [ending = ''] = /\.[A-Za-z0-9]{1,8}$/.exec(path) ?? [];
  return `${prefix}${String(number).padStart(DIGITS, '0')}~${ending}`;
}

/** The manifest of a dataset as a resource. */
export function publishedManifest(dataset: Dataset): PublishedFile {
  const { manifest, landingUrl, persistentId, stored } = dataset;
  const { artifact, length, sha256 } = manifest;
  const links = [linkTo('describes', landingUrl), linkTo('collection', persistentId)];
  const state = { mime: 'application/json', links: given(links), ...storedAt({ artifact, offset: 0, length }, stored) };
  return { key: manifestKey(dataset), state: { ...state, hashes: { 'sha-256': sha256 } } };
}

/** The files of a dataset as resources: those whose bytes are here; of a bundled one its bundle. */
export function publishedFiles(dataset: Dataset, manifest: AnyManifest): readonly PublishedFile[] {
  const bundle = 'bundle' in manifest ? manifest.bundle : undefined;
  const files =
    bundle === undefined ? manifest.files.map((file, at) => [file, at + 1] as const) : [[bundle, 0] as const];
  // Once, and not for each of 10,000 files.
  const prefix = prefixOf(dataset);
  const links = [
    { rel: 'describedby', href: `${prefix}${MANIFEST}`, mime: 'application/json' },
    linkTo('collection', dataset.persistentId),
  ];
  return files.flatMap(([file, number]) => {
    const { stored } = file;
    if (stored === undefined) return [];
    const place = storedAt(stored, dataset.stored);
    return [{ key: keyBelow(prefix, file, number), state: { ...stateOf(file, links), ...place } }];
  });
}

function stateOf(file: ManifestFile, links: readonly (Link | undefined)[]): ResourceState {
  const { md5, sha1, sha256, mimetype, platform_url } = file;
  const hashes: Hashes = {
    ...(sha256 !== undefined && { 'sha-256': sha256 }),
    ...(sha1 !== undefined && { 'sha-1': sha1 }),
    ...(md5 !== undefined && { md5 }),
  };
  const media = mimetype === undefined ? {} : { mime: mimetype };
  return { ...media, hashes, links: given([...links, linkTo('via', platform_url)]) };
}

function storedAt({ artifact, offset, length }: StoredBytes, at: number): ResourceState {
  return { lastmod: Math.floor(at / 1000), length, record: { artifact, offset, length, position: 0 } };
}

/** Undefined for what is no URI. */
function linkTo(rel: string, uri: string | undefined): Link | undefined {
  const href = uri === undefined ? undefined : mendedUri(uri);
  return href === undefined || href.length > MOST_URI || !URL.canParse(href) ? undefined : { rel, href };
}

function given(links: readonly (Link | undefined)[]): readonly Link[] {
  return links.filter((link) => link !== undefined);
}

/** Ids have any length, and slashes: `doi:10.7910/DVN/CLSFKX`. */
function prefixOf({ platform }: Named): string {
  const { domain, id, version } = platform;
  const key = keyOfPath(id);
  const names = key.length > MOST_ID ? [folderOf(platform)] : id.split('/').map(safeName);
  const path = [domain, ...names, ...(version === undefined ? [] : [safeName(`v${version.replaceAll('/', '_')}`)])];
  return `${keyOfPath(path.join('/'))}/`;
}

/** No client keeps a segment that is empty, `.` or `..`. */
function safeName(name: string): string {
  return name === '' || name === '.' || name === '..' ? `_${name}` : name;
}
