import type { Worker } from 'node:worker_threads';
import type { Stretch } from '../../artifacts/avro/packed-blocks.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/schemas.ts';
import type { HashAlgorithm } from '../../core/hash.ts';
import { AskedThread } from '../../lib/workers/asked-thread.ts';
import { type NotedStretch, RecordNoter } from './record-noter.ts';
import type { Run } from './run-writer.ts';

/** Notes the records of stretches, whichever it is given. */
export interface Noter {
  /** @throws TidemarkError as `RecordNoter` */
  note(stretch: Stretch<DocumentSchemaId>): Promise<NotedStretch>;
  /** The sorted rows, when all is noted. */
  end(): Promise<readonly Run[]>;
  /** Resolves when nothing is written any more. */
  close(): Promise<void>;
}

/** What a thread that notes is started with. */
export interface NoterData {
  readonly publishHashes: readonly HashAlgorithm[];
  /** Of the file for its rows. */
  readonly descriptor: number;
}

/** What a thread that notes is asked; it answers as a RecordNoter does. */
export type NoteTask =
  | { readonly task: 'note'; readonly stretch: Stretch<DocumentSchemaId> }
  | { readonly task: 'end' };

/** Notes in this thread: what is small. */
export function noterHere({ publishHashes, descriptor }: NoterData): Noter {
  const noter = new RecordNoter(publishHashes, descriptor);
  return {
    note: async (stretch) => noter.note(stretch),
    end: async () => noter.end(),
    close: async () => {},
  };
}

/** Notes in a thread of its own. */
export function noterIn(start: () => Worker): Noter {
  const thread = new AskedThread({ work: 'reading the artifact', start });
  return {
    note: (stretch) => thread.ask({ task: 'note', stretch } satisfies NoteTask, [stretch.bytes.buffer]),
    end: () => thread.ask({ task: 'end' } satisfies NoteTask),
    close: () => thread.close(),
  };
}
