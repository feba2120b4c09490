import { createRequire } from 'node:module';
import type * as Re2 from 're2js';
import { parseBracket } from './bracket.ts';

/**
 * Whether a name or a path matches; `/` separates names. The time is proportional to the length of the text, for every
 * pattern.
 */
type Glob = (text: string) => boolean;

/** `*` and `?` match no slash. */
const NO_SLASH = '[^/]';
const WILDCARD = /[*?[{\\]/;
/** A range of single characters: `{1..3}`. */
const RANGE = /^([^\\])\.\.([^\\])$/;

export function hasWildcard(glob: string): boolean {
  return WILDCARD.test(glob);
}

/**
 * Compiles a pattern of `.gitignore`, extended by groups (`{a,b}`) and ranges (`{1..3}`). An incomplete group or class
 * is literal. RE2 does not backtrack: a regular expression of JavaScript takes hours for a name that nearly matches
 * `*a*a*a/*a*a*a`.
 */
export function compileGlob(glob: string): Glob {
  if (!hasWildcard(glob)) return (text) => text === glob;
  try {
    const { RE2JS } = loadRe2();
    const expression = RE2JS.compile(new GlobTranslator(glob).translate(), RE2JS.DOTALL);
    return (text) => expression.testExact(text);
  } catch {
    // RE2 rejects groups that are nested a thousand deep. No person writes such a pattern.
    return (text) => text === glob;
  }
}

/** The name of a class that does not exist, such as `digits` in `[[:digits:]]`: such a pattern matches nothing. */
export function unknownClassOf(glob: string): string | undefined {
  if (!glob.includes('[:')) return undefined;
  const translator = new GlobTranslator(glob);
  translator.translate();
  return translator.unknownClass;
}

const require = createRequire(import.meta.url);
let re2: typeof Re2 | undefined;

/** Loaded only when needed: few sets have patterns with wildcards. */
function loadRe2(): typeof Re2 {
  re2 ??= require('re2js') as typeof Re2;
  return re2;
}

interface Group {
  /** Indexes in the parts of the expression: of the opening brace and of the commas. */
  readonly open: number;
  readonly commas: number[];
  /** Position of its content in the pattern. */
  readonly from: number;
}

/** Translates a pattern into a regular expression in one pass. */
class GlobTranslator {
  readonly #glob: string;
  readonly #parts: string[] = [];
  readonly #groups: Group[] = [];
  #at = 0;
  #hasBrackets = true;
  /** The name of a class that does not exist, when the pattern has one. */
  unknownClass: string | undefined;

  constructor(glob: string) {
    this.#glob = glob;
  }

  translate(): string {
    while (this.#at < this.#glob.length) this.#parts.push(this.#next());
    return this.#parts.join('');
  }

  #next(): string {
    const character = this.#take();
    switch (character) {
      case '\\':
        return literal(this.#at < this.#glob.length ? this.#take() : character);
      case '*':
        return this.#stars();
      case '?':
        return NO_SLASH;
      case '[':
        return this.#bracket();
      case '{':
        this.#groups.push({ open: this.#parts.length, commas: [], from: this.#at });
        return literal(character);
      case ',':
        this.#groups.at(-1)?.commas.push(this.#parts.length);
        return literal(character);
      case '}':
        return this.#closeGroup();
      default:
        return literal(character);
    }
  }

  #take(): string {
    const character = String.fromCodePoint(this.#glob.codePointAt(this.#at)!);
    this.#at += character.length;
    return character;
  }

  /** `**` between slashes matches any number of folders, including none. */
  #stars(): string {
    const isFirst = this.#at === 1 || this.#glob[this.#at - 2] === '/';
    let count = 1;
    for (; this.#glob[this.#at] === '*'; this.#at++) count += 1;
    const isLast = this.#at === this.#glob.length;
    if (count === 1 || !isFirst || !(isLast || this.#glob[this.#at] === '/')) return `${NO_SLASH}*`;
    // At the end, after a slash: what is in the folder, but not the folder itself.
    if (isLast) return '.*';
    this.#at += 1;
    return '(?:.*/)?';
  }

  #bracket(): string {
    const bracket = this.#hasBrackets ? parseBracket(this.#glob, this.#at) : undefined;
    if (bracket === undefined) {
      // Where one is not closed, no later one can be: parsing each would take quadratic time.
      this.#hasBrackets = false;
      return literal('[');
    }
    this.#at = bracket.end;
    this.unknownClass ??= bracket.unknownClass;
    return bracket.expression;
  }

  #closeGroup(): string {
    const group = this.#groups.pop();
    if (group === undefined) return literal('}');
    if (group.commas.length > 0) {
      this.#parts[group.open] = '(?:';
      for (const comma of group.commas) this.#parts[comma] = '|';
      return ')';
    }
    const [, first, last] = RANGE.exec(this.#glob.slice(group.from, this.#at - 1)) ?? [];
    if (first === undefined || last === undefined) return literal('}');
    this.#parts.splice(group.open);
    return `[${rangeOf(first, last)}]`;
  }
}

/** Accepts the ends of a range in either order. */
function rangeOf(one: string, other: string): string {
  const [first, last] = one.codePointAt(0)! <= other.codePointAt(0)! ? [one, other] : [other, one];
  return `${literal(first)}-${literal(last)}`;
}

function literal(character: string): string {
  return /[A-Za-z0-9\u0080-\u{10FFFF}]/u.test(character) ? character : `\\x{${character.codePointAt(0)!.toString(16)}}`;
}
