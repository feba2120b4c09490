import type { FaultKind } from './fault-kinds.ts';

/** Where in a record a fault is, and the text around it. What is not known, or does not apply, is absent. */
export interface FaultPlace {
  /** The tag of the field. */
  readonly field?: string | undefined;
  /** Which of the fields with that tag it is, from 1. */
  readonly occurrence?: number | undefined;
  /** The code of the subfield. */
  readonly subfield?: string | undefined;
  /** The number, from 1, of the character in the subfield, or in a control field, at which the fault begins. */
  readonly position?: number | undefined;
  /** The text of the field before the fault, at most `MOST_AROUND` characters; bytes that are no text as `\xB9`. */
  readonly before?: string | undefined;
  readonly fault?: string | undefined;
  readonly after?: string | undefined;
}

/** What is wrong, for counting, and where; a sentence in the reason of its erratum says the same. */
export interface Fault extends FaultPlace {
  readonly kind: FaultKind;
}

const MOST_AROUND = 50;
const MOST_FAULT = 20;

/** The text around a fault, without the parts that are too long. */
export function around(
  before: string,
  fault: string,
  after: string,
): Required<Pick<FaultPlace, 'before' | 'fault' | 'after'>> {
  const [first, middle, last] = [[...before], [...fault], [...after]];
  return {
    before: first.length > MOST_AROUND ? `…${first.slice(-MOST_AROUND).join('')}` : before,
    fault: middle.length > MOST_FAULT ? `${middle.slice(0, MOST_FAULT).join('')}…` : fault,
    after: last.length > MOST_AROUND ? `${last.slice(0, MOST_AROUND).join('')}…` : after,
  };
}

/** A place for people: `245 $a`, or `650 $x (3rd 650)`. */
export function placeText({ field = 'record', occurrence = 1, subfield }: FaultPlace): string {
  const which = occurrence > 1 ? ` (${ordinal(occurrence)} ${field})` : '';
  return `${field}${subfield === undefined ? '' : ` $${subfield}`}${which}`;
}

function ordinal(number: number): string {
  const suffix = /1[1-3]$/.test(String(number)) ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${suffix}`;
}

/** The same as the beginning of a sentence: `field 245 $a`; without a field, `the record`. */
export const subjectOf = (place: FaultPlace): string =>
  place.field === undefined ? 'the record' : `field ${placeText(place)}`;
