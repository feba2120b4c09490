import type { RecordWriter } from '../record-form.ts';
import { MarcRecord } from './marc-record.ts';
import { MARCXML_END, MARCXML_START, MARKUP } from './marcxml-markup.ts';
import { MarcXmlWriter, writeMarcXml } from './write-marcxml.ts';

/** Bytes taken from the writer at a time: half of its initial buffer, so that the buffer need not grow. */
const PART_BYTES = 32 * 1024;
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Writes a file of MARCXML. */
export class MarcXmlFile implements RecordWriter {
  readonly #write: (bytes: Buffer) => void;
  readonly #xml = new MarcXmlWriter(MARKUP.recordOfCollection);

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
    write(Buffer.from(MARCXML_START));
  }

  add(document: Buffer): void {
    this.#xml.add(new MarcRecord(document));
    if (this.#xml.size >= PART_BYTES) this.#write(this.#xml.takeToCopy());
  }

  end(): void {
    this.#write(this.#xml.take());
    this.#write(Buffer.from(MARCXML_END));
  }
}

/** A record as a document of its own. */
export function marcXmlDocument(document: Buffer): Buffer {
  return Buffer.from(DECLARATION + writeMarcXml(new MarcRecord(document)));
}
