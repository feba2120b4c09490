import { keyOfNames, type ResourceKey } from '../../../core/key.ts';
import type { ResourceState } from '../../../core/resource.ts';

/** A file of a set: from an upload or from a dump. */
export interface DeliveredFile {
  readonly key: ResourceKey;
  readonly state: ResourceState;
}

/** The files of one upload, or of one dump. */
export interface Delivery {
  readonly number: number;
  /** Ascending by key; empty when there are none yet, or no longer. */
  readonly files: readonly DeliveredFile[];
}

/** The deliveries that a set is compared with. */
export interface Deliveries {
  /** All deliveries, descending by number, some at a time. */
  pages(): AsyncIterable<readonly Delivery[]>;
  /** The current files of one delivery; empty when there is no such delivery. */
  at(number: number): Promise<readonly DeliveredFile[]>;
}

const DIGITS = 9;
/** Bytes of a name in a key: file systems accept at most 255, and a URI has at most 2,048 characters. */
const MOST_NAME_BYTES = 150;
const ENDING = /(?:\.[A-Za-z0-9]{1,8}){1,2}$/;

/** The digits of a number, padded so that keys sort in the order of numbers. */
export function numberText(number: number): string {
  return String(number).padStart(DIGITS, '0');
}

/** The number of the delivery in a key; undefined for a key that no delivery has. */
export function numberOfKey(key: ResourceKey): number | undefined {
  const [, number] = /^\/(\d{9})\//.exec(key) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The range of the keys of a delivery: `from` is included, `to` is not. */
export function keysOf(number: number): { readonly from: ResourceKey; readonly to: ResourceKey } {
  // The character after a slash is a zero.
  return { from: `/${numberText(number)}/`, to: `/${numberText(number)}0` };
}

/** The key of a file, from names of which the last may have any length. */
export function keyOfFile(names: readonly string[]): ResourceKey {
  return keyOfNames([...names.slice(0, -1), shortened(names.at(-1)!)]);
}

/** Shortens a long name, keeping its beginning and its extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MOST_NAME_BYTES) return name;
  const [ending = ''] = ENDING.exec(name) ?? [];
  let beginning = '';
  for (const character of name.slice(0, name.length - ending.length)) {
    if (Buffer.byteLength(beginning + character + ending) >= MOST_NAME_BYTES) break;
    beginning += character;
  }
  return `${beginning}~${ending}`;
}
