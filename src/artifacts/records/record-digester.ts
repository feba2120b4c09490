import { hash } from 'node:crypto';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../core/hash.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import { type PackedChunk, unpackChunk } from '../avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../avro/schemas.ts';
import { rowsOf } from './digest-row.ts';
import { RowSorter, type SortedRun } from './row-sorter.ts';
import { RecordWalk } from './walk-records.ts';

/** What was found in a chunk of an artifact. */
export interface DigestedChunk {
  /** So many of its records have rows: see digest-row.ts. */
  readonly records: number;
  /** Those of this chunk and earlier ones that fill runs. */
  readonly runs: readonly SortedRun[];
  /** Records of this chunk that are skipped, because their id is empty. */
  readonly withoutId: number;
  /** Where it ends in the file. */
  readonly end: number;
}

const NAMES: Readonly<Record<HashAlgorithm, string>> = { 'sha-256': 'sha256', 'sha-1': 'sha1', md5: 'md5' };

/** Digests each record of an artifact into a row: what a comparison and a response need. Sorts rows into runs. */
export class RecordDigester {
  readonly #algorithms: readonly HashAlgorithm[];
  readonly #rows = new RowSorter();

  /** @param publishHashes which hashes the set publishes, besides SHA-256 */
  constructor(publishHashes: readonly HashAlgorithm[]) {
    this.#algorithms = HASH_ALGORITHMS.filter((one) => one === 'sha-256' || publishHashes.includes(one));
  }

  /** @throws TidemarkError `invalid` when the chunk is damaged */
  digest(chunk: PackedChunk<DocumentSchemaId>): DigestedChunk {
    const end = chunk.offset + chunk.bytes.length;
    let records = 0;
    let withoutId = 0;
    for (const block of unpackChunk(chunk)) {
      const walk = new RecordWalk(block);
      const rowOf = rowsOf(block.place);
      for (let position = 0, record = walk.next(); record !== undefined; position++, record = walk.next()) {
        const { id, document, mime } = record;
        if (id === '') {
          withoutId += 1;
          continue;
        }
        const described = { length: document.length, mime, hashes: this.#hashesOf(document) };
        this.#rows.add(rowOf(keyOfRecordId(id), position, described));
        records += 1;
      }
    }
    return { records, runs: this.#rows.takeRuns(), withoutId, end };
  }

  /** The runs of the other rows, after the last chunk. */
  end(): readonly SortedRun[] {
    return this.#rows.end();
  }

  #hashesOf(document: Uint8Array): Hashes {
    const hashes: Partial<Record<HashAlgorithm, string>> = {};
    for (const algorithm of this.#algorithms) hashes[algorithm] = hash(NAMES[algorithm], document, 'hex');
    return hashes;
  }
}
