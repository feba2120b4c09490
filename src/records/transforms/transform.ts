import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import type { Activity } from '../../artifacts/keys/activity.ts';

/**
 * Makes records from records: one in, any number out, or an error. A module named on the command line exports this as
 * its default, or its parts by name; a function as default is used as `transform`. docs/artifacts.md contains an
 * example.
 */
export interface Transform {
  /** The name in messages, summaries and the `doc` of files. */
  readonly name: string;
  /** The schema of its output, for activities with several possible schemas. */
  readonly schema?: DerivedSchema | undefined;
  /**
   * Called for one record after the other. Returning no output leaves the record out; an error makes only this record
   * fail.
   */
  transform(record: TransformInput, context: TransformContext): TransformResult | Promise<TransformResult>;
}

export type DerivedSchema = Exclude<DocumentSchemaId, 'OriginalRecord.v1'>;

export interface TransformInput {
  readonly id: string;
  readonly document: string;
  /** `application/xml`, `application/json` or `text/turtle`; undefined for records that were mapped before. */
  readonly mimetype?: string | undefined;
}

export interface TransformContext {
  readonly provider: string;
  readonly activity: Activity;
  /** The key of the file that contains the records. */
  readonly generator: string;
}

export interface TransformOutput {
  readonly id: string;
  readonly document: string;
}

export type TransformResult = TransformOutput | readonly TransformOutput[] | null | undefined;

/** Why a record cannot be transformed; other errors are counted as `transform`. */
export class TransformError extends Error {
  /** A word to count by, such as `missing-field`. */
  readonly kind: string;

  constructor(kind: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TransformError';
    this.kind = kind;
  }
}
