import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { RecordOf, SchemaId } from './avro-schemas.ts';
import { BLOCK_SIZE, LARGEST_BLOCK, LARGEST_BLOCK_MB } from './block-size.ts';
import { type RecordType, recordType } from './record-type.ts';

/** Encoded records, concatenated, as in an uncompressed block of a file. */
export interface Block {
  readonly data: Uint8Array;
  readonly records: number;
}

/** @throws TidemarkError `invalid` for a record that does not match the schema; it names the record and the field */
export async function* blocksOf<Id extends SchemaId>(
  schema: Id,
  batches: AsyncIterable<readonly RecordOf[Id][]>,
): AsyncGenerator<Block> {
  const builder = new BlockBuilder(recordType(schema));
  for await (const batch of batches) {
    for (const record of batch) {
      if (builder.add(record)) continue;
      yield builder.take();
      builder.add(record);
    }
  }
  if (builder.records > 0) yield builder.take();
}

class BlockBuilder<Id extends SchemaId> {
  readonly #type: RecordType<Id>;
  #buffer = Buffer.allocUnsafeSlow(BLOCK_SIZE);
  #length = 0;
  #before = 0;
  records = 0;

  constructor(type: RecordType<Id>) {
    this.#type = type;
  }

  /** Appends a record. Returns false if the block has no room for it; an empty block accepts any record. */
  add(record: RecordOf[Id]): boolean {
    let end = this.#encode(record);
    if (end < 0) {
      if (this.records > 0) return false;
      this.#buffer = Buffer.allocUnsafeSlow(this.#checked(BLOCK_SIZE - end, record));
      end = this.#encode(record);
    }
    this.#length = end;
    this.records += 1;
    return true;
  }

  /** Returns the block, and begins the next one. */
  take(): Block {
    const block = { data: this.#buffer.subarray(0, this.#length), records: this.records };
    // The old buffer is still being compressed while the next block is filled.
    this.#buffer = Buffer.allocUnsafeSlow(BLOCK_SIZE);
    this.#before += this.records;
    this.#length = 0;
    this.records = 0;
    return block;
  }

  #encode(record: RecordOf[Id]): number {
    try {
      return this.#type.encode(record, this.#buffer, this.#length);
    } catch (error) {
      if (!isTidemarkError(error, 'invalid')) throw error;
      throw new TidemarkError('invalid', `${this.#nameOf(record)}: ${error.message}`, error.details, error);
    }
  }

  #checked(length: number, record: RecordOf[Id]): number {
    if (length <= LARGEST_BLOCK) return length;
    throw new TidemarkError('invalid', `${this.#nameOf(record)}: it has more than ${LARGEST_BLOCK_MB} MB`);
  }

  #nameOf(record: RecordOf[Id]): string {
    const { id } = Object(record) as { readonly id?: unknown };
    const name = `record ${this.#before + this.records + 1}`;
    return id === undefined ? name : `${name} (id ${JSON.stringify(id)})`;
  }
}
