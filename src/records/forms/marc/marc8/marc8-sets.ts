/**
 * The character sets of MARC-8, as the Library of Congress publishes them ("MARC 21 Specifications for Record
 * Structure, Character Sets, and Exchange Media"): codes of 7 bits, whichever half of the code table a set is used in.
 * East Asian characters are in `characters/eacc.txt`.
 */
export interface CharacterSet {
  readonly name: string;
  /** Spacing characters, by code. */
  readonly letters: ReadonlyMap<number, string>;
  /** Combining marks, by code. They precede their letter; in Unicode they follow it. */
  readonly marks: ReadonlyMap<number, string>;
  /** Whether each code has three bytes. */
  readonly isWide?: true;
}

/** The first code of a row, and the characters of the consecutive codes. */
type Row = readonly [number, string];

function setOf(name: string, letters: readonly Row[], marks: readonly Row[] = []): CharacterSet {
  return { name, letters: charactersOf(letters), marks: charactersOf(marks) };
}

function charactersOf(rows: readonly Row[]): ReadonlyMap<number, string> {
  return new Map(rows.flatMap(([first, text]) => [...text].map((character, at) => [first + at, character] as const)));
}

const ASCII_ROW = String.fromCharCode(...Array.from({ length: 94 }, (_, at) => 0x21 + at));

export const ASCII = setOf('ASCII', [[0x21, ASCII_ROW]]);

/** Extended Latin. The second half of a mark over two letters (6C, 7B) is empty: U+0361 and U+0360 cover both. */
export const ANSEL: CharacterSet = {
  name: 'extended Latin (ANSEL)',
  letters: charactersOf([
    [0x21, 'ŁØĐÞÆŒʹ·♭®±ƠƯʼ'],
    [0x30, 'ʻłøđþæœʺı£ð'],
    [0x3c, 'ơư'],
    [0x40, '°ℓ℗©♯¿¡ß€'],
  ]),
  marks: new Map([
    ...charactersOf([
      [0x60, '\u0309\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030c\u030a\u0361'],
      [0x6d, '\u0315\u030b\u0310\u0327\u0328\u0323\u0324\u0325\u0333\u0332\u0326\u031c\u032e\u0360'],
      [0x7e, '\u0313'],
    ]),
    [0x6c, ''],
    [0x7b, ''],
  ]),
};

const GREEK = setOf(
  'Greek',
  [
    [0x30, '«»“”\u0374\u0375'],
    [0x3b, '\u0387'],
    [0x3f, '\u037e'],
    [0x41, 'ΑΒ'],
    [0x44, 'ΓΔΕϚϜΖΗΘΙΚΛΜΝΞΟΠϞΡΣ'],
    [0x58, 'ΤΥΦΧΨΩϠ'],
    [0x61, 'αβϐγδεϛϝζηθικλμνξοπϟρσςτυφχψωϡ'],
  ],
  [[0x21, '\u0300\u0301\u0308\u0342\u0313\u0314\u0345']],
);

const CYRILLIC = setOf('Cyrillic', [
  [0x21, ASCII_ROW.slice(0, 0x1f)],
  [0x40, 'юабцдефгхийклмнопярстужвьызшэщчъЮАБЦДЕФГХИЙКЛМНОПЯРСТУЖВЬЫЗШЭЩЧ'],
]);

const EXTENDED_CYRILLIC = setOf('extended Cyrillic', [
  [0x40, 'ґђѓєёѕіїјљњћќўџ'],
  [0x50, 'ѣѳѵѫ'],
  [0x5b, '['],
  [0x5d, ']'],
  [0x5f, '_'],
  [0x60, 'ҐЂЃЄЁЅІЇЈЉЊЋЌЎЏЪѢѲѴѪ'],
]);

const HEBREW = setOf(
  'Hebrew',
  [
    [0x21, '!\u05f4#$%&\u05f3()*+,\u05be./0123456789:;<=>?'],
    [0x5b, '['],
    [0x5d, ']'],
    [
      0x60,
      '\u05d0\u05d1\u05d2\u05d3\u05d4\u05d5\u05d6\u05d7\u05d8\u05d9\u05da\u05db\u05dc\u05dd\u05de' +
        '\u05df\u05e0\u05e1\u05e2\u05e3\u05e4\u05e5\u05e6\u05e7\u05e8\u05e9\u05ea\u05f0\u05f1\u05f2',
    ],
  ],
  [[0x40, '\u05b7\u05b8\u05b6\u05b5\u05b4\u05b9\u05bb\u05b0\u05b2\u05b3\u05b1\u05bc\u05bf\u05c1\ufb1e']],
);

const ARABIC = setOf(
  'Arabic',
  [
    [0x21, '!"#$\u066a&\'()\u066d+\u060c-./'],
    [0x30, '\u0660\u0661\u0662\u0663\u0664\u0665\u0666\u0667\u0668\u0669:\u061b<=>\u061f'],
    [0x41, range(0x0621, 0x063a)],
    [0x5b, '['],
    [0x5d, ']'],
    [0x60, range(0x0640, 0x064a)],
    [0x73, '\u0671\u0670'],
    [0x78, '\u066c\u201d\u201c'],
  ],
  [[0x6b, range(0x064b, 0x0652)]],
);

const EXTENDED_ARABIC = setOf(
  'extended Arabic',
  [
    [0x21, `\u06fd\u0672\u0673${range(0x0679, 0x0686)}\u06bf${range(0x0687, 0x069c)}`],
    [0x49, `\u06fa\u069d\u069e\u06fb\u069f\u06a0\u06fc${range(0x06a1, 0x06b8)}`],
    [0x68, '\u06ba\u06bb\u06bc\u06bd\u06b9\u06be\u06c0\u06c4\u06c5\u06c6\u06ca\u06cb\u06cd\u06ce\u06d0\u06d2\u06d3'],
  ],
  [[0x7d, '\u0306\u030c']],
);

/** Character sets by the final characters of the escape sequence that selects them for one half of the code table. */
export const CHOSEN_SETS: ReadonlyMap<string, CharacterSet> = new Map([
  ['B', ASCII],
  ['!E', ANSEL],
  ['S', GREEK],
  ['N', CYRILLIC],
  ['Q', EXTENDED_CYRILLIC],
  ['2', HEBREW],
  ['3', ARABIC],
  ['4', EXTENDED_ARABIC],
]);

/** Character sets by the single character after ESC that selects them, always for the lower half. */
export const LOWER_SETS: ReadonlyMap<string, CharacterSet> = new Map([
  ['s', ASCII],
  ['g', setOf('Greek symbols', [[0x61, 'αβγ']])],
  [
    'b',
    setOf('subscripts', [
      [0x28, '₍₎'],
      [0x2b, '₊'],
      [0x2d, '₋'],
      [0x30, '₀₁₂₃₄₅₆₇₈₉'],
    ]),
  ],
  [
    'p',
    setOf('superscripts', [
      [0x28, '⁽⁾'],
      [0x2b, '⁺'],
      [0x2d, '⁻'],
      [0x30, '⁰¹²³⁴⁵⁶⁷⁸⁹'],
    ]),
  ],
]);

function range(first: number, last: number): string {
  return String.fromCharCode(...Array.from({ length: last - first + 1 }, (_, at) => first + at));
}
