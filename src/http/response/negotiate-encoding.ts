import type { Encoding } from '../../publish/published-document.ts';
import { parseWeights } from '../request/weighted-list.ts';

/** Smallest first: of encodings with the same weight, the first is used. */
const BY_SIZE: readonly Encoding[] = ['gzip', 'identity'];

/** The encoding of the response to a request (RFC 9110, 12.5.3). Without the header it is `identity`. */
export function negotiateEncoding(acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return 'identity';
  const weights = parseWeights(acceptEncoding.replace(/\bx-gzip\b/i, 'gzip'));
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
