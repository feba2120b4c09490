import type { DatasetManifest, ManifestFile } from '../manifest.ts';
import type { IngestResult, RequestDocument } from '../request.ts';
import { isHit } from '../status.ts';
import { type CopyPlaces, filesetUrls, fileUrls, waybackUrl } from './copies.ts';
import type { FileEntity, FileInfo, FilesetEntity, FilesetFile, Made } from './entity.ts';

/** Entities of one dataset. */
export const ENTITY_KINDS = ['fileset', 'file'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** A stored dataset, with all requests that led to it: two URLs of one dataset are one entity (d11). */
interface EntitySource {
  /** The first one says how it was requested. Not empty; each one has a result that `reasonToSkip` accepts. */
  readonly requests: readonly RequestDocument[];
  readonly manifest: DatasetManifest;
  readonly places: CopyPlaces;
}

/**
 * Why a request gives no such entity; undefined when it gives one. A fileset is a success whose strategy is one for
 * several files (D35), a file one whose strategy is for a single one (D36). That a dataset was stored already is a
 * success, too.
 */
export function reasonToSkip(kind: EntityKind, { result }: RequestDocument): string | undefined {
  if (result === undefined) return 'no result yet';
  if (!isHit(result.status)) return result.status;
  if (result.strategy === undefined || result.manifest === undefined || result.dataset === undefined)
    return 'no manifest';
  const isFileset = result.strategy.includes('-fileset');
  if (kind === 'fileset') return isFileset ? undefined : 'a single file: use --kind file';
  return isFileset ? 'several files: use --kind fileset' : undefined;
}

/** The fileset of a stored dataset (D35). One of fewer than two files is none (d10). */
export function filesetEntity({ requests, manifest, places }: EntitySource): Made<FilesetEntity> {
  if (manifest.files.length < 2) return { skipped: 'fewer than two files' };
  const files = manifest.files.map((file) => filesetFile(file, places));
  if (files.some((file) => file === undefined)) return { skipped: INCOMPLETE };
  const result = requests[0]!.result!;
  const urls = filesetUrls({ manifest, result }, places);
  return {
    entity: { manifest: files.filter((file) => file !== undefined), urls, ...aboutDataset(requests, manifest) },
  };
}

/** The file of a dataset that has one (D36). */
export function fileEntity({ requests, manifest, places }: EntitySource): Made<FileEntity> {
  const [file] = manifest.files;
  const info = file && fileInfo(file);
  if (file === undefined || info === undefined) return { skipped: INCOMPLETE };
  const { extra, ...about } = aboutDataset(requests, manifest);
  const urls = fileUrls(file, manifest, places);
  return { entity: { ...info, urls, ...about, extra: { ...extra, path: file.path } } };
}

const INCOMPLETE = 'a file without size, md5 or sha1';

function filesetFile(file: ManifestFile, places: CopyPlaces): FilesetFile | undefined {
  const info = fileInfo(file);
  if (info === undefined) return undefined;
  const wayback_url = waybackUrl(file, places);
  const { platform_url: original_url, status } = file;
  const extra = {
    ...file.extra,
    ...(original_url !== undefined && { original_url }),
    ...(wayback_url !== undefined && { wayback_url }),
    ...(status !== 'success' && { ingest_status: status }),
  };
  return { path: file.path, ...info, extra };
}

function fileInfo(file: ManifestFile): FileInfo | undefined {
  const { size, md5, sha1, sha256, mimetype } = file;
  if (size === undefined || md5 === undefined || sha1 === undefined) return undefined;
  return { size, md5, sha1, ...(sha256 !== undefined && { sha256 }), ...(mimetype !== undefined && { mimetype }) };
}

function aboutDataset(requests: readonly RequestDocument[], manifest: DatasetManifest) {
  const [{ request, result }] = requests as [RequestDocument, ...RequestDocument[]];
  const release_ids = [...new Set(requests.map(releaseOf).filter((ident) => ident !== undefined))];
  const { persistent_id, version } = manifest;
  const release_ext_ids = Object.assign({}, ...requests.map((one) => one.request.ext_ids));
  return {
    release_ids,
    edit_extra: { ...request.edit_extra, ...linkSource(request), ...platformOf(result, manifest) },
    extra: {
      ...(persistent_id !== undefined && { persistent_id }),
      ...(version !== undefined && { version }),
      ...(Object.keys(release_ext_ids).length > 0 && { release_ext_ids }),
    },
  };
}

/** The release that a request names. */
export function releaseOf({ request }: Pick<RequestDocument, 'request'>): string | undefined {
  const ident = request.fatcat?.release_ident;
  return typeof ident === 'string' && ident !== '' ? ident : undefined;
}

function linkSource(request: RequestDocument['request']): Readonly<Record<string, string>> {
  const { ingest_request_source, link_source, link_source_id } = request;
  const given = Object.entries({ ingest_request_source, link_source, link_source_id });
  return Object.fromEntries(given.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function platformOf(result: IngestResult | undefined, manifest: DatasetManifest): Readonly<Record<string, unknown>> {
  const { platform_name: platform, platform_domain, platform_id } = manifest;
  return { ingest_strategy: result?.strategy ?? manifest.ingest_strategy, platform, platform_domain, platform_id };
}
