/** The weights of the items of a header such as `Accept`, in lower case (RFC 9110, 12.4.2); an invalid weight is 0. */
export function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const [, weight = '1'] = /^q=([\d.]+)$/.exec(parameters.find((text) => text.startsWith('q=')) ?? '') ?? [];
    weights.set(name, Math.min(1, Number(weight) || 0));
  }
  return weights;
}

/** The weight of a media type: that of the most specific range that matches. */
export function weightOfType(ranges: ReadonlyMap<string, number>, type: string): number {
  return ranges.get(type) ?? ranges.get(`${type.split('/')[0]}/*`) ?? ranges.get('*/*') ?? 0;
}
