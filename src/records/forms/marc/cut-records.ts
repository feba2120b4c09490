import type { FaultKind } from '../../errata/fault-kinds.ts';
import { readableText } from './faults/readable-text.ts';
import {
  BASE_ADDRESS_AT,
  FIELD_TERMINATOR,
  LEADER_LENGTH,
  LONGEST_RECORD,
  numberAt,
  RECORD_TERMINATOR,
} from './iso2709.ts';

/** Why bytes cannot be a record. */
interface Problem {
  readonly kind: FaultKind;
  readonly reason: string;
}

/** The bytes between two cuts: a physical record to be checked, or, with a problem, bytes that cannot be one. */
export interface Piece {
  /** Number of bytes before it in the file. */
  readonly offset: number;
  readonly bytes: Buffer;
  readonly problem?: Problem;
  /** Its length in the file, when `bytes` are only its beginning. */
  readonly length?: number;
}

/** The start of a piece, the next terminator or -1, and whether the file ends with the buffer. */
interface Stretch {
  readonly at: number;
  readonly terminator: number;
  readonly isEnd: boolean;
}

/** Bytes after which a record that has not ended is given up. */
const LONGEST_WAIT = 2 * LONGEST_RECORD;

/**
 * Cuts a file of MARC21 into physical records as it arrives. A record ends where its length says, if a record
 * terminator is there. Where length and terminators disagree, the next terminator, or the next apparent leader,
 * decides, so that a wrong record does not affect its neighbours.
 */
export class RecordCutter {
  #rest: Buffer = Buffer.alloc(0);
  /** Number of bytes of the file before `#rest`. */
  #offset = 0;
  #pieces: Piece[] = [];
  /** The beginning of a piece that is too long to be kept, while its end has not arrived. */
  #long: { readonly offset: number; readonly head: Buffer } | undefined;

  /** The pieces that end in this chunk. */
  push(chunk: Uint8Array): readonly Piece[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    return this.#cut(this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]), false);
  }

  /** The remaining pieces at the end of the file. */
  end(): readonly Piece[] {
    return this.#cut(this.#rest, true);
  }

  #cut(buffer: Buffer, isEnd: boolean): readonly Piece[] {
    this.#pieces = [];
    let at = this.#long === undefined ? skipFiller(buffer, 0) : this.#endOfLong(buffer, isEnd);
    while (at < buffer.length) {
      const terminator = buffer.indexOf(RECORD_TERMINATOR, at);
      if (terminator !== -1 && numberAt(buffer, at, 5) === terminator + 1 - at) {
        this.#pieces.push({ offset: this.#offset + at, bytes: buffer.subarray(at, terminator + 1) });
        at = terminator + 1;
      } else {
        const end = this.#endOfWrong(buffer, { at, terminator, isEnd });
        if (end === -1) break;
        at = end;
      }
      at = skipFiller(buffer, at);
    }
    this.#rest = buffer.subarray(at);
    this.#offset += at;
    return this.#pieces;
  }

  /** The end of a record whose length is wrong; -1 when it depends on bytes that have not arrived. */
  #endOfWrong(buffer: Buffer, { at, terminator, isEnd }: Stretch): number {
    const filler = fillerAt(buffer, at, isEnd);
    if (filler !== 0) return filler === -1 ? -1 : at + filler;
    const length = numberAt(buffer, at, 5);
    const end = at + length;
    const isWaiting = (terminator === -1 && buffer.length - at < LONGEST_WAIT) || buffer.length < end + LEADER_LENGTH;
    if (!isEnd && isWaiting) return -1;
    const isByLength = terminator !== -1 && end > terminator && buffer[end - 1] === RECORD_TERMINATOR;
    if (isByLength && !isLeader(buffer, skipFiller(buffer, terminator + 1))) {
      // A terminator within a field, which the check of the record reports.
      this.#pieces.push({ offset: this.#offset + at, bytes: buffer.subarray(at, end) });
      return end;
    }
    return this.#cutAtLeaders(buffer, { at, terminator, isEnd });
  }

  /** Cuts the bytes before a terminator, or before the end, at everything that looks like a leader. */
  #cutAtLeaders(buffer: Buffer, { at, terminator, isEnd }: Stretch): number {
    const end = terminator === -1 ? buffer.length : terminator + 1;
    let start = at;
    for (let next = nextLeader(buffer, at, end, terminator); next !== -1; ) {
      this.#wrong(buffer, start, next);
      start = next;
      next = nextLeader(buffer, next, end, terminator);
    }
    // The record that begins here may be right, but has not fully arrived.
    if (terminator === -1 && !isEnd && start > at) return start;
    if (terminator === -1 && !isEnd) return this.#beginLong(buffer, at);
    if (terminator === -1 || end - start > LONGEST_WAIT) this.#wrong(buffer, start, end);
    else this.#pieces.push({ offset: this.#offset + start, bytes: buffer.subarray(start, end) });
    return end;
  }

  /** Keeps the beginning of a piece that is longer than a record may be. Its end may be a leader that arrives later. */
  #beginLong(buffer: Buffer, at: number): number {
    this.#long = { offset: this.#offset + at, head: Buffer.from(buffer.subarray(at, at + LONGEST_WAIT)) };
    return buffer.length - LONGEST_RECORD;
  }

  /** The end of the long piece, or the first byte that may belong to the leader that ends it. */
  #endOfLong(buffer: Buffer, isEnd: boolean): number {
    const terminator = buffer.indexOf(RECORD_TERMINATOR);
    if (terminator === -1 && !isEnd && buffer.length < LONGEST_WAIT) return 0;
    const last = terminator === -1 ? buffer.length : terminator + 1;
    const leader = nextLeader(buffer, 0, last, terminator);
    if (leader === -1 && terminator === -1 && !isEnd) return buffer.length - LONGEST_RECORD;
    const { offset, head } = this.#long!;
    this.#long = undefined;
    const end = leader === -1 ? last : leader;
    const length = this.#offset + end - offset;
    this.#pieces.push({ offset, bytes: head, length, problem: problemOf(head, length) });
    return skipFiller(buffer, end);
  }

  #wrong(buffer: Buffer, start: number, end: number): void {
    // As of a long piece that arrives in several chunks.
    const bytes = buffer.subarray(start, Math.min(end, start + LONGEST_WAIT));
    const length = end - start;
    this.#pieces.push({ offset: this.#offset + start, bytes, length, problem: problemOf(bytes, length) });
  }
}

