import { isMimetype, MIMETYPES, type Mimetype } from '../artifacts/avro/mimetypes.ts';
import { shortened } from '../lib/excerpt.ts';

/** One record of an input, as read. `line` is its line in a file, from 1. */
export type InputItem = InputRecord | DeletedInput | BadInput;

export interface InputRecord {
  readonly kind: 'record';
  readonly line?: number | undefined;
  readonly id: string;
  /** Exactly the given text. */
  readonly document: string;
  /** Undefined for a record of an artifact whose schema has none. */
  readonly mimetype?: Mimetype | undefined;
}

/** A record that the provider reports as deleted. */
interface DeletedInput {
  readonly kind: 'deleted';
  readonly line?: number | undefined;
  readonly id: string;
}

/** Input that is not a valid record; it does not stop the others. */
export interface BadInput {
  readonly kind: 'bad';
  readonly line?: number | undefined;
  readonly id?: string | undefined;
  readonly problem: RecordProblem;
}

/** Why a record failed. */
export interface RecordProblem {
  /** A word to count by, such as `no-id`. */
  readonly kind: string;
  readonly message: string;
}

/** Some items that were read together, and how far the input has been read. */
export interface InputBatch {
  readonly items: readonly InputItem[];
  /** Position in the whole input, in the unit of its `total`. */
  readonly done: number;
}

/** The most bytes of one line, or one document of a folder. */
export const MAX_RECORD_BYTES = 16 * 1024 ** 2;
const MAX_ID_BYTES = 1024;

const LONE_SURROGATE = 'holds half of a surrogate pair, which cannot be written as UTF-8';

/** The fault of an id; undefined when there is none. */
export function idProblem(id: unknown): RecordProblem | undefined {
  if (id === undefined || id === null || id === '') return { kind: 'no-id', message: 'it has no id' };
  if (typeof id !== 'string') return { kind: 'no-id', message: `its id is ${quoted(id)}: an id is a text` };
  if (!id.isWellFormed()) return { kind: 'not-utf-8', message: `its id ${LONE_SURROGATE}` };
  // A UTF-16 code unit has at most three bytes, so the bytes of most ids need not be counted.
  if (id.length * 3 > MAX_ID_BYTES && Buffer.byteLength(id) > MAX_ID_BYTES) {
    const message = `its id has more than ${MAX_ID_BYTES} bytes; it begins with ${quoted(id)}`;
    return { kind: 'id-too-long', message };
  }
  return undefined;
}

export function documentProblem(document: unknown): RecordProblem | undefined {
  if (typeof document !== 'string') {
    const message =
      document === undefined ? 'it has no document' : `its document is ${quoted(document)}: a document is a text`;
    return { kind: 'no-document', message };
  }
  if (!document.isWellFormed()) return { kind: 'not-utf-8', message: `its document ${LONE_SURROGATE}` };
  return undefined;
}

export function mimetypeProblem(mimetype: unknown): RecordProblem | undefined {
  if (typeof mimetype === 'string' && isMimetype(mimetype)) return undefined;
  const has = mimetype === undefined ? 'it has no mimetype' : `its mimetype is ${quoted(mimetype)}`;
  return { kind: 'mimetype', message: `${has}: use ${MIMETYPES.join(', ')}` };
}

/** Formats a value for a message. */
function quoted(value: unknown): string {
  return shortened(jsonText(value), 80);
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // JSON of any depth can be parsed, but not of any depth stringified.
    return Array.isArray(value) ? 'a deeply nested list' : 'a deeply nested object';
  }
}
