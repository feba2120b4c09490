import { parseWeights, weightOfType } from './weighted-list.ts';

interface OfferedType {
  readonly mime: string;
  /** Further media types in an `Accept` header that select it. */
  readonly alsoAsked?: readonly string[];
}

/**
 * The media type that a client prefers (RFC 9110, 12.5.1); the first of several with the same weight. Undefined when it
 * accepts none of them.
 */
export function negotiateType<Offered extends OfferedType>(
  accept: string | undefined,
  offered: readonly Offered[],
): Offered | undefined {
  if (accept === undefined) return offered[0];
  const ranges = parseWeights(accept);
  let best: Offered | undefined;
  let bestWeight = 0;
  for (const one of offered) {
    const weight = Math.max(...[one.mime, ...(one.alsoAsked ?? [])].map((type) => weightOfType(ranges, type)));
    if (weight <= bestWeight) continue;
    best = one;
    bestWeight = weight;
  }
  return best;
}
