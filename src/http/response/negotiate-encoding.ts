import type { Encoding } from '../../publish/published-document.ts';

/** Smallest first: of encodings that a client likes equally well, the first is taken. */
const BY_SIZE: readonly Encoding[] = ['gzip', 'identity'];

/** The encoding to answer a request with (RFC 9110, 12.5.3). Without the header it is `identity`. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = parseWeights(acceptEncoding);
  let best: Encoding = 'identity';
  let bestWeight = 0;
  for (const encoding of BY_SIZE) {
    const weight = weights.get(encoding) ?? weights.get('*') ?? (encoding === 'identity' ? 0.0001 : 0);
    if (weight > bestWeight) {
      best = encoding;
      bestWeight = weight;
    }
  }
  return best;
}

function parseWeights(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const [, weight = '1'] = /^q=([\d.]+)$/.exec(parameters.find((text) => text.startsWith('q=')) ?? '') ?? [];
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight) || 0);
  }
  return weights;
}
