import {
  BASE_ADDRESS_AT,
  FIELD_TERMINATOR,
  LEADER_LENGTH,
  LONGEST_RECORD,
  numberAt,
  RECORD_TERMINATOR,
} from './iso2709.ts';

/** The bytes between two cuts: a physical record to be checked, or, with a problem, bytes that cannot be one. */
export interface Piece {
  /** Number of bytes before it in the file. */
  readonly offset: number;
  readonly bytes: Buffer;
  readonly problem?: string;
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
    let at = skipFiller(buffer, 0);
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
    for (let next = at + 1; next + LEADER_LENGTH < end; next++) {
      if (!isLeader(buffer, next)) continue;
      const isWhole = terminator !== -1 && numberAt(buffer, next, 5) === end - next;
      if (buffer[next - 1] !== FIELD_TERMINATOR && !isWhole) continue;
      this.#wrong(buffer, start, next);
      start = next;
    }
    // The record that begins here may be right, but has not fully arrived.
    if (terminator === -1 && !isEnd && start > at) return start;
    if (terminator === -1) this.#wrong(buffer, start, end);
    else this.#pieces.push({ offset: this.#offset + start, bytes: buffer.subarray(start, end) });
    return end;
  }

  #wrong(buffer: Buffer, start: number, end: number): void {
    const bytes = buffer.subarray(start, end);
    this.#pieces.push({ offset: this.#offset + start, bytes, problem: problemOf(bytes) });
  }
}

function problemOf(bytes: Buffer): string {
  const length = numberAt(bytes, 0, 5);
  if (!isLeader(bytes, 0)) return `${bytes.length} bytes that do not begin with the leader of a record`;
  return bytes.length < length
    ? `the record has no record terminator (1D): its leader says ${length} bytes, and after ${bytes.length} it breaks off`
    : `the record has no record terminator (1D) at its end: its leader says ${length} bytes`;
}

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

/** Skips line breaks between records, and zeros, spaces or a Ctrl-Z at the end of a file. */
function skipFiller(buffer: Buffer, from: number): number {
  let at = from;
  while (at < buffer.length && (buffer[at]! <= 0x0d || buffer[at] === 0x20 || buffer[at] === 0x1a)) at++;
  return at;
}
