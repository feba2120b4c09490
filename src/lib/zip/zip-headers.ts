/** The value of a 32-bit field whose real value is in the Zip64 extra field. */
export const MAX_32 = 0xffff_ffff;
const MAX_16 = 0xffff;

/** Compression methods, with the numbers of the format. */
export const METHOD = { store: 0, deflate: 8 } as const;
export type Method = (typeof METHOD)[keyof typeof METHOD];

/** Flag: the sizes follow the data, because they were unknown when the header was written. */
const HAS_DESCRIPTOR = 0x0008;
const UTF8_NAME = 0x0800;
const PLAIN_VERSION = 20;
const ZIP64_VERSION = 45;
/** Makes readers use the file mode. */
const MADE_ON_UNIX = 3 << 8;
/** A regular file that its owner may write and all users may read. */
const FILE_MODE = 0o100644;
const ZIP64_EXTRA = 0x0001;
const TIME_EXTRA = 0x5455;
const TIME_EXTRA_LENGTH = 9;
const HAS_MODIFIED = 1;

/** The properties of an entry that are known before its data. */
export interface EntryHead {
  /** The name in UTF-8. */
  readonly name: Buffer;
  /** Seconds since 1970. */
  readonly modified: number;
  readonly method: Method;
  readonly hasDescriptor: boolean;
  /** Whether its sizes are stored in eight bytes each. */
  readonly isZip64: boolean;
  /** Position of its local header in the file. */
  readonly offset: number;
}

/** The properties of an entry that are known after its data. */
export interface EntrySizes {
  readonly crc: number;
  /** Bytes in the ZIP file. */
  readonly packed: number;
  /** Bytes after decompression. */
  readonly length: number;
}

const UNKNOWN: EntrySizes = { crc: 0, packed: 0, length: 0 };

/** The local header, which precedes the data of an entry (APPNOTE 6.3.10, 4.3.7). */
export function localHeader(head: EntryHead, sizes: EntrySizes): Buffer {
  const { name, isZip64, hasDescriptor } = head;
  const { crc, packed, length } = hasDescriptor ? UNKNOWN : sizes;
  const extra = extraOf(head, isZip64 ? [length, packed] : []);
  const header = Buffer.allocUnsafe(30 + name.length + extra.length);
  let at = header.writeUInt32LE(0x04034b50, 0);
  at = writeCommon(header, at, head);
  at = header.writeUInt32LE(crc, at);
  at = header.writeUInt32LE(isZip64 ? MAX_32 : packed, at);
  at = header.writeUInt32LE(isZip64 ? MAX_32 : length, at);
  at = header.writeUInt16LE(name.length, at);
  at = header.writeUInt16LE(extra.length, at);
  header.set(name, at);
  header.set(extra, at + name.length);
  return header;
}

/** Length in bytes of a local header with 32-bit sizes. */
export function localHeaderLength({ name, modified }: { readonly name: string; readonly modified: number }): number {
  return 30 + Buffer.byteLength(name) + (hasTimeExtra(modified) ? TIME_EXTRA_LENGTH : 0);
}

/** The data descriptor, which follows the data of an entry whose sizes were unknown before (4.3.9). */
export function dataDescriptor({ isZip64 }: EntryHead, { crc, packed, length }: EntrySizes): Buffer {
  const bytes = isZip64 ? 8 : 4;
  return fields([
    [4, 0x08074b50],
    [4, crc],
    [bytes, packed],
    [bytes, length],
  ]);
}

/** The entry in the central directory (4.3.12). */
export function centralHeader(head: EntryHead, { crc, packed, length }: EntrySizes): Buffer {
  const { name, isZip64, offset } = head;
  // Only the fields that do not fit into 32 bits, in this order (4.5.3).
  const large = [...(isZip64 ? [length, packed] : []), ...(offset >= MAX_32 ? [offset] : [])];
  const extra = extraOf(head, large);
  const header = Buffer.allocUnsafe(46 + name.length + extra.length);
  let at = header.writeUInt32LE(0x02014b50, 0);
  at = header.writeUInt16LE(MADE_ON_UNIX | ZIP64_VERSION, at);
  at = writeCommon(header, at, head);
  at = header.writeUInt32LE(crc, at);
  at = header.writeUInt32LE(isZip64 ? MAX_32 : packed, at);
  at = header.writeUInt32LE(isZip64 ? MAX_32 : length, at);
  at = header.writeUInt16LE(name.length, at);
  at = header.writeUInt16LE(extra.length, at);
  // No comment, first disk, no internal attributes.
  at = header.writeUIntLE(0, at, 6);
  at = header.writeUInt32LE(FILE_MODE * 0x1_0000, at);
  at = header.writeUInt32LE(Math.min(offset, MAX_32), at);
  header.set(name, at);
  header.set(extra, at + name.length);
  return header;
}

