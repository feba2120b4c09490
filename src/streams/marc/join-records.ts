import { joinFields } from './build-record.ts';
import { type FieldBytes, isControlTag, LONGEST_RECORD } from './iso2709.ts';
import type { MarcRecord } from './marc-record.ts';
import type { ReadRecord } from './read-record.ts';

/** A physical record. */
export type Part = GoodPart | BadPart;

interface PartPlace {
  readonly offset: number;
  /** Leader/06. */
  readonly type: number | undefined;
  /** Bytes in the file. */
  readonly length: number;
}

interface GoodPart extends PartPlace {
  readonly id: string;
  readonly deleted: boolean;
  readonly record: MarcRecord;
  readonly reason?: undefined;
}

/** One that cannot be read; its id may be known. */
interface BadPart extends PartPlace {
  readonly id: string | undefined;
  readonly reason: string;
}

/** Most bytes of one joined record: its parts are kept in memory until the next id arrives. */
const LONGEST_JOINED = 64_000_000;
/** A part that is followed by another one has at least these bytes: another field, of 9,999 at most, did not fit. */
const LEAST_OF_FULL_PART = 90_000;

/**
 * Joins physical records that are one record, because they follow each other and have the same 001:
 *
 * - those that together are longer than MARC21 permits. If they are not longer, they are separate records, of which the
 *   last counts.
 * - a bibliographic record, and the records of its holdings behind it, however long they are.
 *
 * When one of them cannot be read, the whole record is an erratum: the others are not all of it.
 *
 * Many systems repeat fields in each part. So control fields of later parts are left out, and fields from 010 to 840
 * that the record already has. Fields of holdings (841 to 889) and local fields are all kept: two copies may be alike.
 */
export class RecordJoiner {
  #parts: Part[] = [];
  #length = 0;
  #ordinal = 0;

  /** Adds a part, and appends the records that are complete now to `read`. */
  add(part: Part, read: ReadRecord[]): void {
    if (this.#parts.length > 0 && !mayFollow(this.#parts, part)) this.end(read);
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length > LONGEST_JOINED) this.#parts.length = 1;
  }

  /** Appends the last record, which can have no further parts. */
  end(read: ReadRecord[]): void {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    if (parts.length === 1 && length <= LONGEST_JOINED) read.push(this.#single(parts[0]!));
    else if (length > LONGEST_JOINED && parts[0]!.reason === undefined) {
      const reason = `its parts have more than ${LONGEST_JOINED} bytes together`;
      read.push(this.#single({ ...parts[0]!, reason }));
    } else for (const record of recordsOf(parts)) read.push(this.#single(joined(record)));
  }

  #single(part: Part): ReadRecord {
    const ordinal = ++this.#ordinal;
    if (part.reason === undefined) {
      const { offset, id, deleted, record } = part;
      return { kind: 'record', ordinal, offset, id, deleted, record };
    }
    const { offset, id, reason } = part;
    return { kind: 'erratum', ordinal, offset, ...(id !== undefined && { id }), reason };
  }
}

/** Whether a part may belong to the same record. One whose id is unknown may when another part has to follow there. */
function mayFollow(parts: readonly Part[], part: Part): boolean {
  if (part.id !== undefined && parts[0]!.id === part.id) return true;
  const last = parts.at(-1)!;
  if (part.id === undefined) return isFull(last);
  return last.id === undefined && isFull(last) && parts.every(({ id }) => id === undefined || id === part.id);
}

const isFull = ({ length }: Part): boolean => length >= LEAST_OF_FULL_PART && length <= LONGEST_RECORD;

/** Groups the parts with one id by records. */
function recordsOf(parts: readonly Part[]): readonly (readonly Part[])[] {
  const records: Part[][] = [];
  for (const part of parts) {
    const current = records.at(-1);
    const isOfCurrent = current !== undefined && isHoldings(part) && !isHoldings(current[0]!);
    if (!isOfCurrent) records.push([part]);
    // Holdings that were deleted add nothing, and the record that had them remains.
    else if (part.reason !== undefined || !part.deleted) current.push(part);
  }
  const length = records.reduce((sum, [first]) => sum + first!.length, 0);
  return length > LONGEST_RECORD ? withoutCuts(records) : records;
}

/** Joins what was cut because it is too long for MARC21. */
function withoutCuts(records: readonly (readonly Part[])[]): readonly (readonly Part[])[] {
  const whole: Part[][] = [];
  for (const record of records) {
    const current = whole.at(-1);
    if (current === undefined || isOtherVersion(current, record[0]!)) whole.push([...record]);
    else current.push(...record);
  }
  return whole;
}

/**
 * Whether a part is another version of a record: only one of both is a deletion; or they have different titles, and
 * the part before it had room for more.
 */
function isOtherVersion(parts: readonly Part[], part: Part): boolean {
  const first = parts[0]!;
  if (first.reason !== undefined || part.reason !== undefined) return false;
  if (first.deleted !== part.deleted) return true;
  const [[title], [other]] = [first.record.fieldsWithTag(TITLE), part.record.fieldsWithTag(TITLE)];
  return !isFull(parts.at(-1)!) && title !== undefined && other !== undefined && !title.equals(other);
}

const TITLE = '245';

/** Types of records of holdings (leader/06): unspecified, single-part, multipart, serial. */
const HOLDINGS: ReadonlySet<number | undefined> = new Set([...'uvxy'].map((type) => type.charCodeAt(0)));

const isHoldings = ({ type }: Part): boolean => HOLDINGS.has(type);

function joined(parts: readonly Part[]): Part {
  const first = parts[0]!;
  if (parts.length === 1) return first;
  const bad = parts.find(isBad);
  if (bad === undefined)
    return { ...(first as GoodPart), record: join(parts.filter(isGood).map(({ record }) => record)) };
  const what = bad.id === undefined ? 'what may be a part of it' : 'a part of it';
  const id = parts.find((part) => part.id !== undefined)?.id;
  return { ...first, id, reason: `${what}, at byte ${bad.offset} of the file, cannot be read: ${bad.reason}` };
}

const isBad = (part: Part): part is BadPart => part.reason !== undefined;
const isGood = (part: Part): part is GoodPart => part.reason === undefined;

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
