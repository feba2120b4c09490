import { isUtf8 } from 'node:buffer';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { decodeLong } from '../../artifacts/avro/long.ts';
import { MIMETYPES, type Mimetype } from '../../artifacts/avro/mimetypes.ts';
import { damaged, type PlainBlock } from '../../artifacts/avro/packed-blocks.ts';
import type { TidemarkError } from '../../core/errors.ts';

/** A decompressed block of records with documents. */
export type Walkable = PlainBlock<DocumentSchemaId>;

/** A record of a block. `document` is a view of the block, not a copy. */
export interface WalkedRecord {
  readonly id: string;
  readonly document: Uint8Array;
  readonly mime: string;
}

const JSON_TYPE = 'application/json';

/**
 * Walks through the records of a block without decoding them: a comparison needs digests of a million documents, whose
 * bytes are in the block unchanged, and a response needs only one document.
 */
export class RecordWalk {
  readonly #block: Walkable;
  readonly #bytes: Buffer;
  readonly #schema: DocumentSchemaId;
  #left: number;
  #at: number;

  /**
   * @param start position of the first record to read. If it is not the first of the block, call `next` only once: the
   * number of remaining records is unknown then
   */
  constructor(block: Walkable, start = 0) {
    const { header, place, data } = block;
    this.#block = block;
    this.#bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    this.#schema = header.schema;
    this.#left = place.records;
    this.#at = start;
  }

  /** The position of the next record. */
  get position(): number {
    return this.#at;
  }

  /**
   * Returns the next record; undefined after the last one.
   * @throws TidemarkError `invalid` when the block has more or fewer records than stated, or invalid UTF-8
   */
  next(): WalkedRecord | undefined {
    if (this.#left === 0) {
      if (this.#at !== this.#bytes.length) throw this.#damaged('goes on after its last record');
      return undefined;
    }
    this.#left -= 1;
    // In the order of the fields.
    const id = this.#text().toString();
    if (this.#schema === 'OriginalRecord.v1') this.#text();
    const document = this.#text();
    const mime = this.#schema === 'OriginalRecord.v1' ? this.#mimetype() : mimeOf(this.#block.header, document);
    return { id, document, mime };
  }

  #text(): Buffer {
    const length = this.#long();
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw this.#damaged('holds fewer records than it says');
    const text = this.#bytes.subarray(this.#at, end);
    if (!isUtf8(text)) throw this.#damaged('has a text that is not UTF-8');
    this.#at = end;
    return text;
  }

  #mimetype(): Mimetype {
    const symbol = MIMETYPES[this.#long()];
    if (symbol === undefined) throw this.#damaged('has a symbol that is not a mimetype');
    return symbol;
  }

  #long(): number {
    const long = decodeLong(this.#bytes, this.#at);
    if (long === undefined) throw this.#damaged('holds fewer records than it says');
    this.#at = long.end;
    return long.value;
  }

  #damaged(problem: string): TidemarkError {
    const { header, place } = this.#block;
    return damaged(header, place.offset, problem);
  }
}

/** The media type of a document. Documents for an index are JSON. A MAPRecord is RDF: its text shows the syntax. */
function mimeOf({ schema, documentType }: Walkable['header'], document: Buffer): string {
  if (schema === 'stream.Record.v1') return documentType;
  if (schema !== 'MAP.4_0.MAPRecord.v1') return JSON_TYPE;
  const beginning = document.toString('latin1', 0, 200).replace(/^(?:\xef\xbb\xbf)?\s*/, '');
  // Without a space after it, <RDF> is an IRI of Turtle.
  if (/^<(?:\?xml|!|[\w.-]+:RDF|RDF\s)/.test(beginning)) return 'application/rdf+xml';
  return /^(?:\{|\[\s*[{\]])/.test(beginning) ? 'application/ld+json' : 'text/turtle';
}
