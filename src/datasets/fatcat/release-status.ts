import { doiIn } from '../identifiers.ts';
import type { DatasetManifest } from '../manifest.ts';
import type { IngestResult, RequestDocument } from '../request.ts';
import { isHit } from '../status.ts';
import { allRequests } from './all-requests.ts';
import { type CopyPlaces, filesetUrls, fileUrls } from './copies.ts';
import type { EntityUrl } from './entity.ts';
import { documentsOf, EntityIndex } from './entity-index.ts';
import type { ExportedDatasets } from './export-entities.ts';
import { releaseOf } from './make-entity.ts';
import { extIdsOf, type Release } from './release-requests.ts';

/** What is known of the copies of a release (D37). */
interface ReleaseStatus {
  readonly ident?: string;
  readonly ext_ids: Readonly<Record<string, string>>;
  /** Stored datasets of several files. */
  readonly fileset_count: number;
  /** Whether a copy is at archive.org. */
  readonly in_ia: boolean;
  /** Whether a copy can be fetched: here, at archive.org, or in a web archive. */
  readonly in_web: boolean;
  /** Whether a copy is stored. */
  readonly is_preserved: boolean;
}

/** A stored dataset of a release. */
interface ReleaseCopy {
  readonly result: IngestResult;
  readonly manifest: DatasetManifest;
  readonly places: CopyPlaces;
}

/** The fields of a release, from the results of its requests. Several requests of one dataset count once. */
export function releaseStatus(release: Release, copies: readonly ReleaseCopy[]): ReleaseStatus {
  const distinct = [...new Map(copies.map((copy) => [copy.result.dataset, copy])).values()];
  const urls = distinct.flatMap(urlsOf);
  return {
    ...(release.ident && { ident: release.ident }),
    ext_ids: extIdsOf(release),
    fileset_count: distinct.filter(({ manifest }) => manifest.files.length > 1).length,
    in_ia: urls.some(({ url }) => /(?:^|\.)archive\.org$/.test(URL.parse(url)?.hostname ?? '')),
    in_web: urls.some(({ rel }) => /^(?:web)?archive/.test(rel)),
    is_preserved: distinct.length > 0,
  };
}

function urlsOf({ manifest, result, places }: ReleaseCopy): readonly EntityUrl[] {
  const [file, ...others] = manifest.files;
  const isFileset = file === undefined || others.length > 0;
  return isFileset ? filesetUrls({ manifest, result }, places) : fileUrls(file, manifest, places);
}

/** The names by which the releases of a request are found: their ident, and identifiers without regard to case. */
function namesOfRequest(document: RequestDocument): readonly string[] {
  const { ext_ids = {}, base_url } = document.request;
  const ident = releaseOf(document);
  const doi = doiIn(base_url);
  return [
    ...(ident === undefined ? [] : [`release:${ident}`]),
    ...(doi === undefined ? [] : [nameOf('doi', doi)]),
    ...Object.entries(ext_ids).map(([kind, id]) => nameOf(kind, id)),
  ];
}

function namesOfRelease(release: Release): readonly string[] {
  const named = Object.entries(extIdsOf(release)).map(([kind, id]) => nameOf(kind, id));
  return release.ident ? [`release:${release.ident}`, ...named] : named;
}

function nameOf(kind: string, id: string): string {
  return `${kind}:${id.toLowerCase()}`;
}

/** The fields of each release. Memory does not grow with the number of requests or releases. */
export async function* releaseStatuses(
  releases: AsyncIterable<Release>,
  options: ExportedDatasets,
): AsyncGenerator<ReleaseStatus> {
  const index = new EntityIndex(options.folder);
  try {
    for await (const { id, document } of allRequests(options.datasets, { set: options.set }, options.signal)) {
      const { result } = document;
      if (result?.dataset === undefined || !isHit(result.status)) continue;
      for (const name of namesOfRequest(document)) index.add(name, id);
    }
    for await (const release of releases) {
      const ids = new Set(namesOfRelease(release).flatMap((name) => index.find(name)));
      yield releaseStatus(release, await copiesOf([...ids], options));
    }
  } finally {
    index.close();
  }
}

async function copiesOf(ids: readonly string[], { datasets, placesOf }: ExportedDatasets): Promise<ReleaseCopy[]> {
  const copies: ReleaseCopy[] = [];
  for (const document of await documentsOf(datasets, ids)) {
    const { result } = document;
    const manifest = await datasets.manifest(document);
    if (result === undefined || manifest === undefined || !('platform_id' in manifest)) continue;
    copies.push({ result, manifest, places: await placesOf(document) });
  }
  return copies;
}
