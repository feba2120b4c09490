import type { Worker } from 'node:worker_threads';
import type { Stretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import { CalledThread } from '../../lib/workers/rpc.ts';
import type { DigesterData, DigestFunctions } from './digest.worker.ts';
import { type DigestedChunk, RecordDigester } from './record-digester.ts';
import type { Run } from './run-writer.ts';

/** Notes the records of stretches, whichever it is given. */
export interface Digester {
  /** @throws TidemarkError as `RecordDigester` */
  note(stretch: Stretch<DocumentSchemaId>): Promise<DigestedChunk>;
  /** The sorted rows, when all is noted. */
  end(): Promise<readonly Run[]>;
  /** Resolves when nothing is written any more. */
  close(): Promise<void>;
}

/** Notes in this thread: what is small. */
export function digesterHere({ publishHashes, descriptor }: DigesterData): Digester {
  const digester = new RecordDigester(publishHashes, descriptor);
  return {
    note: async (stretch) => digester.note(stretch),
    end: async () => digester.end(),
    close: async () => {},
  };
}

/** Notes in a thread of its own. */
export function digesterIn(start: () => Worker): Digester {
  const thread = new CalledThread<DigestFunctions>({ work: 'reading the artifact', start });
  return {
    note: (stretch) => thread.call('note', [stretch], [stretch.bytes.buffer]),
    end: () => thread.call('end', []),
    close: () => thread.close(),
  };
}
