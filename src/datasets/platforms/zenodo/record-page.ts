import type { HtmlBiblio } from '../../landing/html-biblio.ts';
import type { Landing } from '../../landing/landing.ts';

/** What a page of an InvenioRDM shows. */
interface RecordPage {
  readonly origin: string;
  readonly id: string;
  /** A file of the record. */
  readonly isFile: boolean;
}

/** Zenodo, before and after it became an InvenioRDM. */
const KNOWN_HOSTS = new Set(['zenodo.org', 'www.zenodo.org', 'sandbox.zenodo.org']);
/** The ids of InvenioRDM: `82kn8-3nk04`. */
const OWN_ID = /^[0-9a-hjkmnp-z]{5}-[0-9a-hjkmnp-z]{5}$/;

/**
 * Recognizes the page of a record on any host: by its URL, and by what the page says of its software: `generator`, or
 * a link to the record in its API.
 */
export function recordPage(landing: Landing, biblio: HtmlBiblio | undefined): RecordPage | undefined {
  const { origin, host, pathname } = new URL(landing.url);
  const [, id = '', rest = ''] = /^\/(?:api\/)?records?\/([^/]+)(\/.*)?$/.exec(pathname) ?? [];
  if (id === '') return undefined;
  const isFile = rest.startsWith('/files/') || rest.startsWith('/preview/');
  const saysSo =
    /invenio/i.test(biblio?.generator ?? '') ||
    landing.signposts.some(({ href }) => URL.parse(href)?.pathname.startsWith(`/api/records/${id}`) === true);
  if (!KNOWN_HOSTS.has(host) && !saysSo && !OWN_ID.test(id)) return undefined;
  // A reply of the API, or all files in one, leads to the record, too.
  const isPart = KNOWN_HOSTS.has(host) || pathname.startsWith('/api/');
  return landing.isHtml || isFile || isPart ? { origin, id, isFile } : undefined;
}

/**
 * Whether a request has named all versions of a record, and was led to the latest one: on the way were the id or the
 * DOI of the concept.
 */
export function isOfConcept(
  urls: readonly string[],
  { conceptId, conceptDoi }: { readonly conceptId: string | undefined; readonly conceptDoi: string | undefined },
): boolean {
  const ends = [
    ...(conceptId === undefined ? [] : [`/records/${conceptId}`, `/record/${conceptId}`]),
    ...(conceptDoi === undefined ? [] : [`/${conceptDoi}`]),
  ].map((end) => end.toLowerCase());
  return urls.some((url) => {
    const path = (URL.parse(url)?.pathname ?? '')
      .replaceAll(/%2f/gi, '/')
      .replace(/\/(?:latest)?$/, '')
      .toLowerCase();
    return ends.some((end) => path.endsWith(end));
  });
}
