import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';

/** A record before it has a format. */
export interface SampleRecord {
  readonly leader: string;
  readonly fields: readonly MarcField[];
}

export interface SampleOptions {
  /** The same seed makes the same records. */
  readonly seed: number;
  readonly count: number;
  /** `marc8`: only characters that MARC-8 has; default: all of Unicode. */
  readonly repertoire?: Repertoire;
  /** Which share is a deletion; default 0.05. */
  readonly deleted?: number;
  /** Which share has more than 99,999 bytes; default 0. */
  readonly large?: number;
}

/** Records as catalogues have them: some 1.5 kB, 11 to 25 fields, text of many languages. */
export function* sampleRecords(options: SampleOptions): Generator<SampleRecord, void, undefined> {
  const random = randomOf(options.seed);
  for (let number = 0; number < options.count; number++) yield sampleRecord(random, number, options);
}

export type Random = () => number;

/** Numbers from 0 to 1, by mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const LATIN =
  'a e i o u an the of and history library records catalogue Weiß Łódź Ærø señor café naïve Dvořák Ångström';
const ASCII = 'a an the of and in history library records catalogue & < > " \' [1984] c1999. :';
const WORDS: Readonly<Record<Repertoire, readonly string[]>> = {
  ascii: ASCII.split(' '),
  marc8: [
    ...LATIN.split(' '),
    ...'Việt Nguyễn Đặng ŏ ž ẓ ḥ İstanbul ı © ± £ ♭ ♯ € ¿qué? ¡olé! H₂O x²'.split(' '),
    ...'Война и мир Ёлка Київ объезд Ђорђе Ελλάδα ἀρχή ῥήτωρ ψυχή שלום עולם קטלוג مكتبة تاريخ پاکستان گل'.split(' '),
  ],
  unicode: [
    ...ASCII.split(' '),
    ...LATIN.split(' '),
    ...'Война и мир Ελλάδα ἀρχή e\u0301 שלום קטלוג مكتبة تاريخ پاکستان'.split(' '),
    ...'日本語 図書館 한국어 ไทย हिन्दी 中文維基 😀 👨‍👩‍👧 𝒜𝓑 𐌰𐌱 ꙮ ﷽ \u200f \u00a0 \ufeff \u0085 \ufffd'.split(' '),
  ],
};

function sampleRecord(random: Random, number: number, options: SampleOptions): SampleRecord {
  const { repertoire = 'unicode', deleted = 0.05, large = 0 } = options;
  const status = random() < deleted ? 'd' : pick(random, ['n', 'c', 'a', 'p']);
  const text = (words: number) => sampleText(random, words, repertoire);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));
  const fields: MarcField[] = [
    { tag: '001', value: `${random() < 0.1 ? '  ' : ''}rec${options.seed}-${number}${random() < 0.1 ? ' ' : ''}` },
    { tag: '005', value: '20240131120000.0' },
    { tag: '008', value: '850101s1985    ne a     b    000 0 eng  ' },
  ];
  const isLarge = random() < large;
  const count = isLarge ? between(400, 900) : between(8, 22);
  for (let field = 0; field < count; field++) {
    const subfields = Array.from({ length: between(0, 20) === 0 ? 0 : between(1, 4) }, () => ({
      code: pick(random, [...'abcdefghijklmnopqrstuvwxyz0123456789']),
      value: random() < 0.03 ? '' : text(isLarge ? between(20, 60) : between(1, 8)),
    }));
    const indicators = pick(random, ['  ', '1 ', ' 0', '10', '04', '12']);
    // The number keeps fields apart: of the parts of one record, fields that are repeated are read once.
    fields.push({
      tag: String(between(10, 998)).padStart(3, '0'),
      indicators,
      subfields: [...subfields, { code: '9', value: String(field) }],
    });
  }
  return { leader: `00000${status}am a2200000 a 4500`, fields };
}

type Repertoire = 'ascii' | 'marc8' | 'unicode';

export function sampleText(random: Random, words: number, repertoire: Repertoire = 'unicode'): string {
  return Array.from({ length: words }, () => word(random, repertoire)).join(' ');
}

function word(random: Random, repertoire: Repertoire): string {
  if (repertoire !== 'unicode' || random() < 0.95) return pick(random, WORDS[repertoire]);
  return String.fromCodePoint(...Array.from({ length: 3 }, () => anyCharacter(random)));
}

/** Any character that XML can have. */
function anyCharacter(random: Random): number {
  const highest = random() < 0.5 ? 0xffff : 0x10ffff;
  const point = 0x20 + Math.floor(random() * (highest - 0x20));
  const isBad = (point >= 0xd800 && point <= 0xdfff) || point === 0xfffe || point === 0xffff;
  return isBad ? 0x41 : point;
}

export const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;

/**
 * A record as MARC21, written apart from the code that is tested; as one physical record, however long.
 * @param coding leader/09: UTF-8, or MARC-8, with each byte given as a character
 */
export function encodeSample({ leader, fields }: SampleRecord, coding: 'a' | ' ' = 'a'): Buffer {
  const encoding = coding === 'a' ? 'utf8' : 'latin1';
  const texts = fields.map((field) =>
    Buffer.from(
      'value' in field
        ? `${field.value}\x1e`
        : `${field.indicators}${field.subfields.map(({ code, value }) => `\x1f${code}${value}`).join('')}\x1e`,
      encoding,
    ),
  );
  let start = 0;
  const directory = texts.map((text, at) => {
    const entry = `${fields[at]!.tag}${pad(text.length, 4)}${pad(start, 5)}`;
    start += text.length;
    return entry;
  });
  const base = 24 + 12 * fields.length + 1;
  const head = `${pad(base + start + 1, 5)}${leader.slice(5, 9)}${coding}22${pad(base, 5)}${leader.slice(17)}`;
  return Buffer.concat([Buffer.from(`${head}${directory.join('')}\x1e`), ...texts, Buffer.from('\x1d')]);
}

const pad = (number: number, count: number): string => String(number).padStart(count, '0');

/** A record as the element `record` of MARCXML, written apart from the code that is tested. */
export function encodeSampleXml({ leader, fields }: SampleRecord, prefix = ''): string {
  const elements = fields.map((field) => encodeFieldXml(field, prefix));
  const opened = `<${prefix}record><${prefix}leader>${leader}</${prefix}leader>`;
  return `${opened}\n${elements.join('\n')}</${prefix}record>\n`;
}

export function encodeFieldXml(field: MarcField, prefix = ''): string {
  if ('value' in field) {
    return `<${prefix}controlfield tag="${field.tag}">${escapeXml(field.value)}</${prefix}controlfield>`;
  }
  const [first, second] = field.indicators;
  const subfields = field.subfields.map(
    ({ code, value }) => `<${prefix}subfield code='${code}'>${escapeXml(value)}</${prefix}subfield>`,
  );
  const attributes = `ind2="${second}" ind1="${first}" tag="${field.tag}"`;
  return `<${prefix}datafield ${attributes}>\n${subfields.join('\t')}</${prefix}datafield>`;
}

const escapeXml = (text: string): string =>
  text.replaceAll(/[&<>\r\t]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
