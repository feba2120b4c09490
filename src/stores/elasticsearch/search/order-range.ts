import type { estypes } from '@elastic/elasticsearch';

/**
 * Most characters of a bound in a query. Lucene builds an automaton for a range of texts, and rejects one with more
 * than 1,000 states, one for each character. Keys may be longer.
 */
const MOST_OF_BOUND = 900;
/** Sorts above every character of a key. */
const ABOVE_ALL = '\u007f';
const BLANK = 0x20;

/** Orders between two bounds, both exclusive. */
export interface OrderRange {
  readonly above: string;
  readonly below: string;
}

/**
 * The part of a search request for a range of orders, sorted. If the bound `below` had to be shortened, it may also
 * find orders from there on: the caller drops them.
 */
export function searchWithin({ above, below }: OrderRange, filter: readonly estypes.QueryDslQueryContainer[] = []) {
  const lt = below.length > MOST_OF_BOUND ? below.slice(0, MOST_OF_BOUND) + ABOVE_ALL : below;
  const range = { range: { order: { gte: above.slice(0, MOST_OF_BOUND), lt } } };
  const order: estypes.SortCombinations[] = [{ order: 'asc' }];
  return { query: { bool: { filter: [range, ...filter] } }, sort: order, search_after: [above] };
}

/** A text directly below another one, with no order in between: orders are printable ASCII without blanks. */
export function justBelow(text: string): string {
  const begin = text.slice(0, -1);
  const last = text.charCodeAt(text.length - 1);
  return last <= BLANK ? begin : begin + String.fromCharCode(last - 1) + ABOVE_ALL;
}

/**
 * An ASCII bound for any text of a client: above all orders that begin with the ASCII characters before the first other
 * character.
 */
export function inAscii(text: string): string {
  return text.replace(/[\u007f-\uffff].*$/s, ABOVE_ALL);
}
