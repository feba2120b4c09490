import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import { encodeFieldXml, pick, type Random, randomOf, sampleText } from './marc-records.ts';

/** A field with its bytes in both formats, so that records of it are made by copying. */
export interface PooledField {
  readonly tag: string;
  readonly field: MarcField;
  /** In MARC21, with its terminator. */
  readonly bytes: Buffer;
  readonly xml: Buffer;
}

interface Shape {
  readonly tag: string;
  readonly indicators: string;
  /** A subfield for each code; those that are digits of an item, and the words that others have. */
  readonly codes: string;
  readonly words: readonly [number, number];
}

/** Every record has one of each. */
const ALWAYS: readonly Shape[] = [
  { tag: '035', indicators: '  ', codes: '#', words: [1, 1] },
  { tag: '040', indicators: '  ', codes: 'abc', words: [1, 1] },
  { tag: '100', indicators: '1 ', codes: 'ad', words: [2, 4] },
  { tag: '245', indicators: '10', codes: 'abc', words: [2, 8] },
  { tag: '264', indicators: ' 1', codes: 'abc', words: [1, 3] },
  { tag: '300', indicators: '  ', codes: 'ac', words: [2, 4] },
];

/** As many of these as a record has bytes for. */
const REPEATED: readonly Shape[] = [
  { tag: '020', indicators: '  ', codes: '#', words: [1, 1] },
  { tag: '490', indicators: '1 ', codes: 'av', words: [1, 5] },
  { tag: '505', indicators: '0 ', codes: 'a', words: [10, 40] },
  { tag: '520', indicators: '  ', codes: 'a', words: [10, 50] },
  { tag: '650', indicators: ' 0', codes: 'axz', words: [1, 4] },
  { tag: '651', indicators: ' 0', codes: 'ay', words: [1, 3] },
  { tag: '700', indicators: '1 ', codes: 'ade', words: [2, 4] },
  { tag: '856', indicators: '40', codes: 'u3', words: [1, 3] },
  { tag: '880', indicators: '1 ', codes: '6a', words: [3, 10] },
  { tag: '999', indicators: 'ff', codes: 'i#ht', words: [1, 2] },
];

const NOTE: Shape = { tag: '999', indicators: '  ', codes: 'n', words: [2, 6] };

/** Fields of each shape. */
const FIELDS_OF_SHAPE = 256;

/** Fields to make records of. They have all of Unicode: right-to-left, marks, characters above U+FFFF. */
export class FieldPool {
  readonly fixedData = pooledControlField('008', '850101s1985    ne a     b    000 0 eng  ');
  readonly #always: readonly (readonly PooledField[])[];
  readonly #repeated: readonly (readonly PooledField[])[];
  readonly #notes: readonly PooledField[];

  constructor(seed: number) {
    const random = randomOf(seed);
    const fieldsOf = (shape: Shape) => Array.from({ length: FIELDS_OF_SHAPE }, () => pooledField(random, shape));
    this.#always = ALWAYS.map(fieldsOf);
    this.#repeated = REPEATED.map(fieldsOf);
    this.#notes = fieldsOf(NOTE);
  }

  /** Fields in the order of their tags; others are added as long as `isTaken` returns true. */
  choose(random: Random, isTaken: (field: PooledField) => boolean): readonly PooledField[] {
    const chosen: PooledField[] = [];
    for (const fields of this.#always) {
      const field = pick(random, fields);
      if (isTaken(field)) chosen.push(field);
    }
    for (let isMore = true; isMore; ) {
      const field = pick(random, pick(random, this.#repeated));
      isMore = isTaken(field);
      if (isMore) chosen.push(field);
    }
    return chosen.sort((one, other) => Number(one.tag) - Number(other.tag));
  }

  /** Another one for each of 256 versions in a row. */
  noteOf(number: number, version: number): PooledField {
    return this.#notes[(number + version) % FIELDS_OF_SHAPE]!;
  }
}

export function pooledControlField(tag: string, value: string): PooledField {
  const field = { tag, value };
  return { tag, field, bytes: Buffer.from(`${value}\x1e`), xml: Buffer.from(`${encodeFieldXml(field)}\n`) };
}

function pooledField(random: Random, { tag, indicators, codes, words: [least, most] }: Shape): PooledField {
  const subfields = [...codes].map((code) => {
    if (code === '#') return { code: 'a', value: String(Math.floor(random() * 1e13)) };
    return { code, value: sampleText(random, least + Math.floor(random() * (most - least + 1))) };
  });
  const field = { tag, indicators, subfields };
  const text = subfields.map(({ code, value }) => `\x1f${code}${value}`).join('');
  const xml = Buffer.from(`${encodeFieldXml(field)}\n`);
  return { tag, field, bytes: Buffer.from(`${indicators}${text}\x1e`), xml };
}
