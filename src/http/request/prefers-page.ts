import { parseWeights, weightOfType } from './weighted-list.ts';

/** Media types that select the XML of a document. */
const XML_TYPES = ['application/xml', 'text/xml'];
const PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

/**
 * Whether a client prefers a web page to XML (RFC 9110, 12.5.1). Without a header, or with equal preference, it gets
 * XML: only browsers name HTML.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !namesHtml(accept)) return false;
  const ranges = parseWeights(accept);
  const page = Math.max(...PAGE_TYPES.map((type) => ranges.get(type) ?? 0));
  return page > Math.max(...XML_TYPES.map((type) => weightOfType(ranges, type)));
}

/** Whether the response may be a page at all: cheap enough for every request. */
export function namesHtml(accept: string | undefined): boolean {
  return accept !== undefined && /html/i.test(accept);
}
