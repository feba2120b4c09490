import type { ObjectKey } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Normalization } from '../forms/normalization.ts';

/** What belongs to an upload of a harvest (docs/internals/harvests.md). Uploads of users have none of it. */
export interface HarvestFields {
  /** The slug of the set of its records; absent: that of its stream. */
  readonly set?: string | undefined;
  /** After a full run: the records of the set that it does not mention are deleted. */
  readonly unmentioned?: 'deleted' | undefined;
  /** The user has accepted that a full run deletes many records: see drop.ts. */
  readonly acceptsDrop?: true | undefined;
  /** How its records are read, in place of the normalization of its organization. */
  readonly normalization?: Normalization | undefined;
}

/** Who sent an upload, or asked for a change. Shown to those who manage the organization alone. */
export interface Sender {
  /** Id of the token; absent on the command line. */
  readonly token?: string | undefined;
  /** Name of the token, or of the user of the operating system who ran a command. */
  readonly name?: string | undefined;
  /** Network address of the client; absent on the command line. */
  readonly address?: string | undefined;
}

/**
 * Makes a delivery of what earlier uploads of its stream have: their files are read again, in the order of their
 * numbers, without those that were removed (docs/internals/records.md, "Reading a stream again").
 */
interface ReadsAgain {
  /** The number of an upload that is removed: only the ids that it names are read. Absent: all ids are. */
  readonly removes?: number | undefined;
  /** Why, in the words of the person who asked for it. */
  readonly reason?: string | undefined;
}

/** Files that an organization delivered to a stream together. An upload never changes. */
export interface Upload extends HarvestFields {
  readonly organization: string;
  readonly stream: string;
  /** From 1, without gaps, in the order of arrival. */
  readonly number: number;
  /** Time when all of it was stored, in milliseconds since 1970: later than that of every lower number. */
  readonly received: number;
  /** The label that its sender gave it. */
  readonly name?: string | undefined;
  /** In the order of arrival; empty when the file is fetched from `url`. */
  readonly files: readonly UploadedFile[];
  /** The URL from which a job fetches the file, after the upload has its number: see `requireUrl`. */
  readonly url?: string | undefined;
  /** Absent when an earlier version recorded it. */
  readonly by?: Sender | undefined;
  readonly readsAgain?: ReadsAgain | undefined;
  /** A random text that identifies the process that recorded this upload. */
  readonly token: string;
}

/** An upload without the fields that its place in the stream adds. */
export type NewUpload = Omit<Upload, 'number' | 'received'>;

/** What identifies an upload. */
export type NamedUpload = Pick<Upload, 'organization' | 'stream' | 'number'>;

export interface UploadedFile {
  /** A label: other files, also of this upload, may have the same one. It is never used as a path. */
  readonly name: string;
  /** Bytes. */
  readonly length: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly artifact: ObjectKey;
}

export const MOST_FILES = 1_000;
/** Characters. */
export const MOST_FILE_NAME = 255;
export const MOST_UPLOAD_NAME = 200;
/** Characters of a URL. */
export const MOST_URL = 2_000;
const DIGITS = 9;

/** The id of the document in the catalog: ids sort as their numbers do. */
export function uploadId(organization: string, stream: string, number: number): string {
  return `${uploadsOf(organization, stream)}${String(number).padStart(DIGITS, '0')}`;
}

/** The fields of a harvest, as far as they have a value. */
export function harvestFieldsOf({ set, unmentioned, acceptsDrop, normalization }: HarvestFields): HarvestFields {
  return {
    ...(set !== undefined && { set }),
    ...(unmentioned !== undefined && { unmentioned }),
    ...(acceptsDrop !== undefined && { acceptsDrop }),
    ...(normalization !== undefined && { normalization }),
  };
}

/** @param field that contains the files */
export function tooManyFiles(field: string): TidemarkError {
  const message = `an upload has at most ${MOST_FILES} files: pack them, or send several uploads`;
  return new TidemarkError('invalid', message, { field });
}

/** Parses an id made by `uploadId`. */
export function parseUploadId(id: string): NamedUpload {
  const [organization = '', stream = '', number] = id.split('/');
  return { organization, stream, number: Number(number) };
}

/** The prefix of the ids of all uploads of a stream. */
export function uploadsOf(organization: string, stream: string): string {
  return `${organization}/${stream}/`;
}

/** @throws TidemarkError `not-found` for a text that is not the number of an upload */
export function parseUploadNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new TidemarkError('not-found', `there is no upload ${JSON.stringify(text.slice(0, 40))}: use its number`);
}

/** @throws TidemarkError `invalid` */
export function requireFileName(name: string): void {
  if (name !== '' && name !== '.' && name !== '..' && isLine(name, MOST_FILE_NAME) && !name.includes('/')) return;
  const message = `the name of a file has 1 to ${MOST_FILE_NAME} characters, none of them a slash or a control character`;
  throw new TidemarkError('invalid', `${JSON.stringify(name.slice(0, 80))} is not a valid file name: ${message}`, {
    field: 'filename',
  });
}

/** @throws TidemarkError `invalid` */
export function requireUploadName(name: string): void {
  if (isLine(name, MOST_UPLOAD_NAME)) return;
  const message = `the name of an upload is one line of at most ${MOST_UPLOAD_NAME} characters`;
  throw new TidemarkError('invalid', message, { field: 'name' });
}

/**
 * Checks a URL that a file is fetched from. A password is refused: others who can see the upload would read it.
 * @throws TidemarkError `invalid`
 */
export function requireUrl(text: string, example = 'https://example.org/new.mrc'): void {
  const problem = problemOfUrl(text, example);
  if (problem === undefined) return;
  throw new TidemarkError('invalid', `the url ${problem}`, { field: 'url' });
}

function problemOfUrl(text: string, example: string): string | undefined {
  if (text.length > MOST_URL) return `has more than ${MOST_URL} characters`;
  const url = URL.parse(text);
  if (url === null) return `is not a URL: write it as ${example}`;
  if (!/^https?:$/.test(url.protocol)) return `has the scheme ${url.protocol} use http: or https:`;
  return url.username || url.password
    ? 'has a name or a password: it would be stored. Send the file instead'
    : undefined;
}

/** A URL for display, without its query: that may be a signature, with which any reader could fetch the file. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function isLine(text: string, most: number): boolean {
  return text.length <= most && text.isWellFormed() && !/\p{Cc}/u.test(text);
}
