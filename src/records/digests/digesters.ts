import type { Worker } from 'node:worker_threads';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import type { PackedChunk } from '../../artifacts/avro/packed-blocks.ts';
import { CalledThread } from '../../lib/workers/rpc.ts';
import type { DigesterData, DigestFunctions } from './digest.worker.ts';
import { type DigestedChunk, RecordDigester } from './record-digester.ts';
import type { SortedRun } from './row-sorter.ts';

/** Digests the records of chunks, in any order. */
export interface Digester {
  /** @throws TidemarkError as `RecordDigester` */
  digest(chunk: PackedChunk<DocumentSchemaId>): Promise<DigestedChunk>;
  /** Returns the remaining runs, after the last chunk. */
  end(): Promise<readonly SortedRun[]>;
  close(): Promise<void>;
}

/** Digests in the calling thread, for small artifacts. */
export function digesterHere({ publishHashes }: DigesterData): Digester {
  const digester = new RecordDigester(publishHashes);
  return {
    digest: async (chunk) => digester.digest(chunk),
    end: async () => digester.end(),
    close: async () => {},
  };
}

/** Digests in a separate thread. */
export function digesterIn(start: () => Worker): Digester {
  const thread = new CalledThread<DigestFunctions>({ work: 'reading the artifact', start });
  return {
    digest: (chunk) => thread.call('digest', [chunk], [chunk.bytes.buffer]),
    end: () => thread.call('end', []),
    close: () => thread.close(),
  };
}
