import type { FieldBytes } from './iso2709.ts';
import type { MarcRecord } from './marc-record.ts';

/** A physical record of MARC21, or an element `record` of MARCXML. */
export type Part = GoodPart | BadPart;

interface PartPlace {
  readonly offset: number;
  /** Leader/06. */
  readonly type: number | undefined;
  /** Bytes in the file, about. */
  readonly length: number;
  /** What was repaired in it. */
  readonly warning?: string | undefined;
}

export interface GoodPart extends PartPlace {
  readonly id: string;
  readonly deleted: boolean;
  readonly record: MarcRecord;
  readonly reason?: undefined;
}

/** One that cannot be read; its id may be known. */
export interface BadPart extends PartPlace {
  readonly id: string | undefined;
  readonly reason: string;
}

/** Whether it is one of the fields up to 840: those behind it are of holdings and items, or local. */
export const isBibliographic = ({ tag }: FieldBytes): boolean => tag <= '840';

/** A text that only equal fields have. */
export const textOf = ({ tag, bytes }: FieldBytes): string => tag + bytes.toString('latin1');
