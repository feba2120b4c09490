/** What an XML document may be asked for as. */
const XML_TYPES = ['application/xml', 'text/xml'];
const PAGE_TYPES = ['text/html', 'application/xhtml+xml'];

/**
 * Whether a client would rather have a page to read than XML (RFC 9110, 12.5.1). Who says nothing, takes everything, or likes both
 * alike gets XML: only browsers say more.
 */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = parseRanges(accept);
  return best(ranges, PAGE_TYPES) > best(ranges, XML_TYPES);
}

function best(ranges: ReadonlyMap<string, number>, types: readonly string[]): number {
  return Math.max(...types.map((type) => weightOf(ranges, type)));
}

/** The range that names a type most exactly tells its weight. */
function weightOf(ranges: ReadonlyMap<string, number>, type: string): number {
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0;
}

function parseRanges(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>();
  for (const part of accept.split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const [, weight = '1'] = /^q=([\d.]+)$/.exec(parameters.find((text) => text.startsWith('q=')) ?? '') ?? [];
    ranges.set(range, Math.min(1, Number(weight) || 0));
  }
  return ranges;
}
