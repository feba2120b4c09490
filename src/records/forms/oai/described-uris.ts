import { isOaiRecord, readOaiRecord } from './oai-record.ts';
import { unescapeXml } from './xml-text.ts';

const DECLARATION = /\sxmlns(?::([^\s=]+))?="http:\/\/purl\.org\/dc\/elements\/1\.1\/"/g;
const IDENTIFIER = /<(?:([^\s:<>/]+):)?identifier(?:\s[^>]*)?>([^<]*)</g;
const URI = /^(?:https?|ftp):\/\/[^\s/]\S*$/i;
/** Characters of a URI; a longer one is no link. */
const LONGEST = 2_000;
const MOST = 50;

/**
 * The distinct http, https and ftp URIs in the dc:identifier elements of a stored record, in their order, at most 50:
 * of what a transform made, or of the metadata where there was none. None of another document.
 */
export function describedUris(document: Buffer): readonly string[] {
  if (!isOaiRecord(document)) return [];
  const { metadata = '', derived } = readOaiRecord(document);
  return identifierUris(derived?.xml ?? metadata);
}

/** The same of an element with Dublin Core in it. */
export function identifierUris(xml: string): readonly string[] {
  const prefixes = new Set([...xml.matchAll(DECLARATION)].map(([, prefix = '']) => prefix));
  const uris = new Set<string>();
  if (prefixes.size === 0) return [];
  for (const [, prefix = '', text = ''] of xml.matchAll(IDENTIFIER)) {
    if (!prefixes.has(prefix)) continue;
    const uri = unescapeXml(text).trim();
    if (uri.length <= LONGEST && URI.test(uri)) uris.add(uri);
    if (uris.size === MOST) break;
  }
  return [...uris];
}
