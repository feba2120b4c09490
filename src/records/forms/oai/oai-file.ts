import type { RecordWriter } from '../record-form.ts';
import { OAI_NAMESPACE, withoutDerived } from './oai-record.ts';

const END = '</ListRecords>\n</OAI-PMH>\n';

/** Writes records as a response to ListRecords, with all that their repository said of them. */
export class OaiFile implements RecordWriter {
  readonly #write: (bytes: Buffer) => void;

  constructor(write: (bytes: Buffer) => void) {
    this.#write = write;
    const responseDate = `${new Date().toISOString().slice(0, 19)}Z`;
    write(
      Buffer.from(
        `<?xml version="1.0" encoding="UTF-8"?>\n<OAI-PMH xmlns="${OAI_NAMESPACE}">\n` +
          `<responseDate>${responseDate}</responseDate>\n<request verb="ListRecords"></request>\n<ListRecords>\n`,
      ),
    );
  }

  add(document: Buffer): void {
    this.#write(withoutDerived(document));
    this.#write(Buffer.from('\n'));
  }

  end(): void {
    this.#write(Buffer.from(END));
  }
}
