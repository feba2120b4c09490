import { withWarning } from '../record-form.ts';
import { joinFields } from './build-record.ts';
import { doubleEncodedIn } from './faults/double-encoded.ts';
import { type FieldBytes, isControlTag, LONGEST_FIELD } from './iso2709.ts';
import type { MarcRecord } from './marc-record.ts';
import { Repairs } from './odd-fields.ts';
import type { BadMarcPart, GoodMarcPart, MarcPart, ReadRecord } from './read-record.ts';
import { groupSplits, isBibliographic, textOf } from './split-records.ts';

/** Most bytes of one joined record: its parts are kept in memory until the next id arrives. */
const LONGEST_JOINED = 64_000_000;
/** Bytes of memory that a part takes at least, as one that is tiny, or an erratum. */
const SMALLEST_PART = 500;

const TOO_LONG =
  `the records with its id that follow each other have more than ${LONGEST_JOINED} bytes together, ` +
  `or are more than ${LONGEST_JOINED / SMALLEST_PART}`;

/**
 * Joins physical records that are one record, because they follow each other and have the same 001:
 *
 * - those that together are longer than their format permits
 * - those that a system has split by items, however long they are: see `split-records.ts`
 * - a bibliographic record, and the records of its holdings behind it, however long they are
 *
 * Others are separate records, of which the last counts.
 *
 * When one of them cannot be read, the whole record is an erratum: the others are not all of it.
 *
 * Many systems repeat fields in each part. So control fields of later parts are left out, and fields from 010 to 840
 * that the record already has; of what was split by items, all fields. Other fields of holdings (841 to 889) and local
 * fields are all kept: two copies may be alike.
 */
export class RecordJoiner {
  readonly #limit: number;
  #parts: MarcPart[] = [];
  /** Bytes of all parts that arrived, also of those that are not kept because they are too many. */
  #length = 0;
  #ordinal = 0;

