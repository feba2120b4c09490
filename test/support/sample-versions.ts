import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import { encodeSample } from './marc-records.ts';

const FIELDS: readonly MarcField[] = [
  { tag: '001', value: 'a1' },
  { tag: '008', value: '850101s1985    ne a     b    000 0 heb  ' },
  {
    tag: '245',
    indicators: '10',
    subfields: [
      { code: '6', value: '880-01' },
      { code: 'a', value: 'Shirim ve-sipurim /' },
      { code: 'c', value: 'Hayim <b>Bialik</b>.' },
    ],
  },
  { tag: '300', indicators: '  ', subfields: [{ code: 'a', value: '212 pages ; 22 cm' }] },
  { tag: '650', indicators: ' 0', subfields: [{ code: 'a', value: 'Hebrew poetry.' }] },
  {
    tag: '880',
    indicators: '10',
    subfields: [
      { code: '6', value: '245-01/(2/r' },
      { code: 'a', value: 'שירים וסיפורים / ' },
      { code: 'c', value: 'חיים נחמן ביאליק' },
    ],
  },
];

/** A record in two scripts. @param other fields in place of those with the same tag; undefined removes them */
export function sampleVersion(other: Readonly<Record<string, MarcField | undefined>> = {}): Buffer {
  const fields = FIELDS.flatMap((field) => (field.tag in other ? (other[field.tag] ?? []) : field));
  return encodeSample({ leader: '00000cam a2200000 a 4500', fields });
}

export function subfieldA(tag: string, value: string, indicators = '  '): MarcField {
  return { tag, indicators, subfields: [{ code: 'a', value }] };
}
