import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Mimetype } from '../../../artifacts/avro/mimetypes.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { type NdjsonLine, NdjsonLines } from '../../../lib/bytes/ndjson-lines.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import {
  documentProblem,
  type InputBatch,
  type InputItem,
  idProblem,
  MAX_RECORD_BYTES,
  mimetypeProblem,
  type RecordProblem,
} from '../../input-item.ts';
import type { RecordSource } from './record-source.ts';

const CHUNK_BYTES = 1 << 18;

const LINE_PROBLEMS: Readonly<Record<NonNullable<NdjsonLine['problem']>, string>> = {
  'line-too-long': `the line has more than ${MAX_RECORD_BYTES / 1024 ** 2} MB`,
  'not-utf-8': 'the line is not UTF-8',
};

/**
 * Records as lines of JSON: `{id, document, mimetype}`, or `{id, deleted: true}`.
 * @throws TidemarkError `invalid` when the file cannot be read
 */
export async function openNdjsonFile(file: string, signal: AbortSignal): Promise<RecordSource> {
  const { size } = await stat(file).catch((error: Error) => {
    throw new TidemarkError('invalid', `${file} cannot be read: ${reasonOf(error)}`, { file });
  });
  return {
    total: { count: size, unit: 'bytes' },
    read: () => readNdjson(createReadStream(file, { highWaterMark: CHUNK_BYTES, signal })),
  };
}

export function openNdjsonStream(stream: Readable): RecordSource {
  return { total: undefined, read: () => readNdjson(stream) };
}

async function* readNdjson(stream: Readable): AsyncIterable<InputBatch> {
  const lines = new NdjsonLines(MAX_RECORD_BYTES);
  let done = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (done === 0) requirePlain(chunk);
    done += chunk.length;
    const items = lines.push(chunk).map(itemOf);
    if (items.length > 0) yield { items, done };
  }
  const items = lines.end().map(itemOf);
  if (items.length > 0) yield { items, done };
}

/** @throws TidemarkError `invalid` for a gzip file: each of its lines would fail as not being UTF-8 */
function requirePlain(beginning: Buffer): void {
  if (beginning[0] !== 0x1f || beginning[1] !== 0x8b) return;
  throw new TidemarkError(
    'invalid',
    'the input is compressed with gzip: unpack it first, as "gunzip -c FILE | tidemark … --from -" does',
  );
}

function itemOf(read: NdjsonLine): InputItem {
  const line = read.number;
  if (read.problem !== undefined) {
    return { kind: 'bad', line, problem: { kind: read.problem, message: LINE_PROBLEMS[read.problem] } };
  }
  let value: unknown;
  try {
    value = JSON.parse(read.text);
  } catch (error) {
    return bad(line, undefined, { kind: 'not-json', message: `the line is not JSON: ${(error as Error).message}` });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad(line, undefined, { kind: 'not-json', message: 'the line is not a JSON object' });
  }
  return recordOf(line, value);
}

interface GivenRecord {
  readonly id?: unknown;
  readonly document?: unknown;
  readonly mimetype?: unknown;
  readonly deleted?: unknown;
}

function recordOf(line: number, { id, document, mimetype, deleted = false }: GivenRecord): InputItem {
  const wrongId = idProblem(id);
  if (wrongId !== undefined) return bad(line, undefined, wrongId);
  if (typeof deleted !== 'boolean') {
    return bad(line, id, { kind: 'wrong-field', message: 'its field "deleted" is neither true nor false' });
  }
  if (deleted) return { kind: 'deleted', line, id: id as string };
  const problem = documentProblem(document) ?? mimetypeProblem(mimetype);
  if (problem !== undefined) return bad(line, id, problem);
  return { kind: 'record', line, id: id as string, document: document as string, mimetype: mimetype as Mimetype };
}

function bad(line: number, id: unknown, problem: RecordProblem): InputItem {
  return { kind: 'bad', line, problem, ...(typeof id === 'string' && { id }) };
}
