/** The classes of POSIX. As in git, they contain ASCII only. */
const CLASSES: Readonly<Record<string, readonly Range[]>> = {
  alnum: rangesOf('09AZaz'),
  alpha: rangesOf('AZaz'),
  blank: rangesOf('\t\t  '),
  cntrl: rangesOf('\0\x1f\x7f\x7f'),
  digit: rangesOf('09'),
  graph: rangesOf('!~'),
  lower: rangesOf('az'),
  print: rangesOf(' ~'),
  punct: rangesOf('!/:@[`{~'),
  // Without \v and \f, as in git.
  space: rangesOf('\t\n\r\r  '),
  upper: rangesOf('AZ'),
  xdigit: rangesOf('09AFaf'),
};

export const CLASS_NAMES: readonly string[] = Object.keys(CLASSES);

/** A range of code points, both inclusive. */
type Range = readonly [first: number, last: number];

/** A bracket expression of a pattern, such as `[!a-z[:digit:]]`. */
interface Bracket {
  /** The position behind it. */
  readonly end: number;
  /** As a regular expression. */
  readonly expression: string;
  /** The name of a class that does not exist: the expression matches nothing then, as in git. */
  readonly unknownClass?: string | undefined;
}

const SLASH = 0x2f;
const NOTHING = '[^\\x{0}-\\x{10FFFF}]';

/**
 * Parses a bracket expression.
 * @param from the position behind its opening bracket
 * @returns undefined when it is not closed
 */
export function parseBracket(glob: string, from: number): Bracket | undefined {
  const isNegated = '!^'.includes(glob[from] ?? ' ');
  return new BracketParser(glob, isNegated ? from + 1 : from).parse(isNegated);
}

/** Parses what is between the brackets in one pass, as wildmatch.c of git does. */
class BracketParser {
  readonly #glob: string;
  readonly #ranges: Range[] = [];
  #at: number;
  /** The character that a `-` makes a range of. */
  #previous: number | undefined;
  #unknownClass: string | undefined;

  constructor(glob: string, at: number) {
    this.#glob = glob;
    this.#at = at;
  }

  parse(isNegated: boolean): Bracket | undefined {
    // A bracket at the first position is literal.
    do {
      if (this.#at >= this.#glob.length) return undefined;
      if (this.#glob.startsWith('[:', this.#at) && this.#class()) continue;
      if (this.#isRange()) this.#range();
      else this.#single();
    } while (this.#glob[this.#at] !== ']');
    return { end: this.#at + 1, expression: this.#expression(isNegated), unknownClass: this.#unknownClass };
  }

  /** Returns false for a bracket that begins no class. */
  #class(): boolean {
    const from = this.#at + 2;
    const end = this.#glob.indexOf(']', from) - 1;
    if (end < from || this.#glob[end] !== ':') return false;
    const name = this.#glob.slice(from, end);
    if (Object.hasOwn(CLASSES, name)) this.#ranges.push(...CLASSES[name]!);
    else this.#unknownClass = name;
    this.#previous = undefined;
    this.#at = end + 2;
    return true;
  }

  #isRange(): boolean {
    const next = this.#glob[this.#at + 1];
    return this.#glob[this.#at] === '-' && this.#previous !== undefined && next !== undefined && next !== ']';
  }

  #range(): void {
    this.#at += 1;
    const last = this.#take();
    // A descending range adds no members, as in git.
    if (this.#previous! <= last) this.#ranges.push([this.#previous!, last]);
    this.#previous = undefined;
  }

  #single(): void {
    const character = this.#take();
    this.#ranges.push([character, character]);
    this.#previous = character;
  }

  #take(): number {
    if (this.#glob[this.#at] === '\\' && this.#at + 1 < this.#glob.length) this.#at += 1;
    const character = this.#glob.codePointAt(this.#at)!;
    this.#at += character > 0xffff ? 2 : 1;
    return character;
  }

  #expression(isNegated: boolean): string {
    if (this.#unknownClass !== undefined) return NOTHING;
    if (isNegated) return `[^/${this.#ranges.map(textOf).join('')}]`;
    const ranges = this.#ranges.flatMap(withoutSlash);
    return ranges.length === 0 ? NOTHING : `[${ranges.map(textOf).join('')}]`;
  }
}

/** No bracket expression matches a slash. */
function withoutSlash([first, last]: Range): readonly Range[] {
  if (first > SLASH || last < SLASH) return [[first, last]];
  const ranges: readonly Range[] = [
    [first, SLASH - 1],
    [SLASH + 1, last],
  ];
  return ranges.filter(([first, last]) => first <= last);
}

/** The ranges of a text of pairs of characters. */
function rangesOf(pairs: string): readonly Range[] {
  const codes = [...pairs].map((character) => character.codePointAt(0)!);
  return codes.flatMap((first, at): readonly Range[] => (at % 2 === 0 ? [[first, codes[at + 1]!]] : []));
}

function textOf([first, last]: Range): string {
  return `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`;
}
