import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import { type ListVerb, PREFIX } from './protocol.ts';

/**
 * Where a list continues, with its arguments. It refers to nothing that is stored: so it works for ever, on every
 * server of a store.
 */
export interface ListPosition {
  readonly verb: ListVerb;
  readonly set: SetId;
  readonly metadataPrefix: string;
  /** The setSpec of selective harvesting. */
  readonly spec?: string | undefined;
  /** The boundary above which the list continues. */
  readonly after: Stamp;
  /** The boundary below which the list ends. */
  readonly until?: Stamp | undefined;
  /** How many records came before. */
  readonly cursor: number;
  /** The number of all records of the list, where that was known when the list began. */
  readonly size?: number | undefined;
}

const VERSION = 1;
const PARTS = 9;
const MOST_CHARACTERS = 10_000;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export function encodePosition(position: ListPosition): string {
  const { verb, set, metadataPrefix, spec = null, after, until = null, cursor, size = null } = position;
  const parts = [VERSION, verb, set, metadataPrefix, spec, after, until, cursor, size];
  return encodeParts(parts);
}

export function encodeParts(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** Undefined for what `encodeParts` has not written, and for another number of parts. */
export function decodeParts(token: string, length: number): readonly unknown[] | undefined {
  if (token.length > MOST_CHARACTERS || !BASE64URL.test(token)) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch {
    return undefined;
  }
  return Array.isArray(parts) && parts.length === length ? parts : undefined;
}

/** Undefined for what `encodePosition` has not written. The caller checks set, verb and prefix. */
export function decodePosition(token: string): ListPosition | undefined {
  const parts = decodeParts(token, PARTS);
  if (parts === undefined) return undefined;
  const [version, verb, set, metadataPrefix, spec, after, until, cursor, size] = parts;
  if (version !== VERSION || !isListVerb(verb) || !isPrefix(metadataPrefix)) return undefined;
  if (spec !== null && (typeof spec !== 'string' || !spec.isWellFormed())) return undefined;
  if (!isCount(set) || !isCount(after) || !isCount(cursor) || !isCountOrNull(until) || !isCountOrNull(size)) {
    return undefined;
  }
  return {
    verb,
    set,
    metadataPrefix,
    spec: spec ?? undefined,
    after,
    until: until ?? undefined,
    cursor,
    size: size ?? undefined,
  };
}

export function isListVerb(value: unknown): value is ListVerb {
  return value === 'ListIdentifiers' || value === 'ListRecords';
}

export function isPrefix(value: unknown): value is string {
  return typeof value === 'string' && PREFIX.test(value);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

export function isCountOrNull(value: unknown): value is number | null {
  return value === null || isCount(value);
}
