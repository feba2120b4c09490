import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import type { Configuration } from '../../config/configuration.ts';
import { TidemarkError } from '../../core/errors.ts';
import { isS3 } from '../../lib/s3/s3-location.ts';
import { reasonOf } from '../../lib/system-error.ts';
import { type DocumentFolder, openFolder } from './readers/read-folder.ts';
import { openNdjsonFile, openNdjsonStream } from './readers/read-ndjson.ts';
import type { RecordSource } from './readers/record-source.ts';
import { isStreamInput } from './stream-input.ts';

export interface InputParts {
  readonly configuration: Pick<Configuration, 's3TimeoutMs' | 's3PollIntervalMs' | 'dataFolder'>;
  /** Opens a folder or a bucket: sources/open-contents.ts. */
  openRoot(location: InputRoot): DocumentFolder;
  /** Opens the records of a stream: runs/stream-reader.ts. Undefined without a store. */
  readonly openStream?: ((from: string, signal: AbortSignal) => Promise<OpenedInput>) | undefined;
  /** The folder from which relative paths begin. */
  readonly workingDirectory: string;
  /** Standard input, which `-` names; undefined where there is none. */
  readonly standardInput?: (() => Readable) | undefined;
  readonly signal: AbortSignal;
}

interface InputRoot {
  readonly root: string;
  readonly exclude: readonly string[];
  readonly s3?: { readonly timeoutMs: number; readonly pollIntervalMs: number };
  readonly scratchFolder?: string;
}

export interface OpenedInput {
  readonly source: RecordSource;
  /** Where the records are, for the provenance. */
  readonly url: string;
}

/**
 * Opens the input of a harvest: `-` for standard input, `stream:ORG/STREAM`, `s3://BUCKET/PREFIX`, a folder of
 * documents, or a file of NDJSON.
 * @throws TidemarkError `invalid` when it cannot be read; for a stream, as `StreamReader.open`
 */
export async function openInput(from: string, parts: InputParts): Promise<OpenedInput> {
  const { configuration, openRoot, openStream, standardInput, signal } = parts;
  if (from === '-') {
    if (standardInput === undefined) throw new TidemarkError('invalid', 'a job has no standard input: name a file');
    return { source: openNdjsonStream(addAbortSignal(signal, standardInput())), url: 'stdin:' };
  }
  if (isStreamInput(from)) {
    if (openStream === undefined) throw new TidemarkError('invalid', 'a stream is read where its store is');
    return openStream(from, signal);
  }
  if (isS3(from)) {
    const { s3TimeoutMs: timeoutMs, s3PollIntervalMs: pollIntervalMs, dataFolder } = configuration;
    const s3 = { timeoutMs, pollIntervalMs };
    const location = { root: from, exclude: [], s3, scratchFolder: join(dataFolder, 'spool') };
    return { source: openFolder(openRoot(location)), url: from };
  }
  const path = resolve(parts.workingDirectory, from);
  const url = pathToFileURL(path).href;
  const stats = await stat(path).catch((error: Error) => {
    throw new TidemarkError('invalid', `${path} cannot be read: ${reasonOf(error)}`, { path });
  });
  if (stats.isDirectory()) return { source: openFolder(openRoot({ root: path, exclude: [] })), url };
  return { source: await openNdjsonFile(path, signal), url };
}
