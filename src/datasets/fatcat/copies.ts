import { keyOfPath } from '../../core/key.ts';
import type { DatasetManifest, ManifestFile } from '../manifest.ts';
import type { IngestResult } from '../request.ts';
import type { EntityUrl } from './entity.ts';

/** Where copies of files can be fetched. */
export interface CopyPlaces {
  /** Below which the files of the dataset are published here; undefined for a private set. Ends with a slash. */
  readonly published: string | undefined;
  /** Below which items are: `https://archive.org/download/`. */
  readonly items: string;
  /** Below which captures are: `https://web.archive.org/web/`. */
  readonly captures: string;
}

interface StoredResult {
  readonly manifest: DatasetManifest;
  readonly result: IngestResult;
}

/** The addresses of a fileset: below which its files are, of its bundle, and of its page. */
export function filesetUrls({ manifest, result }: StoredResult, places: CopyPlaces): readonly EntityUrl[] {
  const { bundle, landing_url } = manifest;
  const page = { url: landing_url, rel: 'web' };
  if (bundle !== undefined) {
    const copies = copyUrls(bundle, manifest, places).map(({ url, rel }) => ({ url, rel: `${rel}-bundle` }));
    const original = bundle.platform_url === undefined ? [] : [{ url: bundle.platform_url, rel: 'repository-bundle' }];
    return [...copies, ...original, page];
  }
  return [...baseUrls({ manifest, result }, places), page];
}

/** The addresses of a single file. */
export function fileUrls(file: ManifestFile, manifest: DatasetManifest, places: CopyPlaces): readonly EntityUrl[] {
  const original = file.platform_url === undefined ? [] : [{ url: file.platform_url, rel: 'web' }];
  return [...copyUrls(file, manifest, places), ...original];
}

/** The address of a capture: `https://web.archive.org/web/20261129080000/https://example.org/a.csv`. */
export function waybackUrl({ terminal_dt: dt, terminal_url: url, stored }: ManifestFile, places: CopyPlaces) {
  return stored !== undefined || dt === undefined || url === undefined ? undefined : `${places.captures}${dt}/${url}`;
}

function baseUrls({ manifest, result }: StoredResult, places: CopyPlaces): readonly EntityUrl[] {
  const { files, item_name, ingest_strategy, landing_url } = manifest;
  if (files.some(({ stored }) => stored !== undefined)) return published('', places, 'archive-base');
  if (ingest_strategy.startsWith('archiveorg-')) {
    return item_name === undefined ? [] : [{ url: `${places.items}${item_name}/`, rel: 'archive-base' }];
  }
  const dt = result.terminal?.dt;
  return dt === undefined ? [] : [{ url: `${places.captures}${dt}/${landing_url}`, rel: 'webarchive-base' }];
}

function copyUrls(file: ManifestFile, manifest: DatasetManifest, places: CopyPlaces): readonly EntityUrl[] {
  if (file.stored !== undefined) return published(keyOfPath(file.path).slice(1), places, 'archive');
  if (manifest.ingest_strategy.startsWith('archiveorg-') && manifest.item_name !== undefined) {
    return [{ url: `${places.items}${manifest.item_name}${keyOfPath(file.path)}`, rel: 'archive' }];
  }
  const capture = waybackUrl(file, places);
  return capture === undefined ? [] : [{ url: capture, rel: 'webarchive' }];
}

function published(path: string, places: CopyPlaces, rel: string): readonly EntityUrl[] {
  return places.published === undefined ? [] : [{ url: `${places.published}${path}`, rel }];
}