  /** @param limit bytes above which a record is cut: `Infinity` in a format without a limit */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a part, and appends the records that are complete now to `read`. */
  add(part: MarcPart, read: ReadRecord[]): void {
    if (this.#parts.length > 0 && !mayFollow(this.#parts, part, this.#limit)) this.end(read);
    this.#parts.push(part);
    this.#length += bytesOf(part);
    if (this.#length > LONGEST_JOINED) this.#parts.length = 1;
  }

  /** Appends the last record, which can have no further parts. */
  end(read: ReadRecord[]): void {
    const [parts, length] = [this.#parts, this.#length];
    this.#parts = [];
    this.#length = 0;
    const [first] = parts;
    // One record alone that is too long has a better reason.
    const isTooLong = length > LONGEST_JOINED && (first!.reason === undefined || length > bytesOf(first!));
    if (isTooLong) read.push(this.#single({ ...first!, reason: TOO_LONG, fault: { kind: 'many-parts' } }));
    else for (const record of recordsOf(parts, this.#limit)) read.push(this.#single(record));
  }

  #single(part: MarcPart): ReadRecord {
    const ordinal = ++this.#ordinal;
    if (part.reason === undefined) {
      const { offset, id, deleted, record, warning, fault } = part;
      const good = { kind: 'record', ordinal, offset, id, deleted, record } as const;
      const read = warning === undefined ? good : withWarning(good, warning, fault!);
      const twice = doubleEncodedIn(record.bytes);
      return twice === undefined ? read : withWarning(read, twice.reason, twice.fault);
    }
    const { offset, id, title, reason, fault } = part;
    return { kind: 'erratum', ordinal, offset, ...(id !== undefined && { id }), title, reason, fault };
  }
}

/** Bytes of memory. A fault may name an element of a million characters, which counts little in its record. */
const bytesOf = ({ length, reason, warning }: MarcPart): number =>
  Math.max(length, SMALLEST_PART, (reason ?? warning ?? '').length);

/** Whether a part may belong to the same record. One whose id is unknown may when another part has to follow there. */
function mayFollow(parts: readonly MarcPart[], part: MarcPart, limit: number): boolean {
  if (part.id !== undefined && parts[0]!.id === part.id) return true;
  const last = parts.at(-1)!;
  if (part.id === undefined) return isFull(last, limit);
  return last.id === undefined && isFull(last, limit) && parts.every(({ id }) => id === undefined || id === part.id);
}

/** Whether another part may follow, because one more field, of 9,999 bytes at most, did not fit. */
const isFull = ({ length }: MarcPart, limit: number): boolean => length >= limit - LONGEST_FIELD && length <= limit;

/** The records that the parts with one id are. */
function recordsOf(parts: readonly MarcPart[], limit: number): readonly MarcPart[] {
  const records: MarcPart[][] = [];
  for (const part of parts) {
    const current = records.at(-1);
    const isOfCurrent = current !== undefined && isHoldings(part) && !isHoldings(current[0]!);
    if (!isOfCurrent) records.push([part]);
    // Holdings that were deleted add nothing, and the record that had them remains.
    else if (part.reason !== undefined || !part.deleted) current.push(part);
  }
  const length = records.reduce((sum, [first]) => sum + first!.length, 0);
  if (length > limit) return withoutCuts(records, limit).map((record) => joined(record, isBibliographic));
  const whole = records.map((record) => joined(record, isBibliographic));
  if (whole.length === 1) return whole;
  return groupSplits(whole).map((parts) => joined(parts, () => true));
}

/** Joins what was cut because it is too long. */
function withoutCuts(records: readonly (readonly MarcPart[])[], limit: number): readonly (readonly MarcPart[])[] {
  const whole: MarcPart[][] = [];
  for (const record of records) {
    const current = whole.at(-1);
    if (current === undefined || isOtherVersion(current, record[0]!, limit)) whole.push([...record]);
    else current.push(...record);
  }
  return whole;
}

/**
 * Whether a part is another version of a record: only one of both is a deletion; or they have different titles, and
 * the part before it had room for more.
 */
function isOtherVersion(parts: readonly MarcPart[], part: MarcPart, limit: number): boolean {
  const first = parts[0]!;
  if (first.reason !== undefined || part.reason !== undefined) return false;
  if (first.deleted !== part.deleted) return true;
  const [[title], [other]] = [first.record.fieldsWithTag(TITLE), part.record.fieldsWithTag(TITLE)];
  return !isFull(parts.at(-1)!, limit) && title !== undefined && other !== undefined && !title.equals(other);
}

const TITLE = '245';

/** Types of records of holdings (leader/06): unspecified, single-part, multipart, serial. */
const HOLDINGS: ReadonlySet<number | undefined> = new Set([...'uvxy'].map((type) => type.charCodeAt(0)));

const isHoldings = ({ type }: MarcPart): boolean => HOLDINGS.has(type);

/** One record of its parts. @param isOnce whether a field of a later part is left out when an earlier part has it */
function joined(parts: readonly MarcPart[], isOnce: (field: FieldBytes) => boolean): MarcPart {
  const first = parts[0]!;
  if (parts.length === 1) return first;
  const bad = parts.find(isBad);
  if (bad === undefined) {
    const good = parts.filter(isGood);
    const repairs = new Repairs();
    for (const { warning, fault } of good) if (warning !== undefined) repairs.add(warning, fault);
    const record = join(
      good.map((part) => part.record),
      isOnce,
    );
    return { ...(first as GoodMarcPart), record, warning: repairs.text, fault: repairs.fault };
  }
  const what = bad.id === undefined ? 'what may be a part of it' : 'a part of it';
  const id = parts.find((part) => part.id !== undefined)?.id;
  const reason = `${what}, at byte ${bad.offset} of the file, cannot be read: ${bad.reason}`;
  return { ...first, id, title: bad.title, reason, fault: { ...bad.fault, kind: 'part-of-record' } };
}

const isBad = (part: MarcPart): part is BadMarcPart => part.reason !== undefined;
const isGood = (part: MarcPart): part is GoodMarcPart => part.reason === undefined;

function join([first, ...others]: readonly MarcRecord[], isOnce: (field: FieldBytes) => boolean): MarcRecord {
  const fields = [...first!.fieldBytes()];
  const known = new Set(fields.map(textOf));
  for (const other of others) {
    const added = [...other.fieldBytes()].filter(
      (field) => !isControlTag(field.tag) && !(isOnce(field) && known.has(textOf(field))),
    );
    for (const field of added) {
      known.add(textOf(field));
      fields.push(field);
    }
  }
  return joinFields(first!.leader, fields);
}
