import { workerData } from 'node:worker_threads';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import type { PackedChunk } from '../../artifacts/avro/packed-blocks.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { serveCalls, Transferred } from '../../lib/workers/rpc.ts';
import { RecordDigester } from './record-digester.ts';
import type { SortedRun } from './row-sorter.ts';

/** The `workerData` of the thread. */
export interface DigesterData {
  readonly publishHashes: readonly HashAlgorithm[];
}

/** A thread that decompresses and hashes records for the thread that compares them. */
const { publishHashes } = workerData as DigesterData;
const digester = new RecordDigester(publishHashes);

const functions = {
  digest(chunk: PackedChunk<DocumentSchemaId>) {
    const digested = digester.digest(chunk);
    return new Transferred(digested, buffersOf(digested.runs));
  },
  end() {
    const runs = digester.end();
    return new Transferred(runs, buffersOf(runs));
  },
};
export type DigestFunctions = typeof functions;

serveCalls(functions);

function buffersOf(runs: readonly SortedRun[]): readonly ArrayBuffer[] {
  return runs.map(({ buffer }) => buffer);
}
