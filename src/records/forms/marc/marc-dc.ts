import type { DcElement, DcValues } from '../../dublin-core.ts';
import { TYPE_AT } from './iso2709.ts';
import { isControlField, type MarcField, type MarcRecord } from './marc-record.ts';

interface Rule {
  readonly tags: RegExp;
  readonly element: DcElement;
  /** The subfields whose values are joined, in the order of the record. */
  readonly codes: string;
  readonly before?: string;
  readonly between?: string;
  /** Whether each subfield is a value of its own. */
  readonly isEach?: true;
}

/**
 * Which fields are which elements of Dublin Core: the usual ones, after the Library of Congress's "MARC to Dublin Core
 * Crosswalk".
 */
const RULES: readonly Rule[] = [
  { tags: /^245$/, element: 'title', codes: 'abfgknp' },
  { tags: /^1(?:00|10|11)$/, element: 'creator', codes: 'abcdnq' },
  { tags: /^7(?:00|10|11|20)$/, element: 'contributor', codes: 'abcdnq' },
  { tags: /^6(?:00|10|11|30|50|51)$/, element: 'subject', codes: 'abcdqtvxyz', between: ' -- ' },
  { tags: /^653$/, element: 'subject', codes: 'a', isEach: true },
  { tags: /^655$/, element: 'type', codes: 'a' },
  { tags: /^26[04]$/, element: 'publisher', codes: 'b', isEach: true },
  { tags: /^26[04]$/, element: 'date', codes: 'c', isEach: true },
  { tags: /^5(?:00|02|05|08|11|18|20|45)$/, element: 'description', codes: 'a' },
  { tags: /^5(?:06|40)$/, element: 'rights', codes: 'a' },
  { tags: /^041$/, element: 'language', codes: 'a', isEach: true },
  { tags: /^7(?:60|62|65|67|70|72|73|74|75|76|77|80|85|86|87)$/, element: 'relation', codes: 'at' },
  { tags: /^830$/, element: 'relation', codes: 'av' },
  { tags: /^752$/, element: 'coverage', codes: 'abcd', between: ' -- ' },
  { tags: /^020$/, element: 'identifier', codes: 'a', before: 'URN:ISBN:', isEach: true },
  { tags: /^022$/, element: 'identifier', codes: 'a', before: 'URN:ISSN:', isEach: true },
  { tags: /^024$/, element: 'identifier', codes: 'a', isEach: true },
  { tags: /^856$/, element: 'identifier', codes: 'u', isEach: true },
  { tags: /^856$/, element: 'format', codes: 'q', isEach: true },
];

const RULES_OF = new Map<string, readonly Rule[]>();

/** Positions in 008 that records of all types have: the first date, and the language. */
const DATE = [7, 11] as const;
const LANGUAGE = [35, 38] as const;
/** Codes for: several languages, not known, none. */
const NO_LANGUAGE: ReadonlySet<string> = new Set(['mul', 'und', 'zxx']);

/** By the type of a record in its leader: types of DCMI. */
const TYPES: Readonly<Record<string, string>> = {
  a: 'Text',
  c: 'Text',
  d: 'Text',
  e: 'Image',
  f: 'Image',
  g: 'MovingImage',
  i: 'Sound',
  j: 'Sound',
  k: 'StillImage',
  m: 'Software',
  o: 'Collection',
  p: 'Collection',
  r: 'PhysicalObject',
  t: 'Text',
};

/** The record as Dublin Core. */
export function dublinCoreOf(record: MarcRecord): DcValues {
  const values: [DcElement, string][] = [];
  for (const field of record.fields()) {
    if (field.tag === '008' && isControlField(field)) values.push(...fixedValues(field.value));
    else for (const rule of rulesOf(field.tag)) values.push(...valuesOf(field, rule));
  }
  const type = TYPES[record.leader[TYPE_AT] ?? ''];
  if (type !== undefined) values.push(['type', type]);
  return values;
}

function rulesOf(tag: string): readonly Rule[] {
  let rules = RULES_OF.get(tag);
  if (rules === undefined) {
    rules = RULES.filter(({ tags }) => tags.test(tag));
    if (RULES_OF.size < 1_000) RULES_OF.set(tag, rules);
  }
  return rules;
}

function fixedValues(text: string): [DcElement, string][] {
  const values: [DcElement, string][] = [];
  const date = text.slice(...DATE);
  const language = text.slice(...LANGUAGE);
  if (/^\d{4}$/.test(date) && date !== '9999') values.push(['date', date]);
  if (/^[a-z]{3}$/.test(language) && !NO_LANGUAGE.has(language)) values.push(['language', language]);
  return values;
}

function valuesOf(field: MarcField, rule: Rule): [DcElement, string][] {
  if (isControlField(field)) return [];
  const { element, codes, before = '', between = ' ', isEach } = rule;
  const texts = field.subfields.filter(({ code }) => codes.includes(code)).map(({ value }) => value.trim());
  const values = isEach ? texts : texts.length === 0 ? [] : [texts.join(between)];
  return values.map((value) => [element, before + withoutMark(value, before !== '')] as [DcElement, string]);
}

/** Without the mark of ISBD at its end; of a number, without what follows it, such as "(paperback)". */
function withoutMark(value: string, isNumber: boolean): string {
  if (isNumber) return /^[0-9Xx-]+/.exec(value)?.[0] ?? value;
  return value.replace(/\s*[/:;,=]\s*$/, '');
}
