import { doiIn } from '../identifiers.ts';
import type { ReadPage } from './read-page.ts';

/** What the meta elements of a landing page say: of Highwire, Dublin Core, Open Graph and schema.org (D22). */
export interface HtmlBiblio {
  readonly title?: string;
  /** `10.7910/DVN/CLSFKX`, in lower case, without a prefix. */
  readonly doi?: string;
  /** The name of the software that made the page, from `generator`. */
  readonly generator?: string;
  readonly siteName?: string;
  /** The values of other meta elements by their name in lower case, as the page has them; at most 200. */
  readonly meta: Readonly<Record<string, readonly string[]>>;
}

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
    doi: valuesOf(DOIS).map(doiIn).find(Boolean)?.toLowerCase(),
    generator: valuesOf(['generator'])[0],
    siteName: valuesOf(SITES)[0],
  };
  const stated = Object.entries(known).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(stated) as Partial<Record<keyof typeof known, string>>), meta };
}
