import type { Erratum } from '../errata/erratum.ts';
import type { Fault } from '../errata/fault.ts';
import type { MetadataFormat } from '../metadata-format.ts';
import type { FaultyRecord, ReadableField } from '../readable/readable-record.ts';
import type { Normalization, NormalizationKind } from './normalization.ts';

/**
 * PORT. What records are written in, and all that follows from it. A form is a folder beside this file, and a row in
 * record-forms.ts. Rows are small: what reads or writes files is loaded when it is used, since all processes have the
 * rows.
 */
export interface RecordForm {
  /** For users. */
  readonly title: string;
  /** The kinds of its files. */
  readonly fileKinds: readonly FileKind[];
  /** Without it, its files only delete, and count before all others of their upload. */
  readonly records?: StoredRecords;
  /** It is asked only about files that no other form recognizes: plain text may be anything. */
  readonly isLastResort?: true;

  /**
   * The kind of a file; or the reason why it cannot be read, although it begins as a file of this form: a sentence
   * without a full stop, with advice. Another form may still know it. Undefined when it is not of this form.
   */
  identify(file: FileBeginning): Promise<FileIdentity | undefined>;
}

export interface FileBeginning {
  /** In its package, or as it was sent. */
  readonly name: string;
  readonly head: Buffer;
  /** Whether the file ends with `head`. */
  readonly isWhole: boolean;
  /** The first bytes, more than `head` has. */
  peek(bytes: number): Promise<Buffer>;
}

export type FileIdentity = { readonly kind: string } | { readonly problem: string };

export interface FileKind {
  /** As the API and stored documents name it. No other form has the same. */
  readonly name: string;
  /** For users. */
  readonly title: string;
  /** What the numbers of its errata count. */
  readonly unit: 'record' | 'line';

  /**
   * Converts the bytes of a file before they are read; the first chunk contains what was peeked at.
   * @throws DamagedFile for bytes that cannot be converted: what comes before is read nevertheless
   */
  decode?(bytes: AsyncIterable<Buffer>): AsyncIterable<Buffer>;

  /**
   * Reads a file as it arrives. Each batch contains what could be read so far, in the order of the file; it is never
   * empty. Every fault of the file is an erratum, which does not affect the records around it. The chunks must not
   * change afterwards, because records may refer to their bytes.
   * @param normalization of the organization, or how a harvest reads; a kind of another form changes nothing
   * @param shared the same for all files of one delivery; its caller closes what a form opened
   * @throws what `chunks` throws; TidemarkError `invalid` when the whole delivery fails
   */
  read(
    chunks: AsyncIterable<Uint8Array>,
    normalization: Normalization | undefined,
    shared?: SharedByFiles,
  ): AsyncGenerator<readonly ReadItem[], void, undefined>;

  /**
   * Reads a record of a file for people, as far as that is possible: it may be one that `read` could not read.
   * @param bytes of the file, decoded, from the offset of the record on; they may break off within it
   */
  readFaulty(bytes: Buffer): Promise<FaultyRecord>;
}

/** What a form keeps for all files of one delivery, such as the thread of a transform. */
export interface SharedByFiles {
  opened?: { close(): void };
}

export type ReadItem = ReadRecord | DeletedId | ReadErratum;

interface Place {
  /** The number of the record, or of the line, in its file, counted from 1. */
  readonly ordinal: number;
  /** Number of bytes before it in the unpacked file. */
  readonly offset: number;
}

/** A record that can be stored, and be written in all ways of its form. */
export interface ReadRecord extends Place {
  readonly kind: 'record';
  /** Without white space around it; never empty. See record-id.ts. */
  readonly id: string;
  /** Whether the record is a deletion. */
  readonly deleted: boolean;
  /** As it is stored: UTF-8, and never empty, since an empty one deletes. */
  readonly record: {
    readonly bytes: Uint8Array;
    /** Computed when it is read: for people. */
    readonly title?: string | undefined;
  };
  /** What was repaired or left out, or what else its sender should know: as `ReadErratum.reason`. */
  readonly warning?: string;
  /** Of the first warning. */
  readonly fault?: Fault | undefined;
}

