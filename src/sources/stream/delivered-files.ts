import { keyOfNames, type ResourceKey } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';

/** A file that a set has: one that was uploaded, or one of a dump. */
export interface DeliveredFile {
  readonly key: ResourceKey;
  readonly state: ResourceState;
}

/** The files of one upload, or of one dump. */
export interface Delivery {
  readonly number: number;
  /** Ascending by key; none when it has none yet, or no longer. */
  readonly files: readonly DeliveredFile[];
}

/** What a set of files is compared with. */
export interface Deliveries {
  /** All deliveries, descending by number, some at a time. */
  pages(): AsyncIterable<readonly Delivery[]>;
  /** The files of one, as of now; none when there is no such delivery. */
  at(number: number): Promise<readonly DeliveredFile[]>;
}

const DIGITS = 9;
/** Bytes of a name in a key: no file system takes more than 255, and a URI has at most 2,048 characters. */
const MOST_NAME_BYTES = 150;
const ENDING = /(?:\.[A-Za-z0-9]{1,8}){1,2}$/;

/** Digits of a number, so that keys are in the order of numbers. */
export function numberText(number: number): string {
  return String(number).padStart(DIGITS, '0');
}

/** The number of the delivery that a key is in; undefined for a key that no delivery has. */
export function numberOfKey(key: ResourceKey): number | undefined {
  const [, number] = /^\/(\d{9})\//.exec(key) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** The keys of a delivery: from the first to before the second. */
export function keysOf(number: number): { readonly from: ResourceKey; readonly to: ResourceKey } {
  // The character after a slash is a zero.
  return { from: `/${numberText(number)}/`, to: `/${numberText(number)}0` };
}

/** The key of a file by names of which the last is a label of any length. */
export function keyOfFile(names: readonly string[]): ResourceKey {
  return keyOfNames([...names.slice(0, -1), shortened(names.at(-1)!)]);
}

/** The beginning of a long name, and its ending. */
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
