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
  // The bytes of a file are at a URL of its storage.
  if (hops.some((hop) => /^\/api\/access\/datafile\//.test(new URL(hop).pathname)))
    return { kind: 'file', origin: new URL(url).origin };
  const { origin, pathname, searchParams } = new URL(url);
  const page = /\/([^/]*?)(?:;[^/]*)?$/.exec(pathname)?.[1];
  const id = searchParams.get('persistentId') ?? (page === 'dataset.xhtml' ? searchParams.get('id') : null);
  // `datasets` is the page of its newer user interface.
  if (id !== null && id !== '' && (page === 'dataset.xhtml' || page === 'datasets'))
    return { kind: 'dataset', origin, id, version: searchParams.get('version') ?? undefined };
  if (page === 'file.xhtml') return { kind: 'file', origin };
  if (page === 'dataverse.xhtml' || /^\/dataverse\/[^/]+\/?$/.test(pathname)) return { kind: 'collection', origin };
  return page === 'loginpage.xhtml' ? { kind: 'login', origin } : undefined;
}
