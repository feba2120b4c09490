import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { RECORD_FILES } from '../forms/record-forms.ts';
import type { StreamName } from '../stream-set-names.ts';

/**
 * A full dump of the records of a stream, or a delta: a document of the catalog, put when all of its files are stored.
 * It never changes, except for `removed`.
 *
 * A client that has fetched a full dump applies every delta of a higher number, in order, and then has the state at the
 * boundary of each. It can skip the full dumps in between.
 */
export interface StreamDump extends StreamName {
  /** From 1, without gaps, in the order of time. */
  readonly number: number;
  readonly kind: DumpKind;
  /** Time of completion, in milliseconds since 1970. Its second is later than that of every lower number. */
  readonly at: number;
  /**
   * For a delta: the boundary at which it begins, which is the end of the delta before it, or of the first full dump.
   */
  readonly after?: Stamp;
  /** The boundary up to which the dump contains every change. No upload was being applied there. */
  readonly until: Stamp;
  /** The set of records from whose log the dump was made, and its epoch. */
  readonly set: SetId;
  readonly epoch: number;
  readonly totals: DumpTotals;
  /** In the order of `DUMP_FILE_KINDS`; a delta has only the files that are not empty. */
  readonly files: readonly DumpFile[];
  /** A random text that identifies the process that put this document. */
  readonly token: string;
  /** Time when the dump was removed from the list, in milliseconds since 1970: its files are deleted a day later. */
  readonly removed?: number;
}

export const DUMP_KINDS = ['full', 'delta'] as const;
export type DumpKind = (typeof DUMP_KINDS)[number];

interface DumpTotals {
  readonly records: number;
  /** Number of ids of deleted records; 0 for a full dump. */
  readonly deletions: number;
  /** Number of errata of the uploads that were applied since the previous dump of the same kind. */
  readonly errata: number;
}

export const DUMP_FILE_KINDS: readonly string[] = [...RECORD_FILES.map(({ kind }) => kind), 'deletes', 'errata'];

export interface DumpFile {
  /** One of `DUMP_FILE_KINDS`. */
  readonly kind: string;
  /** Named as in POD: `lane-2026-11-24-full-marc21.mrc.gz`; see `namingOf`. */
  readonly name: string;
  /** Packed bytes. */
  readonly length: number;
  /** SHA-256 of the packed bytes, hexadecimal. */
  readonly sha256: string;
  /** MD5, likewise; absent when an earlier version made the dump. */
  readonly md5?: string;
  readonly mime: string;
  readonly artifact: ObjectKey;
}

const DIGITS = 9;
/** Used in place of a stream id. No stream has this id, since those begin with a letter or digit. */
const DEFAULT_STREAM = '-';

/** The id of the document in the catalog: ids sort as their numbers do. */
export function dumpId({ number, ...name }: Pick<StreamDump, 'organization' | 'stream' | 'number'>): string {
  return `${dumpsOf(name)}${String(number).padStart(DIGITS, '0')}`;
}

/** The prefix of the ids of all dumps of a stream; without a stream, of the dumps of the default stream. */
export function dumpsOf({ organization, stream = DEFAULT_STREAM }: StreamName): string {
  return `${organization}/${stream}/`;
}

/**
 * The path of a file in the set of dumps: below the number of its dump, so that keys ascend from oldest to newest, and
 * no two files have the same path. For instance `000000012/lane-2026-11-24-full-marc21.mrc.gz`
 */
export function dumpFilePath({ number }: Pick<StreamDump, 'number'>, { name }: Pick<DumpFile, 'name'>): string {
  return `${String(number).padStart(DIGITS, '0')}/${name}`;
}

export const isListed = ({ removed }: Pick<StreamDump, 'removed'>): boolean => removed === undefined;

// Named as in POD. POD uses the media types that Rails detects; these are those of IANA.
const GZIP = 'application/gzip';
const FILES: Readonly<Record<string, { readonly ending: string; readonly mime: string }>> = {
  ...Object.fromEntries(RECORD_FILES.map(({ kind, suffix }) => [kind, { ending: `${kind}${suffix}.gz`, mime: GZIP }])),
  deletes: { ending: 'deletes.del.txt', mime: 'text/plain; charset=utf-8' },
  errata: { ending: 'errata.ndjson.gz', mime: GZIP },
};

/**
 * The names and the media types of the files of a dump. The first dump of its kind on a day has the name of POD; later
 * ones have the time, too, which sorts behind it: `lane-2026-11-24T150000Z-delta-…`.
 * @param at the time of the dump, milliseconds since 1970 @param before the dumps before it
 */
export function namingOf(
  { organization, stream, kind, at }: Pick<StreamDump, 'organization' | 'stream' | 'kind' | 'at'>,
  before: readonly Pick<StreamDump, 'kind' | 'at'>[],
): (file: string) => Pick<DumpFile, 'kind' | 'name' | 'mime'> {
  const time = new Date(at).toISOString().replaceAll(/:|\.\d+/g, '');
  const day = dayOf(at);
  const isFirst = !before.some((dump) => dump.kind === kind && dayOf(dump.at) === day);
  const owner = stream === undefined ? organization : `${organization}--${stream}`;
  return (file) => {
    const { ending, mime } = FILES[file]!;
    return { kind: file, name: `${owner}-${isFirst ? day : time}-${kind}-${ending}`, mime };
  };
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}
