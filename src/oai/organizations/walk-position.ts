import type { Stamp } from '../../core/stamp.ts';
import type { ListVerb } from '../protocol.ts';
import { decodeParts, encodeParts, isCount, isCountOrNull, isListVerb, isPrefix } from '../resumption-token.ts';

/**
 * Where a list over the sets of organizations continues, with its arguments. As a `ListPosition`, it works for ever:
 * it names its place by an id in the order of ids, so a set that is not there any more ends nothing.
 */
export interface WalkPosition {
  readonly verb: ListVerb;
  readonly metadataPrefix: string;
  /** The only set that was asked for. */
  readonly set?: string | undefined;
  /** The set in which the list continues; empty at the beginning. */
  readonly at: string;
  /** The boundary in that set above which it continues. */
  readonly after: Stamp;
  /** The boundary at which the list of each later set begins. */
  readonly from: Stamp;
  /** The boundary below which all end. */
  readonly until?: Stamp | undefined;
  /** How many records came before. */
  readonly cursor: number;
  /**
   * The response date of the first page, which all pages have: sets that were read before may have changed since then,
   * and a client may take the date of any page for the next `from`. In seconds since 1970.
   */
  readonly began: number;
}

/** Other than that of the tokens of a single set. */
const VERSION = 2;
const PARTS = 10;
/** In seconds since 1970. */
const YEAR_10000 = 253_402_300_800;

export function encodeWalk(position: WalkPosition): string {
  const { verb, metadataPrefix, set = null, at, after, from, until = null, cursor, began } = position;
  return encodeParts([VERSION, verb, metadataPrefix, set, at, after, from, until, cursor, began]);
}

/** Undefined for what `encodeWalk` has not written. The caller checks verb and prefix, and may read each set or not. */
export function decodeWalk(token: string): WalkPosition | undefined {
  const parts = decodeParts(token, PARTS);
  if (parts === undefined) return undefined;
  const [version, verb, metadataPrefix, set, at, after, from, until, cursor, began] = parts;
  if (version !== VERSION || !isListVerb(verb) || !isPrefix(metadataPrefix)) return undefined;
  if (typeof at !== 'string' || (set !== null && typeof set !== 'string')) return undefined;
  if (!isCount(after) || !isCount(from) || !isCountOrNull(until) || !isCount(cursor) || !isDate(began)) {
    return undefined;
  }
  return {
    verb,
    metadataPrefix,
    set: set ?? undefined,
    at,
    after,
    from,
    until: until ?? undefined,
    cursor,
    began,
  };
}

function isDate(value: unknown): value is number {
  return isCount(value) && value < YEAR_10000;
}