/** Most bytes by which a header in the central directory is longer than a local one with 32-bit sizes. */
export const CENTRAL_SURPLUS = 46 - 30 + 4 + 3 * 8;
/** Most bytes by which a local header with a data descriptor is longer than one with 32-bit sizes alone. */
export const STREAM_SURPLUS = 4 + 2 * 8 + 24;
/** Most bytes of the end of the file, after the central directory. */
export const MOST_END_BYTES = 56 + 20 + 22;

/** The properties of the central directory. */
interface Directory {
  readonly entries: number;
  readonly offset: number;
  readonly length: number;
}

/** The end of the file, which follows the central directory (4.3.14 to 4.3.16). */
export function endOfFile(directory: Directory): Buffer {
  const { entries, offset, length } = directory;
  const isZip64 = entries >= MAX_16 || offset >= MAX_32 || length >= MAX_32;
  const end = fields([
    [4, 0x06054b50],
    // The number of this disk: there is only one.
    [2, 0],
    [2, 0],
    [2, Math.min(entries, MAX_16)],
    [2, Math.min(entries, MAX_16)],
    [4, Math.min(length, MAX_32)],
    [4, Math.min(offset, MAX_32)],
    // No comment.
    [2, 0],
  ]);
  return isZip64 ? Buffer.concat([zip64End(directory), end]) : end;
}

function zip64End({ entries, offset, length }: Directory): Buffer {
  return fields([
    [4, 0x06064b50],
    // Length of the record after this field, without the locator.
    [8, 44],
    [2, MADE_ON_UNIX | ZIP64_VERSION],
    [2, ZIP64_VERSION],
    [4, 0],
    [4, 0],
    [8, entries],
    [8, entries],
    [8, length],
    [8, offset],
    // The locator: the position of this record, and the number of disks.
    [4, 0x07064b50],
    [4, 0],
    [8, offset + length],
    [4, 1],
  ]);
}

type Field = readonly [bytes: 2 | 4 | 8, value: number];

const NOTHING = Buffer.alloc(0);

/** Writes version, flags, method and time, which both headers of an entry contain. */
function writeCommon(header: Buffer, from: number, { isZip64, hasDescriptor, method, modified }: EntryHead): number {
  let at = header.writeUInt16LE(isZip64 ? ZIP64_VERSION : PLAIN_VERSION, from);
  at = header.writeUInt16LE(UTF8_NAME | (hasDescriptor ? HAS_DESCRIPTOR : 0), at);
  at = header.writeUInt16LE(method, at);
  return header.writeUInt32LE(dosTime(modified), at);
}

/** @param large the values that need eight bytes */
function extraOf(head: EntryHead, large: readonly number[]): Buffer {
  const time = timeExtra(head);
  return large.length === 0 ? time : Buffer.concat([time, zip64Extra(large)]);
}

function zip64Extra(values: readonly number[]): Buffer {
  return fields([[2, ZIP64_EXTRA], [2, values.length * 8], ...values.map((value): Field => [8, value])]);
}

/** The time in UTC. The DOS time has no zone, and a precision of two seconds. */
function timeExtra({ modified }: EntryHead): Buffer {
  if (!hasTimeExtra(modified)) return NOTHING;
  const extra = Buffer.allocUnsafe(TIME_EXTRA_LENGTH);
  extra.writeUInt16LE(TIME_EXTRA, 0);
  extra.writeUInt16LE(5, 2);
  extra.writeUInt8(HAS_MODIFIED, 4);
  extra.writeUInt32LE(modified, 5);
  return extra;
}

function hasTimeExtra(modified: number): boolean {
  return modified >= 0 && modified <= 0x7fff_ffff;
}

/** The date in the upper two bytes, the time in the lower ones (4.4.6). The range is 1980 to 2107. */
function dosTime(modified: number): number {
  const date = new Date(modified * 1000);
  const year = date.getUTCFullYear();
  if (year < 1980) return dosDay(1980, 1, 1);
  if (year > 2107) return dosDay(2107, 12, 31);
  const day = dosDay(year, date.getUTCMonth() + 1, date.getUTCDate());
  return day + (date.getUTCHours() << 11) + (date.getUTCMinutes() << 5) + (date.getUTCSeconds() >> 1);
}

function dosDay(year: number, month: number, day: number): number {
  return (((year - 1980) << 9) | (month << 5) | day) * 0x1_0000;
}

/** Concatenates little-endian numbers. */
function fields(list: readonly Field[]): Buffer {
  let length = 0;
  for (const [bytes] of list) length += bytes;
  const buffer = Buffer.allocUnsafe(length);
  let at = 0;
  for (const [bytes, value] of list) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at);
    else buffer.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return buffer;
}
