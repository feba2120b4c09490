import type { Datasets } from '../datasets.ts';
import type { RequestDocument } from '../request.ts';
import { isHit } from '../status.ts';
import { allRequests, documentsOf, EntityIndex } from './entity-index.ts';
import { releaseOf } from './make-entity.ts';
import { extIdsOf, type Release } from './release-requests.ts';

/** What is known of the copies of a release (D37). */
export interface ReleaseStatus {
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

/** How a stored dataset counts for its release. */
export interface ReleaseCopy {
  readonly document: RequestDocument;
  /** Where copies are: hosts of their addresses. */
  readonly hosts: readonly string[];
}

/** The fields of a release, from the stored datasets that its requests led to. Several requests of one count once. */
export function releaseStatus(release: Release, copies: readonly ReleaseCopy[]): ReleaseStatus {
  const distinct = [...new Map(copies.map((copy) => [copy.document.result?.dataset, copy])).values()];
  const filesets = distinct.filter(({ document }) => document.result?.strategy?.includes('-fileset'));
  const hosts = distinct.flatMap((copy) => copy.hosts);
  return {
    ...(release.ident && { ident: release.ident }),
    ext_ids: extIdsOf(release),
    fileset_count: filesets.length,
    in_ia: hosts.some((host) => host === 'archive.org' || host.endsWith('.archive.org')),
    in_web: hosts.length > 0,
    is_preserved: distinct.length > 0,
  };
}

/** The names by which the releases of a request are found: their ident, and identifiers without regard to case. */
export function namesOfRequest(document: RequestDocument): readonly string[] {
  const { ext_ids = {}, base_url } = document.request;
  const ident = releaseOf(document);
  const doi = /^https?:\/\/(?:dx\.)?doi\.org\/(.+)$/i.exec(base_url)?.[1];
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

interface ReleaseStatuses {
  readonly datasets: Pick<Datasets, 'list' | 'byId'>;
  readonly set: string | undefined;
  /** For temporary data. */
  readonly folder: string;
  readonly signal: AbortSignal;
  hostsOf(document: RequestDocument): Promise<readonly string[]>;
}

/** The fields of each release. Memory does not grow with the number of requests or releases. */
export async function* releaseStatuses(
  releases: AsyncIterable<Release>,
  { datasets, set, folder, signal, hostsOf }: ReleaseStatuses,
): AsyncGenerator<ReleaseStatus> {
  const index = new EntityIndex(folder);
  try {
    for await (const { id, document } of allRequests(datasets, { set, signal })) {
      const { result } = document;
      if (result?.dataset === undefined || !isHit(result.status)) continue;
      for (const name of namesOfRequest(document)) index.add(name, id);
    }
    for await (const release of releases) {
      const ids = new Set(namesOfRelease(release).flatMap((name) => index.find(name)));
      const documents = await documentsOf(datasets, [...ids]);
      const copies = await Promise.all(
        documents.map(async (document) => ({ document, hosts: await hostsOf(document) })),
      );
      yield releaseStatus(release, copies);
    }
  } finally {
    index.close();
  }
}