/** The id of a record to delete. */
export interface DeletedId extends Place {
  readonly kind: 'deletion';
  readonly id: string;
}

/**
 * A part of the file that could not be read; or a warning about a record that was read. The records before and after it
 * are not affected.
 */
export interface ReadErratum extends Place {
  readonly kind: 'erratum';
  /** The id of the record, where it could be read. */
  readonly id?: string;
  /** The title of the record, as far as it could be read. */
  readonly title?: string | undefined;
  /** The fault, its place, and what was expected, in words of the catalog: a sentence without a full stop. */
  readonly reason: string;
  readonly fault: Fault;
  /** Present when the record was read. */
  readonly warning?: true;
}

/** The warning of a record, as it is listed. */
function warningOf({ ordinal, offset, id, record, warning, fault }: ReadRecord): ReadErratum | undefined {
  if (warning === undefined || fault === undefined) return undefined;
  return { kind: 'erratum', ordinal, offset, id, title: record.title, reason: warning, fault, warning: true };
}

/** An erratum, or the warning of a record, as files of errata have it, without the file that it is in. */
export function listedErratum(item: ReadItem): Erratum | undefined {
  const erratum = item.kind === 'record' ? warningOf(item) : item;
  if (erratum?.kind !== 'erratum') return undefined;
  const { kind: _, fault, ...listed } = erratum;
  return { ...listed, ...fault };
}

/** A record with another warning behind those that it has. */
export function withWarning<Read extends ReadRecord>(record: Read, warning: string, fault: Fault): Read {
  if (record.warning === undefined) return { ...record, warning, fault };
  return { ...record, warning: `${record.warning}; ${warning}` };
}

/** How records are stored, published, and written into files. */
export interface StoredRecords {
  /** The stored bytes, which the lists describe. No other form has the same media type. */
  readonly stored: Representation;
  /** What a client may request instead. */
  readonly rendered: readonly RenderedRepresentation[];
  /** The files of records that a dump consists of. */
  readonly files: readonly RecordFile[];
  /** The one that people can read. */
  readonly readable: RecordFile;
  /** What an organization may have added to its records. */
  readonly normalizations: readonly NormalizationKind[];
  /** The metadata formats in which OAI-PMH serves the records. Absent when records say themselves what they are. */
  readonly servedFormats?: () => Promise<readonly ServedFormat[]>;
  /** The fields of a record, for people. */
  readFields(document: Buffer): Promise<readonly ReadableField[]>;
  /** What activities read of a record; absent: its first representation that is text. */
  readonly input?: RecordInput;

  /**
   * The http, https and ftp URIs of what a record describes, each once, in the order of the record. It is called for
   * each record that is delivered, in the thread that hashes it, and never throws. Absent: the state of a record has no
   * links.
   */
  describedUris?(document: Buffer): readonly string[];
}

export interface ServedFormat {
  readonly format: MetadataFormat;
  /** Writes the metadata of a record as an element that declares its namespaces. */
  write(document: Buffer): string;
}

interface RecordInput {
  /** One of the media types of documents of activities: see artifacts/avro/mimetypes.ts. */
  readonly mime: string;
  /** @throws Error for a record that has no such text: it is an erratum of the run */
  render(document: Buffer): Buffer | Promise<Buffer>;
}

interface Representation {
  readonly mime: string;
  /** Follows the URI of a record, to request just this. */
  readonly suffix: string;
  /** Further media types in an `Accept` header that select it. */
  readonly alsoAsked?: readonly string[];
}

interface RenderedRepresentation extends Representation {
  /** Changes when the same record is rendered as different bytes. */
  readonly version: string;
  render(document: Buffer): Promise<Buffer>;
}

export interface RecordFile {
  /** As the API and the names of files have it. No other form has the same. */
  readonly kind: string;
  /** For users. */
  readonly title: string;
  readonly suffix: string;
  /** Opens a file without records. @param write copies the bytes before it returns */
  openWriter(write: (bytes: Buffer) => void): Promise<RecordWriter>;
}

/** Both write what is complete. After `end`, all of the file was written. */
export interface RecordWriter {
  add(document: Buffer): void;
  end(): void;
}
