const P = '(?:[\\w.-]+:)?';
/** A part of each tag at which a record may end. */
const WORD = /ecord|resumptionToken/g;
/** Characters between the bracket of a tag and the word. */
const LONGEST_PREFIX = 100;
const RECORD_END = new RegExp(`</${P}record\\s*>`, 'y');
const LAST_PART = new RegExp(`</${P}(?:header|metadata|about)\\s*>\\s*(?=<)`, 'y');
/** What comes after a record: the next one, or the end of the list. */
const NEXT = new RegExp(
  `<${P}record(?:\\s[^<>]*)?>\\s*<${P}header[\\s>]|<${P}resumptionToken[\\s/>]|</${P}(?:ListRecords|GetRecord)\\s*>`,
  'y',
);

interface ProbableEnd {
  readonly end: number;
  /** Where the next one is searched from. */
  readonly searched: number;
}

/**
 * Where a record may end that cannot be parsed: with its last part, before the next one, or before the end of the list.
 * The parser finds the end of a well-formed one, whatever its text has.
 */
export function probableEnd(text: string, from: number): ProbableEnd | undefined {
  WORD.lastIndex = from;
  for (let word = WORD.exec(text); word !== null; word = WORD.exec(text)) {
    const before = Math.max(word.index - LONGEST_PREFIX, 0);
    const open = before + text.slice(before, word.index).lastIndexOf('<');
    if (open < Math.max(before, 1)) continue;
    const searched = WORD.lastIndex;
    const end = endBehind(RECORD_END, text, open);
    if (end > 0 && endBehind(LAST_PART, text, text.lastIndexOf('<', open - 1)) === open) return { end, searched: end };
    if (endBehind(NEXT, text, open) > 0) return { end: open, searched };
  }
  return undefined;
}

/** The position behind a pattern at a position; 0 where it is not. */
function endBehind(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at >= 0 && pattern.test(text) ? pattern.lastIndex : 0;
}
