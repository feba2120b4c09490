import { parseWeights, weightOfType } from './weighted-list.ts';

/** What an XML document may be asked for as. */
const XML_TYPES = ['application/xml', 'text/xml'];
const PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

/**
 * Whether a client would rather have a page to read than XML (RFC 9110, 12.5.1). Who says nothing, takes everything, or
 * likes both alike gets XML: only browsers name HTML.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined || !namesHtml(accept)) return false;
  const ranges = parseWeights(accept);
  const page = Math.max(...PAGE_TYPES.map((type) => ranges.get(type) ?? 0));
  return page > Math.max(...XML_TYPES.map((type) => weightOfType(ranges, type)));
}

/** Whether an answer may be a page at all: cheap enough to ask of every request. */
export function namesHtml(accept: string | undefined): boolean {
  return accept !== undefined && /html/i.test(accept);
}
