import { workerData } from 'node:worker_threads';
import type { Stretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { RecordDigester } from './record-digester.ts';

/** What the thread is started with. */
export interface DigesterData {
  readonly publishHashes: readonly HashAlgorithm[];
  /** Of the file for its rows. */
  readonly descriptor: number;
}

/** A thread that unpacks and hashes records for the one that compares them. */
const { publishHashes, descriptor } = workerData as DigesterData;
const digester = new RecordDigester(publishHashes, descriptor);

const functions = {
  note: (stretch: Stretch<DocumentSchemaId>) => digester.note(stretch),
  end: () => digester.end(),
};
export type DigestFunctions = typeof functions;

serveCalls(functions);
