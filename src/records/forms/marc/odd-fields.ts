/** Repairs of fields that are written as MARC21 does not have them: both readers keep such a record, and report it. */

/** A letter or a digit may have marks: `é` is `e` and an accent. */
const ASCII_WITH_MARKS = /^([\x20-\x7e])\p{Mark}*$/u;
const OTHER_THAN_ASCII = /[^\x20-\x7e]/g;
const MOST_DESCRIBED = 3;
const MOST_SHOWN = 20;

/** What was repaired in a record, or left out. */
export class Repairs {
  readonly #first: string[] = [];
  #count = 0;

  add(what: string): void {
    if (this.#count++ < MOST_DESCRIBED) this.#first.push(what);
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
  if (count > 2) repairs.add(`field ${tag} has ${count} indicators: two were kept`);
  if (count < 2) repairs.add(`field ${tag} has ${count} of two indicators: what is missing became blank`);
  const two = found.map((one) => one.slice(0, 1).padEnd(1)).join('');
  const mended = two.replace(OTHER_THAN_ASCII, ' ');
  if (mended !== two) repairs.add(`field ${tag} has an indicator that is not ASCII: it became a blank`);
  return mended;
}

/** The code of a subfield, without marks; undefined when the subfield must be left out. */
export function mendCode(tag: string, code: string, repairs: Repairs): string | undefined {
  const mended = ASCII_WITH_MARKS.exec(code.normalize('NFKD'))?.[1];
  if (mended === code) return code;
  const what =
    code === '' ? 'a subfield without a code' : `the subfield code ${JSON.stringify(code.slice(0, MOST_SHOWN))}`;
  repairs.add(
    mended === undefined
      ? `field ${tag} has ${what}: the subfield was left out`
      : `field ${tag} has ${what}, which is not ASCII: it became "${mended}"`,
  );
  return mended;
}
