import type { Landing } from '../../landing/landing.ts';

/** What a page of a Dataverse shows. */
export type DataversePage =
  | {
      readonly kind: 'dataset';
      readonly origin: string;
      /** `doi:10.7910/DVN/CLSFKX`, or the number of a dataset. */
      readonly id: string;
      /** As the URL has it: `1.1`, `DRAFT` …; undefined for the latest. */
      readonly version: string | undefined;
    }
  | { readonly kind: 'file' | 'collection' | 'login'; readonly origin: string };

/** Recognizes pages of Dataverse by their URLs, on any host: the pages do not say which software made them. */
export function dataversePage({ url, hops }: Landing): DataversePage | undefined {
  // The bytes of a file, and of all of them, are at a URL of a storage.
  if (
    hops.some((hop) => /^\/api\/(?:access\/(?:datafile|dataset)|datasets\/:persistentId)\//.test(new URL(hop).pathname))
  )
    return { kind: 'file', origin: new URL(url).origin };
  const { origin, pathname, searchParams } = new URL(url);
  const page = /\/([^/]*?)(?:;[^/]*)?$/.exec(pathname)?.[1];
  const id = searchParams.get('persistentId') ?? (page === 'dataset.xhtml' ? searchParams.get('id') : null);
  // `datasets` is the page of its newer user interface.
  if (id !== null && id !== '' && (page === 'dataset.xhtml' || page === 'datasets'))
    return { kind: 'dataset', origin, id, version: searchParams.get('version') ?? versionIn(hops, id) };
  if (page === 'file.xhtml') return { kind: 'file', origin };
  if (page === 'dataverse.xhtml' || /^\/dataverse\/[^/]+\/?$/.test(pathname)) return { kind: 'collection', origin };
  return page === 'loginpage.xhtml' ? { kind: 'login', origin } : undefined;
}

/** The version that was requested, which a redirect may have dropped (d12). */
function versionIn(hops: readonly string[], id: string): string | undefined {
  const queries = hops.map((hop) => new URL(hop).searchParams);
  return (
    queries.findLast((query) => query.get('persistentId') === id && query.has('version'))?.get('version') ?? undefined
  );
}
