/** Characters after the common prefix of two orders that an expression compares. */
export const TAIL = 6;

/** The default of `index.max_regex_length`. */
const MOST_LENGTH = 1_000;
/** Most characters of a text that an expression tests: each takes up to four characters of the expression. */
const MOST_OF_TEXT = 120;
/** The range of characters of keys. */
const LOWEST = ' ';
const HIGHEST = '~';
/** Between brackets. An ampersand outside of them is an intersection. */
const MUST_BE_ESCAPED = '\\]^&';
const ANY = `[${LOWEST}-${HIGHEST}]*`;
/** As in `holder`: a match never begins within a percent-encoded character. */
const WHOLE = "([ -$\\&'-~]|%[0-9A-Fa-f][ -$\\&'-~]|%[ -$\\&'-/:-@G-\\`g-~])*";

/**
 * A Lucene regular expression (with INTERSECTION) for orders between two, the upper one inclusive, that contain a text
 * (lower-case), ignoring case; of a long text, only its beginning. A range query would not help: Elasticsearch would
 * search all orders of the index for the text, and then apply the range. The lower bound is compared only up to some
 * characters: use `search_after` as well. If the common prefix of the two is too long for an expression, it matches all
 * orders with the beginning that fits.
 */
export function ordersBetween(above: string, through: string, text: string): string {
  const common = commonPrefix(above, through);
  const held = `&${WHOLE}${inAnyCase(text.slice(0, MOST_OF_TEXT))}${ANY}`;
  const ends = between(above.slice(common, common + TAIL), through.slice(common));
  const whole = `${literal(through.slice(0, common))}${ends}${held}`;
  return whole.length <= MOST_LENGTH
    ? whole
    : `${beginning(through, MOST_LENGTH - ANY.length - held.length)}${ANY}${held}`;
}

/** The longest prefix of a text whose expression has at most this length. */
function beginning(text: string, most: number): string {
  let expression = '';
  for (const character of text) {
    const next = expression + literal(character);
    if (next.length > most) break;
    expression = next;
  }
  return expression;
}

export function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}

/** Their first characters differ; `upper` is not empty. */
function between(lower: string, upper: string): string {
  const [low] = lower;
  const [high = ''] = upper;
  const alternatives = [
    ...charactersThen(low === undefined ? LOWEST : next(low), before(high)),
    ...(low === undefined ? [] : [`${literal(low)}${from(lower.slice(1))}`]),
    `${literal(high)}${upTo(upper.slice(1))}`,
  ];
  return `(${alternatives.join('|')})`;
}

function from(lower: string): string {
  const [low] = lower;
  if (low === undefined) return ANY;
  return `(${[...charactersThen(next(low), HIGHEST), `${literal(low)}${from(lower.slice(1))}`].join('|')})`;
}

function upTo(upper: string): string {
  const [high] = upper;
  if (high === undefined) return '';
  return `(${[...charactersThen(LOWEST, before(high)), `${literal(high)}${upTo(upper.slice(1))}`].join('|')})?`;
}

/** One character of a range, then anything; nothing when the range is empty. */
function charactersThen(first: string, last: string): readonly string[] {
  return first > last ? [] : [`[${range(first, last)}]${ANY}`];
}

/**
 * Characters between brackets. The first one of a range is not escaped: Lucene 10, which is in Elasticsearch 9, takes
 * an escaped character for that one alone.
 */
function range(first: string, last: string): string {
  if (first > last) return '';
  if (MUST_BE_ESCAPED.includes(first)) return `\\${first}${range(next(first), last)}`;
  return `${first}-${literal(last)}`;
}

function next(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) + 1);
}

function before(character: string): string {
  return String.fromCharCode(character.charCodeAt(0) - 1);
}

function inAnyCase(text: string): string {
  return text.replace(/[a-z]|[^a-z0-9]/g, (character) =>
    /[a-z]/.test(character) ? `[${character}${character.toUpperCase()}]` : literal(character),
  );
}

/** The escaped text, also valid between brackets. */
function literal(text: string): string {
  return text.replace(/[^A-Za-z0-9/%_]/g, '\\$&');
}
