import { appendFields } from '../append-fields.ts';
import { UnusableRecord } from '../faults/unusable-record.ts';
import { type FieldBytes, LONGEST_FIELD, SUBFIELD_DELIMITER } from '../iso2709.ts';
import type { MarcRecord } from '../marc-record.ts';
import type { ItemMapping, PodNormalization } from './normalization.ts';

/**
 * Appends the fields that the POD aggregator adds to a record:
 * - 900 $5 POD $b CODE
 * - for each field with an item, one such as 998 $5 POD $8 TAG.INDEX\p, and the subfields of the mapping, ascending by
 *   code. The index counts the fields with the tag from 0. Of several subfields with a code, the first is used; a
 *   missing or blank subfield is left out
 * @throws UnusableRecord when an added field would be longer than MARC21 permits
 */
export function normalizeRecord(record: MarcRecord, { code, items }: PodNormalization): MarcRecord {
  const added: FieldBytes[] = [fieldOf('900', `${ADDED_BY}${code === undefined ? '' : `\x1fb${code}`}`)];
  for (const mapping of items) addItems(record, mapping, added);
  return appendFields(record, added);
}

/** Blank indicators, and $5: the one who added the field. */
const ADDED_BY = '  \x1f5POD';

function addItems(record: MarcRecord, { source, destination, subfields }: ItemMapping, added: FieldBytes[]): void {
  const codes = Object.entries(subfields).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [index, bytes] of record.fieldsWithTag(source).entries()) {
    let text = `${ADDED_BY}\x1f8${source}.${index}\\p`;
    for (const [to, from] of codes) {
      const value = firstValue(bytes, from.charCodeAt(0));
      if (value.trim() !== '') text += `\x1f${to}${value}`;
    }
    added.push(fieldOf(destination, text));
  }
}

function fieldOf(tag: string, text: string): FieldBytes {
  const bytes = Buffer.from(text);
  if (bytes.length < LONGEST_FIELD) return { tag, bytes };
  const most = `a field of MARC21 has at most ${(LONGEST_FIELD - 1).toLocaleString('en')}`;
  throw new UnusableRecord(`the field ${tag} that its normalization adds would have ${bytes.length} bytes: ${most}`, {
    kind: 'normalization',
    field: tag,
  });
}

/** The text of the first subfield with a code; empty when there is none. */
function firstValue(field: Buffer, code: number): string {
  for (let at = 2; at < field.length; ) {
    const next = field.indexOf(SUBFIELD_DELIMITER, at + 1);
    const end = next === -1 ? field.length : next;
    if (field[at + 1] === code) return field.toString('utf8', at + 2, end);
    at = end;
  }
  return '';
}
