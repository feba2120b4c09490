import type { HtmlBiblio } from './html-biblio.ts';
import type { ReadPage } from './read-page.ts';

const TITLES = ['citation_title', 'dc.title', 'dcterms.title', 'og:title', 'eprints.title'];
const DOIS = [
  'citation_doi',
  'dc.identifier.doi',
  'dc.identifier',
  'dcterms.identifier',
  'bepress_citation_doi',
  'prism.doi',
  'doi',
];
const SITES = ['og:site_name', 'application-name'];

/** What the head of a page says of its dataset. */
export function biblioOf({ title, meta }: Pick<ReadPage, 'title' | 'meta'>): HtmlBiblio {
  const valuesOf = (names: readonly string[]) => names.flatMap((name) => meta[name] ?? []);
  const known = {
    title: valuesOf(TITLES)[0] ?? (title === '' ? undefined : title),
    doi: valuesOf(DOIS).map(doiIn).find(Boolean),
    generator: valuesOf(['generator'])[0],
    siteName: valuesOf(SITES)[0],
  };
  const stated = Object.entries(known).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(stated) as Partial<Record<keyof typeof known, string>>), meta };
}

/** The DOI in a text such as `doi:10.7910/DVN/CLSFKX`, or a URL of it; undefined without one. */
export function doiIn(text: string): string | undefined {
  const [, doi] =
    /^(?:doi:\s*|(?:https?:\/\/)?(?:dx\.)?doi\.org\/)?(10\.\d{4,9}(?:\.\d+)*\/\S+)$/i.exec(text.trim()) ?? [];
  return doi?.toLowerCase();
}
