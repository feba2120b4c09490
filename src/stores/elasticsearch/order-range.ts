import type { estypes } from '@elastic/elasticsearch';

/**
 * Characters of a bound that a query contains. Lucene makes an automaton of a range of texts and refuses one that is
 * more than 1,000 states long, one for each character; keys are longer.
 */
const MOST_OF_BOUND = 900;
/** Above every character of a key. */
const ABOVE_ALL = '\u007f';
const BLANK = 0x20;

/** Orders above one and below another one, both exclusive. */
export interface OrderRange {
  readonly above: string;
  readonly below: string;
}

/**
 * The part of a search that finds a range of orders, in their order. It may find orders from `below` on when that bound
 * was shortened: the caller drops them.
 */
export function searchWithin({ above, below }: OrderRange, filter: readonly estypes.QueryDslQueryContainer[] = []) {
  const lt = below.length > MOST_OF_BOUND ? below.slice(0, MOST_OF_BOUND) + ABOVE_ALL : below;
  const range = { range: { order: { gte: above.slice(0, MOST_OF_BOUND), lt } } };
  const order: estypes.SortCombinations[] = [{ order: 'asc' }];
  return { query: { bool: { filter: [range, ...filter] } }, sort: order, search_after: [above] };
}

/** A text below another one, with no order in between: orders are printable ASCII without blanks. */
export function justBelow(text: string): string {
  const begin = text.slice(0, -1);
  const last = text.charCodeAt(text.length - 1);
  return last <= BLANK ? begin : begin + String.fromCharCode(last - 1) + ABOVE_ALL;
}

/**
 * A bound in ASCII for any text of a client: what is above the text is above all orders that go on as it does up to
 * there.
 */
export function inAscii(text: string): string {
  return text.replace(/[\u007f-\uffff].*$/s, ABOVE_ALL);
}
