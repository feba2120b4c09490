import { workerData } from 'node:worker_threads';
import type { PackedChunk } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { RecordDigester } from './record-digester.ts';

/** What the thread is started with. */
export interface DigesterData {
  readonly publishHashes: readonly HashAlgorithm[];
}

/** A thread that unpacks and hashes records for the thread that compares them. */
const { publishHashes } = workerData as DigesterData;
const digester = new RecordDigester(publishHashes);

const functions = {
  digest: (chunk: PackedChunk<DocumentSchemaId>) => digester.digest(chunk),
};
export type DigestFunctions = typeof functions;

serveCalls(functions);
