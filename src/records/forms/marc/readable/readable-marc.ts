import type { ReadableField } from '../../../readable/readable-record.ts';
import { isControlField, MarcRecord, type Subfield } from '../marc-record.ts';
import { FIELD_NAMES } from './field-names.ts';

/** Fields whose characters have a meaning by their place: blanks are shown as `#`, as cataloguers write them. */
export const BY_PLACE = /^(?:LDR|00[678])$/;

/** A stored record, for people. */
export function readableMarc(document: Buffer): readonly ReadableField[] {
  const record = new MarcRecord(document);
  const fields: ReadableField[] = [controlField('LDR', plainLeader(record.leader))];
  for (const field of record.fields()) {
    if (isControlField(field)) fields.push(controlField(field.tag, field.value));
    else {
      const { tag, indicators, subfields } = field;
      const shown = subfields.map(({ code, value }) => ({ code, parts: [{ text: value }] }));
      const link = linkOf(tag, subfields);
      const blanks = indicators.replaceAll(' ', '#');
      fields.push({ tag, name: FIELD_NAMES[tag], indicators: blanks, subfields: shown, ...(link && { link }) });
    }
  }
  return fields;
}

/** The leader with `*` in place of what follows from the other bytes: record length and base address. */
function plainLeader(leader: string): string {
  return `*****${leader.slice(5, 12)}*****${leader.slice(17)}`;
}

function controlField(tag: string, value: string): ReadableField {
  const text = BY_PLACE.test(tag) ? value.replaceAll(' ', '#') : value;
  return { tag, name: FIELD_NAMES[tag], subfields: [{ parts: [{ text }] }] };
}

/** A linking tag, and the number of the pair (MARC21, Appendix A, $6); 00 means that there is no other field. */
const LINK = /^(\d{3})-(\d\d)/;

function linkOf(tag: string, subfields: readonly Subfield[]): ReadableField['link'] {
  const [, other, number] = LINK.exec(subfields.find(({ code }) => code === '6')?.value ?? '') ?? [];
  if (other === undefined || number === '00') return undefined;
  return { own: `${tag}-${number}`, other: `${other}-${number}` };
}