/** @param bytes at least the beginning of the piece */
function problemOf(bytes: Buffer, pieceLength: number): Problem {
  const length = numberAt(bytes, 0, 5);
  if (pieceLength > LONGEST_RECORD && beginsAsLeader(bytes, 0)) return tooLong(pieceLength);
  if (!isLeader(bytes, 0)) return { kind: 'not-a-record', reason: notARecord(bytes, pieceLength) };
  const reason =
    bytes.length < length
      ? `the record breaks off after ${bytes.length} bytes: its leader says ${length}`
      : `the record has no end (1D) after the ${length} bytes that its leader says`;
  return { kind: 'cut-off', reason };
}

/** Why a record above 99,999 bytes cannot be read. */
export const tooLong = (length: number): Problem => ({
  kind: 'long-record',
  reason: `the record has ${length} bytes, and one of MARC21 at most 99999: send it in parts with the same 001, or as MARCXML`,
});

function notARecord(bytes: Buffer, length: number): string {
  const beginning = readableText(bytes.subarray(0, 40));
  return `${length} bytes are not a record, since they do not begin with a leader: "${beginning}${length > 40 ? '…' : ''}"`;
}

/** The next leader before `end` that a record begins with: after a field terminator, or with the right length. */
function nextLeader(buffer: Buffer, at: number, end: number, terminator: number): number {
  for (let next = at + 1; next + LEADER_LENGTH < end; next++) {
    if (!isLeader(buffer, next)) continue;
    const isWhole = terminator !== -1 && numberAt(buffer, next, 5) === end - next;
    if (buffer[next - 1] === FIELD_TERMINATOR || isWhole) return next;
  }
  return -1;
}

/** Whether the parts of a leader that are the same in each record exist there. */
const beginsAsLeader = (buffer: Buffer, at: number): boolean =>
  buffer.toString('latin1', at + 10, at + 12) === '22' && buffer.toString('latin1', at + 20, at + 22) === '45';

/** Whether bytes look like a leader whose directory ends at its base address. */
function isLeader(buffer: Buffer, at: number): boolean {
  const base = numberAt(buffer, at + BASE_ADDRESS_AT, 5);
  return (
    base > LEADER_LENGTH &&
    numberAt(buffer, at, 5) > base &&
    buffer[at + 10] === 0x32 &&
    buffer[at + 11] === 0x32 &&
    buffer[at + base - 1] === FIELD_TERMINATOR
  );
}

/**
 * Skips line breaks between records, and zeros, spaces or a Ctrl-Z at the end of a file. Five spaces at its end may be
 * the length of a leader, so they remain.
 */
function skipFiller(buffer: Buffer, from: number): number {
  let at = from;
  while (at < buffer.length && (buffer[at]! <= 0x0d || buffer[at] === SPACE || buffer[at] === 0x1a)) at++;
  if (at === from || buffer[at - 1] !== SPACE) return at;
  let blank = at - 1;
  while (blank > from && blank > at - LENGTH_DIGITS && buffer[blank - 1] === SPACE) blank--;
  return at - blank === LENGTH_DIGITS || at === buffer.length ? blank : at;
}

/**
 * Number of bytes at the start of a piece that are filler: a byte order mark, or spaces that are not the length in a
 * leader; -1 when it depends on bytes that have not arrived.
 */
function fillerAt(buffer: Buffer, at: number, isEnd: boolean): number {
  if (buffer[at] === BYTE_ORDER_MARK[0]) {
    if (buffer.length < at + BYTE_ORDER_MARK.length && !isEnd) return -1;
    return buffer.indexOf(BYTE_ORDER_MARK, at) === at ? BYTE_ORDER_MARK.length : 0;
  }
  if (buffer[at] !== SPACE) return 0;
  if (buffer.length < at + LEADER_LENGTH && !isEnd) return -1;
  return beginsAsLeader(buffer, at) ? 0 : Math.min(LENGTH_DIGITS, buffer.length - at);
}

const SPACE = 0x20;
const LENGTH_DIGITS = 5;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
