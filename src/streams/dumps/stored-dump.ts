import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { StreamName } from '../set-names.ts';

/**
 * A full dump of the records of a stream, or a delta: a document of the catalog, put when all of its files are stored.
 * It never changes, but for `removed`.
 *
 * A client that has taken a full dump applies every delta of a higher number, in order: then it has the state at the
 * boundary of each. Full dumps between them have nothing that it does not have already.
 */
export interface StreamDump extends StreamName {
  /** From 1, without gaps: the order of time. */
  readonly number: number;
  readonly kind: DumpKind;
  /** When it was complete, in milliseconds since 1970: in a later second than that of every lower number. */
  readonly at: number;
  /** Of a delta: the boundary that it begins at, the end of the delta before it, or of the first full dump. */
  readonly after?: Stamp;
  /** The boundary up to which it has every change. No upload was being applied there. */
  readonly until: Stamp;
  /** The set of records whose log it was made of, and the epoch of that. */
  readonly set: SetId;
  readonly epoch: number;
  readonly totals: DumpTotals;
  /** In the order of `DUMP_FILE_KINDS`; a delta has only those with something in them. */
  readonly files: readonly DumpFile[];
  /** By chance: which process has put it. */
  readonly token: string;
  /** When it was taken off the list, in milliseconds since 1970: its files are deleted a day later. */
  readonly removed?: number;
}

export const DUMP_KINDS = ['full', 'delta'] as const;
export type DumpKind = (typeof DUMP_KINDS)[number];

export interface DumpTotals {
  readonly records: number;
  /** Ids of records that are no more; 0 for a full dump. */
  readonly deletions: number;
  /** What could not be read in the uploads that were applied since the dump of its kind before. */
  readonly errata: number;
}

export const DUMP_FILE_KINDS = ['marc21', 'marcxml', 'deletes', 'errata'] as const;
export type DumpFileKind = (typeof DUMP_FILE_KINDS)[number];

export interface DumpFile {
  readonly kind: DumpFileKind;
  /** As POD has it: `lane-2026-11-24-full-marc21.mrc.gz`. Dumps of one day have files of one name. */
  readonly name: string;
  /** Bytes, packed. */
  readonly length: number;
  /** Hexadecimal, of the packed bytes. */
  readonly sha256: string;
  readonly mime: string;
  readonly artifact: ObjectKey;
}

const DIGITS = 9;
/** In place of a stream, which none can be called: its own ids begin with a letter or digit. */
const DEFAULT_STREAM = '-';

/** Of the document in the catalog: ids sort as their numbers do. */
export function dumpId({ number, ...name }: Pick<StreamDump, 'organization' | 'stream' | 'number'>): string {
  return `${dumpsOf(name)}${String(number).padStart(DIGITS, '0')}`;
}

/** What the ids of all dumps of a stream begin with; without a stream, of those of the default one. */
export function dumpsOf({ organization, stream = DEFAULT_STREAM }: StreamName): string {
  return `${organization}/${stream}/`;
}

/**
 * Where a file is in the set of dumps: below the number of its dump, so that keys ascend from oldest to newest, and no
 * two files have one. `000000012/lane-2026-11-24-full-marc21.mrc.gz`
 */
export function dumpFilePath({ number }: Pick<StreamDump, 'number'>, { name }: Pick<DumpFile, 'name'>): string {
  return `${String(number).padStart(DIGITS, '0')}/${name}`;
}

export const isListed = ({ removed }: Pick<StreamDump, 'removed'>): boolean => removed === undefined;

// As POD names them. Its media types are what Rails finds out; these are those of IANA.
const FILES: Readonly<Record<DumpFileKind, { readonly ending: string; readonly mime: string }>> = {
  marc21: { ending: 'marc21.mrc.gz', mime: 'application/gzip' },
  marcxml: { ending: 'marcxml.xml.gz', mime: 'application/gzip' },
  deletes: { ending: 'deletes.del.txt', mime: 'text/plain; charset=utf-8' },
  errata: { ending: 'errata.ndjson.gz', mime: 'application/gzip' },
};

/** The name and the media type of a file of a dump that was made at a time (milliseconds since 1970). */
export function nameFile(
  { organization, stream, kind, at }: Pick<StreamDump, 'organization' | 'stream' | 'kind' | 'at'>,
  file: DumpFileKind,
): Pick<DumpFile, 'kind' | 'name' | 'mime'> {
  const { ending, mime } = FILES[file];
  const day = new Date(at).toISOString().slice(0, 10);
  const owner = stream === undefined ? organization : `${organization}--${stream}`;
  return { kind: file, name: `${owner}-${day}-${kind}-${ending}`, mime };
}
