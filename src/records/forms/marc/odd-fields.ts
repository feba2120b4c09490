import type { Fault, FaultPlace } from '../../errata/fault.ts';
import { subjectOf } from '../../errata/fault.ts';
import type { FaultKind } from '../../errata/fault-kinds.ts';
import { visible } from './faults/readable-text.ts';

/** Repairs of fields that are written as MARC21 does not have them: both readers keep such a record, and report it. */

/** A letter or a digit may have marks: `é` is `e` and an accent. */
const ASCII_WITH_MARKS = /^([\x20-\x7e])\p{Mark}*$/u;
const OTHER_THAN_ASCII = /[^\x20-\x7e]/g;
const MOST_DESCRIBED = 3;
const MOST_SHOWN = 20;
const MOST_AFTER = 50;

/** What was repaired in a record, or left out. */
export class Repairs {
  readonly #first: string[] = [];
  readonly #occurrenceOf: (tag: string) => number;
  #count = 0;
  #fault: Fault | undefined;

  /** @param occurrenceOf which of the fields with a tag the one that is repaired is, from 1 */
  constructor(occurrenceOf: (tag: string) => number = () => 1) {
    this.#occurrenceOf = occurrenceOf;
  }

  add(what: string, fault: Fault | undefined): void {
    this.#fault ??= fault;
    if (this.#count++ < MOST_DESCRIBED) this.#first.push(what);
  }

  /** Adds what was repaired in a field. @param what behind the name of the place */
  addIn(place: FaultPlace & { readonly field: string }, kind: FaultKind, what: string): void {
    if (this.#count >= MOST_DESCRIBED) {
      this.#count += 1;
      return;
    }
    const found = { ...place, occurrence: this.#occurrenceOf(place.field) };
    this.add(`${subjectOf(found)} ${what}`, { kind, ...found });
  }

  /** The first fault. */
  get fault(): Fault | undefined {
    return this.#fault;
  }

  /** The first ones, and the number of the others; undefined without any. */
  get text(): string | undefined {
    const rest = this.#count - this.#first.length;
    if (this.#count === 0) return undefined;
    return [...this.#first, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
  }
}

/**
 * The indicators of a field. Those that are missing, or are not printable ASCII, become blanks.
 * @param found what the field has in the place of each
 */
export function mendIndicators(tag: string, found: readonly [string, string], repairs: Repairs): string {
  const count = found[0].length + found[1].length;
  const place = { field: tag, fault: visible(found.join('').slice(0, MOST_SHOWN)) };
  if (count > 2) repairs.addIn(place, 'indicators', `has ${count} indicators: two were kept`);
  if (count < 2) repairs.addIn(place, 'indicators', `has ${count} of two indicators: what is missing became blank`);
  const two = found.map((one) => one.slice(0, 1).padEnd(1)).join('');
  const mended = two.replace(OTHER_THAN_ASCII, ' ');
  if (mended !== two) repairs.addIn(place, 'indicators', 'has an indicator that is not ASCII: it became a blank');
  return mended;
}

/** The code of a subfield, without marks; undefined when the subfield must be left out. @param text behind the code */
export function mendCode(
  tag: string,
  { code, text }: { readonly code: string; readonly text?: string },
  repairs: Repairs,
): string | undefined {
  const mended = ASCII_WITH_MARKS.exec(code.normalize('NFKD'))?.[1];
  if (mended === code) return code;
  const what =
    code === '' ? 'a subfield without a code' : `the subfield code ${JSON.stringify(code.slice(0, MOST_SHOWN))}`;
  const shown = visible(code.slice(0, MOST_SHOWN));
  const place = { field: tag, before: '$', fault: shown, after: ` ${visible((text ?? '').slice(0, MOST_AFTER))}` };
  repairs.addIn(
    place,
    'subfield-code',
    mended === undefined
      ? `has ${what}: the subfield was left out`
      : `has ${what}, which is not ASCII: it became "${mended}"`,
  );
  return mended;
}
