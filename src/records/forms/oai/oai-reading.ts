import type { Normalization } from '../normalization.ts';

/**
 * How the responses of one harvest are read. An upload of a harvest has it in place of the normalization of its
 * organization. Without it, as in uploads of users, each fault is an erratum.
 */
export interface OaiReading extends Normalization {
  readonly kind: 'oai';
  /** The prefix of the metadata format that was requested. */
  readonly format: string;
  /** Its namespace, where the repository has said it: records in another one are not what was requested. */
  readonly namespace?: string | undefined;
  /** What each record is transformed with: see transforms/xml-transform.ts. */
  readonly transform?: string | undefined;
  /** The folder of files that the transform names. */
  readonly folder?: string | undefined;
  /** Milliseconds that the transform of one record may take. */
  readonly recordTimeoutMs?: number | undefined;
  /** What XML that is not well-formed does: it fails the upload, or is an erratum of its record. */
  readonly malformed: 'stop' | 'skip';
  /** Whether the metadata is checked by the schema of its format. */
  readonly validate?: boolean | undefined;
  /** Whether a record without a http, https or ftp identifier is an erratum. */
  readonly requireUri?: boolean | undefined;
  /** The requested setSpecs; absent or empty: all. */
  readonly sets?: readonly string[] | undefined;
  /** The handle of the collection at NSDL. */
  readonly handle?: string | undefined;
}

export function oaiReadingOf(normalization: Normalization | undefined): OaiReading | undefined {
  return normalization?.kind === 'oai' ? (normalization as OaiReading) : undefined;
}
