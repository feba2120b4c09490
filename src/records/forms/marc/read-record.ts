import type { Fault } from '../../errata/fault.ts';
import type { ReadErratum, ReadRecord as ReadRecordOfForm } from '../record-form.ts';
import type { MarcRecord } from './marc-record.ts';

/**
 * `readMarc21` (`read-marc21.ts`) and `readMarcXml` (`read-marcxml.ts`) read a file of MARC records as `FileKind.read`
 * promises. A record of several physical records counts once.
 */
export type ReadMarc = (chunks: AsyncIterable<Uint8Array>) => AsyncGenerator<readonly ReadRecord[], void, undefined>;

export type ReadRecord = GoodRecord | ReadErratum;

export interface GoodRecord extends ReadRecordOfForm {
  /** Its field 001 without the white space around it; never empty. */
  readonly id: string;
  /** Whether the record is a deletion: `d` in leader/05. */
  readonly deleted: boolean;
  readonly record: MarcRecord;
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
  /** Of the reason, or of the first thing that was repaired. */
  readonly fault?: Fault | undefined;
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
  /** Its title, as far as it can be read. */
  readonly title?: string | undefined;
  readonly reason: string;
  readonly fault: Fault;
}
