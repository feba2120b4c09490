import { hash } from 'node:crypto';
import { type Stretch, unpackStretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../core/hash.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import { rowsOf } from './digest-row.ts';
import type { Run } from './run-writer.ts';
import { RowSorter } from './sort-rows.ts';
import { RecordWalk } from './walk-records.ts';

/** What was found in a stretch of an artifact. */
export interface DigestedChunk {
  readonly records: number;
  /** Records that were passed over, not counted before. */
  readonly withoutId: number;
  /** Where it ends in the file. */
  readonly end: number;
}

const NAMES: Readonly<Record<HashAlgorithm, string>> = { 'sha-256': 'sha256', 'sha-1': 'sha1', md5: 'md5' };

/** Notes of each record of an artifact what a comparison and an answer need, in rows that it sorts on disk. */
export class RecordDigester {
  readonly #algorithms: readonly HashAlgorithm[];
  readonly #rows: RowSorter;

  /**
   * @param publishHashes which hashes the set publishes, besides SHA-256
   * @param descriptor of the file for the rows
   */
  constructor(publishHashes: readonly HashAlgorithm[], descriptor: number) {
    this.#algorithms = HASH_ALGORITHMS.filter((one) => one === 'sha-256' || publishHashes.includes(one));
    this.#rows = new RowSorter(descriptor);
  }

  /** @throws TidemarkError `invalid` when the stretch is damaged; `unavailable` when the disk is full */
  note(stretch: Stretch<DocumentSchemaId>): DigestedChunk {
    const end = stretch.offset + stretch.bytes.length;
    let records = 0;
    let withoutId = 0;
    for (const block of unpackStretch(stretch)) {
      const walk = new RecordWalk(block);
      const row = rowsOf(block.place);
      for (let position = 0, record = walk.next(); record !== undefined; position++, record = walk.next()) {
        const { id, document, mime } = record;
        if (id === '') {
          withoutId += 1;
          continue;
        }
        const described = { length: document.length, mime, hashes: this.#hashesOf(document) };
        this.#rows.add(row(keyOfRecordId(id), position, described));
        records += 1;
      }
    }
    return { records, withoutId, end };
  }

  /** The sorted rows, when all is noted. */
  end(): readonly Run[] {
    return this.#rows.end();
  }

  #hashesOf(document: Uint8Array): Hashes {
    const hashes: Partial<Record<HashAlgorithm, string>> = {};
    for (const algorithm of this.#algorithms) hashes[algorithm] = hash(NAMES[algorithm], document, 'hex');
    return hashes;
  }
}
