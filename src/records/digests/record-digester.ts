import { hash } from 'node:crypto';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import type { BlockPlace } from '../../artifacts/avro/container-writer.ts';
import { type PackedChunk, unpackChunk } from '../../artifacts/avro/packed-blocks.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../core/hash.ts';
import { URI_LENGTH } from '../../core/key.ts';
import { keyOfRecordId } from '../../core/record-key.ts';
import { describedUrisOf } from '../forms/record-forms.ts';
import { rowsOf } from './digest-row.ts';
import { RowSorter, type SortedRun } from './row-sorter.ts';
import { RecordWalk } from './walk-records.ts';

/** The result of digesting a chunk of an artifact. */
export interface DigestedChunk {
  /** Number of its records with rows: see digest-row.ts. */
  readonly records: number;
  /** The runs that this chunk has completed. They may contain rows of earlier chunks. */
  readonly runs: readonly SortedRun[];
  /** Number of its records that are skipped because their id is empty. */
  readonly withoutId: number;
  /** The position of its end in the file. */
  readonly end: number;
  readonly blocks: readonly BlockPlace[];
}

const NAMES: Readonly<Record<HashAlgorithm, string>> = { 'sha-256': 'sha256', 'sha-1': 'sha1', md5: 'md5' };

/** Digests each record of an artifact into a row: what a comparison and a response need. Sorts rows into runs. */
export class RecordDigester {
  readonly #algorithms: readonly HashAlgorithm[];
  readonly #rows = new RowSorter();

  /** @param publishHashes the hashes that the set publishes besides SHA-256 */
  constructor(publishHashes: readonly HashAlgorithm[]) {
    this.#algorithms = HASH_ALGORITHMS.filter((one) => one === 'sha-256' || publishHashes.includes(one));
  }

  /** @throws TidemarkError `invalid` when the chunk is damaged */
  digest(chunk: PackedChunk<DocumentSchemaId>): DigestedChunk {
    const end = chunk.offset + chunk.bytes.length;
    let records = 0;
    let withoutId = 0;
    const blocks: BlockPlace[] = [];
    const describedOf = describedBy(chunk.header);
    for (const block of unpackChunk(chunk)) {
      blocks.push(block.place);
      const walk = new RecordWalk(block);
      const rowOf = rowsOf(block.place);
      for (let position = 0, record = walk.next(); record !== undefined; position++, record = walk.next()) {
        const { id, document, mime } = record;
        if (id === '') {
          withoutId += 1;
          continue;
        }
        const state = { length: document.length, mime, hashes: this.#hashesOf(document) };
        this.#rows.add(rowOf(keyOfRecordId(id), position, state, describedOf?.(document)));
        records += 1;
      }
    }
    return { records, runs: this.#rows.takeRuns(), withoutId, end, blocks };
  }

  /** Returns the remaining runs, after the last chunk. */
  end(): readonly SortedRun[] {
    return this.#rows.end();
  }

  #hashesOf(document: Uint8Array): Hashes {
    const hashes: Partial<Record<HashAlgorithm, string>> = {};
    for (const algorithm of this.#algorithms) hashes[algorithm] = hash(NAMES[algorithm], document, 'hex');
    return hashes;
  }
}

/** Finds what records describe. Only records that were delivered: an activity may write any text of a media type. */
function describedBy({ schema, documentType }: PackedChunk<DocumentSchemaId>['header']) {
  const describedUris = schema === 'stream.Record.v1' ? describedUrisOf(documentType) : undefined;
  if (describedUris === undefined) return undefined;
  return ({ buffer, byteOffset, byteLength }: Uint8Array): readonly string[] =>
    describedUris(Buffer.from(buffer, byteOffset, byteLength)).filter(({ length }) => length <= URI_LENGTH.most);
}
