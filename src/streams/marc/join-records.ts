import { joinFields } from './build-record.ts';
import { type FieldBytes, isControlTag, LONGEST_RECORD } from './iso2709.ts';
import type { MarcRecord } from './marc-record.ts';
import type { Erratum, GoodRecord, ReadRecord } from './read-record.ts';

/** A physical record, and its length in the file. */
type PhysicalRecord = Omit<GoodRecord, 'kind' | 'ordinal'> & { readonly length: number };

/** Most bytes of one joined record: its parts are kept in memory until the next id arrives. */
const LONGEST_JOINED = 64_000_000;

/**
 * Joins physical records that are parts of one record: they follow each other, have the same 001, and together are
 * longer than MARC21 permits. If they are not longer, they are separate records, of which the last counts.
 *
 * Many systems repeat fields in each part. So control fields of later parts are left out, and fields from 010 to 840
 * that the record already has. Fields of holdings (841 to 889) and local fields are all kept: two copies may be alike.
 */
export class RecordJoiner {
  #parts: PhysicalRecord[] = [];
  #length = 0;
  #ordinal = 0;

  /** Adds a part, and appends the records that are complete now to `read`. */
  add(part: PhysicalRecord, read: ReadRecord[]): void {
    if (this.#parts.length > 0 && part.id !== this.#parts[0]!.id) this.end(read);
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > LONGEST_JOINED) this.#parts.length = 1;
  }

  addErratum(erratum: Omit<Erratum, 'kind' | 'ordinal'>, read: ReadRecord[]): void {
    this.end(read);
    read.push({ kind: 'erratum', ordinal: ++this.#ordinal, ...erratum });
  }

  /** Appends the last record, which can have no further parts. */
  end(read: ReadRecord[]): void {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (length > LONGEST_JOINED) {
      const { offset, id } = parts[0]!;
      const reason = `its parts have more than ${LONGEST_JOINED} bytes together`;
      read.push({ kind: 'erratum', ordinal: ++this.#ordinal, offset, id, reason });
    } else if (parts.length > 1 && length > LONGEST_RECORD) {
      const record = join(parts.map((part) => part.record));
      read.push(this.#numbered({ ...parts[0]!, record }));
    } else for (const part of parts) read.push(this.#numbered(part));
  }

  #numbered({ offset, id, deleted, record }: PhysicalRecord): GoodRecord {
    return { kind: 'record', ordinal: ++this.#ordinal, offset, id, deleted, record };
  }
}

function join([first, ...others]: readonly MarcRecord[]): MarcRecord {
  const fields = [...first!.fieldBytes()];
  const known = new Set(fields.map(textOf));
  for (const other of others) {
    for (const field of other.fieldBytes()) {
      if (isControlTag(field.tag)) continue;
      const text = textOf(field);
      if (field.tag <= '840' && known.has(text)) continue;
      known.add(text);
      fields.push(field);
    }
  }
  return joinFields(first!.leader, fields);
}

const textOf = ({ tag, bytes }: FieldBytes): string => tag + bytes.toString('latin1');
