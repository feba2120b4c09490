import { z } from 'zod';
import type { ObjectKey } from '../artifacts/artifact-store.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

/** Format of a segment; unknown formats are refused. Format 1 has no orders. */
export const FORMAT = 2;
const FORMATS = [1, FORMAT] as const;

/** A file that a segment names. */
export interface ArchivedFile {
  readonly file: ObjectKey;
  readonly records: number;
  /** Bytes. */
  readonly length: number;
  readonly sha256: string;
  /** SHA-256 of the content of its records, in their order; see change-rows.ts and documents.ts. */
  readonly digest: string;
}

/** The last change of a log. */
export interface LastChange {
  readonly set: SetId;
  readonly key: string;
  readonly stamp: Stamp;
}

/**
 * A part of a log: all changes between two boundaries at which no commit was in progress, so only whole commits. It is
 * written after all of its files, under a key derived only from its number: the segment exists when this object exists,
 * and each number can be taken once.
 */
export interface SegmentMark {
  readonly format: (typeof FORMATS)[number];
  readonly number: number;
  readonly after: Stamp;
  readonly through: Stamp;
  /** Undefined when only the documents or the positions have changed. */
  readonly changes?: ArchivedFile | undefined;
  /** Keys whose order rose without a change; undefined when there are none. */
  readonly orders?: ArchivedFile | undefined;
  /** Number of changes of this segment and all before it. */
  readonly total: number;
  /** The last change of this segment or one before it; undefined before there is any. */
  readonly last?: LastChange | undefined;
  /** The catalog at the end of the segment; perhaps a file that an earlier segment has written. */
  readonly documents: ArchivedFile;
  /** The position of each source, never beyond the changes. */
  readonly positions: ArchivedFile;
  /** Time when it was written: RFC 3339. */
  readonly written: string;
  /** Version of the program that wrote it. */
  readonly version: string;
}

const stamp = z.int().min(0);
const file = z.object({
  file: z.string(),
  records: z.int().min(0),
  length: z.int().min(0),
  sha256: z.string(),
  digest: z.string(),
});

export const SEGMENT_MARK: z.ZodType<SegmentMark> = z.object({
  format: z.literal(FORMATS, { error: 'it was written by a newer version: use that' }),
  number: z.int().min(1),
  after: stamp,
  through: stamp,
  changes: file.optional(),
  orders: file.optional(),
  total: z.int().min(0),
  last: z.object({ set: z.int(), key: z.string(), stamp }).optional(),
  documents: file,
  positions: file,
  written: z.string(),
  version: z.string(),
});
