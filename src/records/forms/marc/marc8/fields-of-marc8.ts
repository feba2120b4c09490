import { fieldsOf, isControlField, type MarcField, type Subfield } from '../marc-record.ts';
import { decodeMarc8 } from './marc8.ts';

/** Field 066 lists the character sets of a record in MARC-8. */
const CHARACTER_SETS = '066';
/** A linking tag, an occurrence number and the code of a character set of MARC-8: `880-01/(N`; `/r` may follow. */
const LINK_WITH_SET = /^(\d{3}-\d+)\/(?:[()][A-Z\d]|\$1)(\/.*)?$/;

/**
 * The fields of a physical record in MARC-8, as they are in Unicode: without field 066, and without the codes of
 * character sets in $6 (MARC 21 Specifications, Character Sets, Part 4).
 * @throws UnusableRecord
 */
export function* fieldsOfMarc8(physical: Buffer): Generator<MarcField, void, undefined> {
  for (const field of fieldsOf(physical, decodeMarc8)) {
    if (isControlField(field)) yield field;
    else if (field.tag !== CHARACTER_SETS) yield { ...field, subfields: field.subfields.map(withoutSet) };
  }
}

/** Before the code of an orientation, both slashes stay: `880-01//r`. */
function withoutSet(subfield: Subfield): Subfield {
  if (subfield.code !== '6') return subfield;
  const [, link, orientation] = LINK_WITH_SET.exec(subfield.value) ?? [];
  if (link === undefined) return subfield;
  return { code: '6', value: orientation === undefined ? link : `${link}/${orientation}` };
}
