import type { DocumentSchemaId, RecordOf } from '../../artifacts/avro/avro-schemas.ts';
import type { Mimetype } from '../../artifacts/avro/mimetypes.ts';
import {
  documentProblem,
  type InputRecord,
  idProblem,
  MAX_RECORD_BYTES,
  mimetypeProblem,
  type RecordProblem,
} from '../input-item.ts';
import { contentProblem } from './document-content.ts';
import {
  type Transform,
  type TransformContext,
  TransformError,
  type TransformInput,
  type TransformOutput,
  type TransformResult,
} from './transform.ts';

/** Most characters of all documents that a transform makes of one record: they are copied from thread to thread. */
const MOST_OUTPUT = 16 * MAX_RECORD_BYTES;
const TOO_MUCH: RecordProblem = {
  kind: 'too-much-memory',
  message: `what the transform made: its documents have more than ${MOST_OUTPUT / 1024 ** 2} MB together`,
};

export type OutputRecord = RecordOf['OriginalRecord.v1'] | RecordOf['MAP.4_0.MAPRecord.v1'];

/** The output records of one record, or why it fails. */
export type Outputs = { readonly records: readonly OutputRecord[] } | { readonly problem: RecordProblem };

/** The required output. Plain values, so that a thread can receive them. */
export interface OutputTarget {
  readonly schema: DocumentSchemaId;
  readonly context: TransformContext;
}

/** The output of a record in a harvest: the record itself. */
export function harvestedRecord({ id, document, mimetype }: InputRecord, provider: string): Outputs {
  const problem = mimetypeProblem(mimetype);
  return problem === undefined
    ? { records: [{ id, provider, document, mimetype: mimetype as Mimetype }] }
    : { problem };
}

/** The output of a transform for a record, checked before it is written. */
export function outputOf(
  record: TransformInput,
  transform: Transform,
  { schema, context }: OutputTarget,
): Outputs | Promise<Outputs> {
  try {
    const result = transform.transform(record, context);
    return result instanceof Promise ? result.then((made) => checked(made, schema), failed) : checked(result, schema);
  } catch (error) {
    return failed(error);
  }
}

function checked(result: TransformResult, schema: DocumentSchemaId): Outputs {
  const given = Array.isArray(result) ? (result as readonly TransformOutput[]) : [result as TransformOutput];
  const records: OutputRecord[] = [];
  let length = 0;
  for (const output of given) {
    if (output === null || output === undefined) continue;
    const problem = outputProblem(output, schema);
    if (problem !== undefined)
      return { problem: { ...problem, message: `what the transform made: ${problem.message}` } };
    records.push({ id: output.id, document: output.document });
    length += output.document.length;
    if (length > MOST_OUTPUT) return { problem: TOO_MUCH };
  }
  return { records };
}

function outputProblem({ id, document }: TransformOutput, schema: DocumentSchemaId): RecordProblem | undefined {
  const problem = idProblem(id) ?? documentProblem(document);
  if (problem !== undefined) return problem;
  if (document.length * 3 > MAX_RECORD_BYTES && Buffer.byteLength(document) > MAX_RECORD_BYTES) {
    const message = `its document has more than ${MAX_RECORD_BYTES / 1024 ** 2} MB`;
    return { kind: 'document-too-long', message };
  }
  return contentProblem(schema, document);
}

/**
 * The message of V8 when recursion is too deep: readers, ours and those of libraries, recurse over nested documents.
 */
const STACK_OVERFLOW = 'Maximum call stack size exceeded';

function failed(error: unknown): Outputs {
  if (error instanceof RangeError && error.message === STACK_OVERFLOW) {
    return { problem: { kind: 'too-deep', message: 'the document is nested too deeply' } };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { problem: { kind: error instanceof TransformError ? error.kind : kindOf(error), message } };
}

/** A user's module can also set the kind of its errors. */
function kindOf(error: unknown): string {
  const kind = error instanceof Error && 'kind' in error ? error.kind : undefined;
  return typeof kind === 'string' && /^[a-z][a-z0-9-]{0,39}$/.test(kind) ? kind : 'transform';
}
