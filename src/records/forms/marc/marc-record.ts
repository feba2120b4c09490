import { titleOf } from './faults/field-places.ts';
import {
  BASE_ADDRESS_AT,
  ENTRY_LENGTH,
  FIELD_TERMINATOR,
  type FieldBytes,
  isControlTag,
  LEADER_LENGTH,
  numberAt,
  SUBFIELD_DELIMITER,
} from './iso2709.ts';
import { countRepeated } from './repeated-fields.ts';

export type MarcField = ControlField | DataField;

export interface ControlField {
  readonly tag: string;
  readonly value: string;
}

interface DataField {
  readonly tag: string;
  /** Two characters. */
  readonly indicators: string;
  readonly subfields: readonly Subfield[];
}

export interface Subfield {
  readonly code: string;
  readonly value: string;
}

export const isControlField = (field: MarcField): field is ControlField => 'value' in field;

/**
 * A record as stored bytes: MARC21 in UTF-8, one physical record or, above 99,999 bytes, several that begin with the
 * same 001 and control fields (`repeated-fields.ts`). All bytes have been checked (`check-record.ts`,
 * `build-record.ts`), so this class only reads them.
 */
export class MarcRecord {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The 24 characters of the leader; its lengths and addresses are those of the first physical record. */
  get leader(): string {
    return this.bytes.toString('latin1', 0, LEADER_LENGTH);
  }

  /** The title (245 $a $b), for people; undefined without one. */
  get title(): string | undefined {
    const [field] = this.fieldsWithTag('245');
    return field && titleOf(field);
  }

  /** The fields in the order of the directory. */
  *fields(): Generator<MarcField, void, undefined> {
    for (const field of this.fieldBytes()) yield decodeField(field, decodeUtf8);
  }

  /** Same as `fields`, undecoded. Fields that later physical records repeat are left out. */
  *fieldBytes(): Generator<FieldBytes, void, undefined> {
    let repeated = 0;
    for (let at = 0; at < this.bytes.length; ) {
      const length = numberAt(this.bytes, at, 5);
      const part = fieldBytesOf(this.bytes.subarray(at, at + length));
      for (let skipped = 0; skipped < repeated; skipped++) part.next();
      yield* part;
      if (at === 0 && length < this.bytes.length) repeated = countRepeated(fieldBytesOf(this.bytes));
      at += length;
    }
  }

  /** The bytes of each data field with a tag, in order. No objects are made for other fields. */
  fieldsWithTag(tag: string): readonly Buffer[] {
    const { bytes } = this;
    const [first, second, third] = [tag.charCodeAt(0), tag.charCodeAt(1), tag.charCodeAt(2)];
    const found: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += numberAt(bytes, at, 5)) {
      const base = at + numberAt(bytes, at + BASE_ADDRESS_AT, 5);
      for (let entry = at + LEADER_LENGTH; entry < base - 1; entry += ENTRY_LENGTH) {
        if (bytes[entry] !== first || bytes[entry + 1] !== second || bytes[entry + 2] !== third) continue;
        const start = base + numberAt(bytes, entry + 7, 5);
        found.push(bytes.subarray(start, start + numberAt(bytes, entry + 3, 4) - 1));
      }
    }
    return found;
  }
}

/** The fields of one physical record, in the order of its directory. */
export function* fieldBytesOf(physical: Buffer): Generator<FieldBytes, void, undefined> {
  const base = numberAt(physical, BASE_ADDRESS_AT, 5);
  for (let entry = LEADER_LENGTH; physical[entry] !== FIELD_TERMINATOR; entry += ENTRY_LENGTH) {
    const start = base + numberAt(physical, entry + 7, 5);
    const end = start + numberAt(physical, entry + 3, 4) - 1;
    yield { tag: physical.toString('latin1', entry, entry + 3), bytes: physical.subarray(start, end) };
  }
}

type Decode = (bytes: Buffer) => string;

const decodeUtf8: Decode = (bytes) => bytes.toString('utf8');

/** The fields of one physical record, decoded by `decode`. */
export function* fieldsOf(physical: Buffer, decode: Decode = decodeUtf8): Generator<MarcField, void, undefined> {
  for (const field of fieldBytesOf(physical)) yield decodeField(field, decode);
}

function decodeField({ tag, bytes }: FieldBytes, decode: Decode): MarcField {
  if (isControlTag(tag)) return { tag, value: decode(bytes) };
  return { tag, indicators: bytes.toString('latin1', 0, 2), subfields: subfieldsOf(bytes, decode) };
}

function subfieldsOf(field: Buffer, decode: Decode): Subfield[] {
  const subfields: Subfield[] = [];
  let at = 2;
  while (at < field.length) {
    const next = field.indexOf(SUBFIELD_DELIMITER, at + 1);
    const end = next === -1 ? field.length : next;
    subfields.push({ code: field.toString('latin1', at + 1, at + 2), value: decode(field.subarray(at + 2, end)) });
    at = end;
  }
  return subfields;
}
