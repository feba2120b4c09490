import type { Mimetype } from '../avro/mimetypes.ts';
import type { RecordOf } from '../avro/schemas.ts';
import {
  documentProblem,
  type InputRecord,
  idProblem,
  MAX_RECORD_BYTES,
  mimetypeProblem,
  type RecordProblem,
} from './input-item.ts';
import {
  type Transform,
  type TransformContext,
  TransformError,
  type TransformOutput,
  type TransformResult,
} from './transforms/transform.ts';

export type OutputRecord = RecordOf['OriginalRecord.v1'] | RecordOf['MAP.4_0.MAPRecord.v1'];

/** The records that one record becomes, or why it fails. */
export type Outputs = { readonly records: readonly OutputRecord[] } | { readonly problem: RecordProblem };

interface Options {
  readonly transform: Transform | undefined;
  readonly context: TransformContext;
}

/** What becomes of a record: of a harvest the record itself; else what the transform makes, when it is fit to be written. */
export function outputsOf(record: InputRecord, { transform, context }: Options): Outputs | Promise<Outputs> {
  const { id, document, mimetype } = record;
  if (transform === undefined) {
    const problem = mimetypeProblem(mimetype);
    if (problem !== undefined) return { problem };
    return { records: [{ id, provider: context.provider, document, mimetype: mimetype as Mimetype }] };
  }
  try {
    const result = transform.transform({ id, document, mimetype }, context);
    return result instanceof Promise ? result.then(checked, failed) : checked(result);
  } catch (error) {
    return failed(error);
  }
}

function checked(result: TransformResult): Outputs {
  const given = Array.isArray(result) ? (result as readonly TransformOutput[]) : [result as TransformOutput];
  const records: OutputRecord[] = [];
  for (const output of given) {
    if (output === null || output === undefined) continue;
    const problem = outputProblem(output);
    if (problem !== undefined)
      return { problem: { ...problem, message: `what the transform made: ${problem.message}` } };
    records.push({ id: output.id, document: output.document });
  }
  return { records };
}

function outputProblem({ id, document }: TransformOutput): RecordProblem | undefined {
  const problem = idProblem(id) ?? documentProblem(document);
  if (problem !== undefined) return problem;
  if (document.length * 3 > MAX_RECORD_BYTES && Buffer.byteLength(document) > MAX_RECORD_BYTES) {
    const message = `its document has more than ${MAX_RECORD_BYTES / 1024 ** 2} MB`;
    return { kind: 'document-too-long', message };
  }
  return undefined;
}

function failed(error: unknown): Outputs {
  const message = error instanceof Error ? error.message : String(error);
  return { problem: { kind: error instanceof TransformError ? error.kind : kindOf(error), message } };
}

/** A module of somebody else can give its errors a kind, too. */
function kindOf(error: unknown): string {
  const kind = error instanceof Error && 'kind' in error ? error.kind : undefined;
  return typeof kind === 'string' && /^[a-z][a-z0-9-]{0,39}$/.test(kind) ? kind : 'transform';
}
