import type { MarcRecord } from './marc-record.ts';

/**
 * `readMarc21` (`read-marc21.ts`) and `readMarcXml` (`read-marcxml.ts`) read a file of MARC records as it arrives. Each
 * batch contains the records and errata that could be read so far, in the order of the file; it is never empty. A
 * reader throws only what `chunks` throws: every fault of the file is an erratum. The chunks must not change
 * afterwards, because records refer to their bytes.
 */
export type ReadMarc = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<readonly ReadRecord[], void, undefined>;

export type ReadRecord = GoodRecord | Erratum;

interface RecordPosition {
  /** The number of the record in its file, counted from 1. A record of several physical records counts once. */
  readonly ordinal: number;
  /** Number of bytes before the record in the unpacked file. */
  readonly offset: number;
}

/** A record that can be stored, and written in both formats. */
export interface GoodRecord extends RecordPosition {
  readonly kind: 'record';
  /** Its field 001 without the white space around it; never empty. */
  readonly id: string;
  /** Whether the record is a deletion: `d` in leader/05. */
  readonly deleted: boolean;
  readonly record: MarcRecord;
  /** What was repaired or left out, or what else its sender should know: as `Erratum.reason`. */
  readonly warning?: string;
}

/**
 * A part of the file that could not be read; or a warning about a record that was read. The records before and after it
 * are not affected.
 */
export interface Erratum extends RecordPosition {
  readonly kind: 'erratum';
  /** The id of the record, where it could be read. */
  readonly id?: string;
  /** The fault, its place, and what was expected: a sentence without a full stop. */
  readonly reason: string;
  /** Present when the record was read. */
  readonly warning?: true;
}

/** A physical record of MARC21, or an element `record` of MARCXML. */
export type MarcPart = GoodMarcPart | BadMarcPart;

interface MarcPartFacts {
  readonly offset: number;
  /** Leader/06. */
  readonly type: number | undefined;
  /** Bytes in the file, about. */
  readonly length: number;
  /** What was repaired in it. */
  readonly warning?: string | undefined;
}

export interface GoodMarcPart extends MarcPartFacts {
  readonly id: string;
  readonly deleted: boolean;
  readonly record: MarcRecord;
  readonly reason?: undefined;
}

/** One that cannot be read; its id may be known. */
export interface BadMarcPart extends MarcPartFacts {
  readonly id: string | undefined;
  readonly reason: string;
}

/** The warning of a record, as it is listed. */
export function warningOf({ ordinal, offset, id, warning }: GoodRecord): Erratum | undefined {
  return warning === undefined ? undefined : { kind: 'erratum', ordinal, offset, id, reason: warning, warning: true };
}

/** A record with another warning behind those that it has. */
export function withWarning(record: GoodRecord, warning: string): GoodRecord {
  return { ...record, warning: record.warning === undefined ? warning : `${record.warning}; ${warning}` };
}
