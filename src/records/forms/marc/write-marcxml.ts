import { BASE_ADDRESS_AT, ENTRY_LENGTH, isControlAt, LEADER_LENGTH, numberAt, SUBFIELD_DELIMITER } from './iso2709.ts';
import { fieldBytesOf, type MarcRecord } from './marc-record.ts';
import { ENTITIES, MARKUP, mostBytesOf, QUOTE } from './marcxml-markup.ts';
import { countRepeated } from './repeated-fields.ts';

/**
 * Writes a record as the element `record`, one line for each field. It declares its namespace, so that it can be a
 * document or a part of one.
 */
export function writeMarcXml(record: MarcRecord): string {
  const writer = new MarcXmlWriter();
  writer.add(record);
  return writer.take().toString('utf8');
}

const MOST_USUAL_BYTES = 1_048_576;

/**
 * Writes records into memory, each as `writeMarcXml` does, or as elements of a collection. Copies their bytes one by
 * one, which takes a fifth of the time of building and encoding text.
 */
export class MarcXmlWriter {
  #out: Buffer = Buffer.alloc(0);
  #at = 0;
  #usualBytes = 0;
  readonly #start: Uint8Array;

  constructor(start: Uint8Array = MARKUP.record) {
    this.#start = start;
  }

  /** Number of bytes that can be taken. */
  get size(): number {
    return this.#at;
  }

  add(record: MarcRecord): void {
    const { bytes } = record;
    this.#makeRoom(mostBytesOf(bytes));
    this.#put(this.#start);
    this.#putText(bytes, 0, LEADER_LENGTH);
    this.#put(MARKUP.leaderEnd);
    const first = numberAt(bytes, 0, 5);
    this.#putFields(bytes, LEADER_LENGTH, 0);
    const repeated = first === bytes.length ? 0 : countRepeated(fieldBytesOf(bytes));
    for (let part = first; part < bytes.length; part += numberAt(bytes, part, 5)) {
      this.#putFields(bytes, part + LEADER_LENGTH, repeated);
    }
    this.#put(MARKUP.recordEnd);
  }

  /** Takes the bytes since the last call. They do not change afterwards. */
  take(): Buffer {
    const taken = this.#out.subarray(0, this.#at);
    // The next bytes taken are probably about as many: this size avoids copying while the buffer grows.
    this.#usualBytes = Math.min(this.#out.length, MOST_USUAL_BYTES);
    this.#out = Buffer.alloc(0);
    this.#at = 0;
    return taken;
  }

  /**
   * Takes the bytes since the last call, in memory that is overwritten when more is added: for a caller that copies it
   * at once.
   */
  takeToCopy(): Buffer {
    const taken = this.#out.subarray(0, this.#at);
    this.#at = 0;
    return taken;
  }

  #makeRoom(needed: number): void {
    if (this.#out.length - this.#at >= needed) return;
    const length = Math.max(this.#usualBytes, this.#at + needed, 2 * this.#out.length);
    const grown = Buffer.allocUnsafeSlow(length);
    this.#out.copy(grown, 0, 0, this.#at);
    this.#out = grown;
  }

  /**
   * Writes the fields of a part. @param directory the start of its directory @param repeated number of fields to leave
   * out
   */
  #putFields(bytes: Buffer, directory: number, repeated: number): void {
    const base = directory - LEADER_LENGTH + numberAt(bytes, directory - LEADER_LENGTH + BASE_ADDRESS_AT, 5);
    for (let entry = directory + repeated * ENTRY_LENGTH; entry < base - 1; entry += ENTRY_LENGTH) {
      const start = base + numberAt(bytes, entry + 7, 5);
      const end = start + numberAt(bytes, entry + 3, 4) - 1;
      const isControl = isControlAt(bytes, entry);
      this.#put(isControl ? MARKUP.controlField : MARKUP.dataField);
      for (let place = entry; place < entry + 3; place++) this.#out[this.#at++] = bytes[place]!;
      if (isControl) {
        this.#put(MARKUP.tagEnd);
        this.#putText(bytes, start, end);
        this.#put(MARKUP.controlFieldEnd);
      } else this.#putDataField(bytes, start, end);
    }
  }

  #putDataField(bytes: Buffer, start: number, end: number): void {
    this.#put(MARKUP.firstIndicator);
    this.#putCode(bytes[start]!);
    this.#put(MARKUP.secondIndicator);
    this.#putCode(bytes[start + 1]!);
    this.#put(MARKUP.tagEnd);
    for (let at = start + 2; at < end; ) {
      this.#put(MARKUP.subfield);
      this.#putCode(bytes[at + 1]!);
      this.#put(MARKUP.tagEnd);
      at = this.#putText(bytes, at + 2, end);
      this.#put(MARKUP.subfieldEnd);
    }
    this.#put(MARKUP.dataFieldEnd);
  }

  /** Writes text up to the end, or the next subfield. @returns the position where it stopped */
  #putText(bytes: Buffer, from: number, end: number): number {
    const out = this.#out;
    let at = this.#at;
    let place = from;
    for (; place < end; place++) {
      const byte = bytes[place]!;
      if (byte === SUBFIELD_DELIMITER) break;
      const entity = byte > 0x3e || byte === QUOTE ? undefined : ENTITIES[byte];
      if (entity === undefined) out[at++] = byte;
      else for (let index = 0; index < entity.length; index++) out[at++] = entity[index]!;
    }
    this.#at = at;
    return place;
  }

  /** Writes an indicator or a subfield code into an attribute. */
  #putCode(byte: number): void {
    const entity = ENTITIES[byte];
    if (entity === undefined) this.#out[this.#at++] = byte;
    else this.#put(entity);
  }

  #put(piece: Uint8Array): void {
    const out = this.#out;
    let at = this.#at;
    for (let index = 0; index < piece.length; index++) out[at++] = piece[index]!;
    this.#at = at;
  }
}
