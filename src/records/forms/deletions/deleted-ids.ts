import { isUtf8 } from 'node:buffer';
import { firstInvalid } from '../../../lib/bytes/utf8.ts';
import { excerpt } from '../../../lib/excerpt.ts';
import { around, type Fault } from '../../errata/fault.ts';
import type { DeletedId, ReadErratum } from '../record-form.ts';
import { recordIdProblem } from '../record-id.ts';

/** Bytes of an id, in UTF-8. */
const MOST_ID_BYTES = 255;
/** Bytes of a line that are kept; it may have blanks around its id. Nothing is kept of a longer line. */
const MOST_LINE_BYTES = 4096;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Reads a list of ids in UTF-8, one a line; LF, CRLF or CR ends a line. The number of an erratum is that of its line.
 * Blank lines are skipped. Each batch contains what could be read of the bytes that have arrived; it is never empty.
 * Throws what `chunks` throws.
 */
export async function* readDeletedIds(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly (DeletedId | ReadErratum)[], void, undefined> {
  const lines = new Lines();
  for await (const chunk of chunks) {
    const batch = lines.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    if (batch.length > 0) yield batch;
  }
  const last = lines.end();
  if (last.length > 0) yield last;
}

/** The id in a line: without white space around it, and without the Ctrl-Z that ends a text of DOS. */
export function idInLine(line: string): string {
  return line.replace(/(?<!\u001a)\u001a+\s*$/, '').trim();
}

/** Why a text cannot be an id: a sentence without a full stop. Undefined when it can. */
export function idProblem(text: string): string | undefined {
  // A character has at most three bytes, so the bytes of most ids need not be counted.
  if (text.length * 3 > MOST_ID_BYTES && Buffer.byteLength(text) > MOST_ID_BYTES) {
    return `an id has at most ${MOST_ID_BYTES} bytes; this begins with ${excerpt(text)}`;
  }
  return recordIdProblem(text);
}

type Read = DeletedId | ReadErratum;

/** Splits bytes into lines as they come. */
class Lines {
  #ordinal = 0;
  /** Offset of the current line. */
  #offset = 0;
  #length = 0;
  #rest: Buffer[] = [];
  /** A line feed behind a carriage return ends no other line. */
  #endedByReturn = false;

  push(chunk: Buffer): readonly Read[] {
    const read: Read[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) continue;
      const isSecond = byte === LINE_FEED && this.#endedByReturn && at === start && this.#length === 0;
      if (isSecond) this.#offset += 1;
      else {
        this.#keep(chunk.subarray(start, at));
        this.#finish(read);
      }
      this.#endedByReturn = byte === CARRIAGE_RETURN;
      start = at + 1;
    }
    this.#keep(chunk.subarray(start));
    return read;
  }

  end(): readonly Read[] {
    const read: Read[] = [];
    if (this.#length > 0) this.#finish(read);
    return read;
  }

  #keep(bytes: Buffer): void {
    this.#length += bytes.length;
    if (this.#length > MOST_LINE_BYTES) this.#rest = [];
    else if (bytes.length > 0) this.#rest.push(bytes);
  }

  #finish(read: Read[]): void {
    const place = { ordinal: ++this.#ordinal, offset: this.#offset };
    if (this.#length > MOST_LINE_BYTES) {
      read.push({
        kind: 'erratum',
        ...place,
        reason: `the line has ${this.#length} bytes: a line has one id`,
        fault: { kind: 'long-line' },
      });
    } else {
      const line = this.#rest.length === 1 ? this.#rest[0]! : Buffer.concat(this.#rest);
      const one = readLine(line, place);
      if (one !== undefined) read.push(one);
    }
    this.#offset += this.#length + 1;
    this.#length = 0;
    this.#rest = [];
  }
}

function readLine(line: Buffer, place: Pick<DeletedId, 'ordinal' | 'offset'>): Read | undefined {
  if (!isUtf8(line)) return { kind: 'erratum', ...place, reason: notUtf8(line), fault: faultIn(line) };
  const text = line.toString('utf8');
  const id = idInLine(place.ordinal === 1 && text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  if (id === '') return undefined;
  const reason = idProblem(id);
  if (reason === undefined) return { kind: 'deletion', ...place, id };
  return { kind: 'erratum', ...place, reason, fault: { kind: recordIdProblem(id) ? 'bad-id' : 'long-line' } };
}

const notUtf8 = (line: Buffer): string =>
  `the line is not UTF-8: it has the byte ${line[firstInvalid(line)]!.toString(16).toUpperCase()}`;

function faultIn(line: Buffer): Fault {
  const at = firstInvalid(line);
  const [before, after] = [line.subarray(0, at), line.subarray(at + 1)].map((part) => part.toString('latin1'));
  const fault = `\\x${line[at]!.toString(16).toUpperCase()}`;
  return { kind: 'line-not-utf-8', position: at + 1, ...around(before!, fault, after!) };
}
