import type { Worker } from 'node:worker_threads';
import type { Stretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { AskedThread } from '../../lib/workers/asked-thread.ts';
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

/** What a thread that notes is started with. */
export interface DigesterData {
  readonly publishHashes: readonly HashAlgorithm[];
  /** Of the file for its rows. */
  readonly descriptor: number;
}

/** What a thread that notes is asked; it answers as a RecordDigester does. */
export type DigestTask =
  | { readonly task: 'note'; readonly stretch: Stretch<DocumentSchemaId> }
  | { readonly task: 'end' };

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
  const thread = new AskedThread({ work: 'reading the artifact', start });
  return {
    note: (stretch) => thread.ask({ task: 'note', stretch } satisfies DigestTask, [stretch.bytes.buffer]),
    end: () => thread.ask({ task: 'end' } satisfies DigestTask),
    close: () => thread.close(),
  };
}
