import { TidemarkError } from '../core/errors.ts';
import { SLUG } from '../core/resource-set.ts';
import { nearestName } from '../lib/nearest-name.ts';
import type { ActivitySchedule } from './activities/schedules.ts';
import { checkedReaders } from './checked-readers.ts';
import type { Normalization } from './forms/normalization.ts';
import { normalizationOf, RECORD_FILES } from './forms/record-forms.ts';
import type { MessageSettings } from './message-settings.ts';
import type { DumpSettings } from './stream-dump-settings.ts';

/** Contact for questions about the deliveries of an organization. */
export interface Contact {
  readonly name: string;
  readonly email?: string | undefined;
}

/** The fields of an organization that can be changed. */
export interface OrganizationFields {
  readonly title?: string | undefined;
  readonly contacts: readonly Contact[];
  /** What is added to its records when they are read; absent: nothing. */
  readonly normalization?: Normalization | undefined;
  /** Whether only some may read its deliveries, see organization-readers.ts; absent: everybody may. */
  readonly private?: boolean | undefined;
  /** Groups of tokens that may read it while it is private. */
  readonly readers?: readonly string[] | undefined;
}

/**
 * An organization that delivers files. One document of the catalog contains it with all of its streams, so that each
 * change is one compare-and-set: exactly one stream is the default, which receives uploads.
 */
export interface Organization extends OrganizationFields {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly created: number;
  /**
   * Made when an activity first ran for it, or a collection was added: it has no sets of its own until it has a stream
   * that is not of a collection. See provider.ts.
   */
  readonly withoutSets?: true;
  /** Absent as long as the organization has no stream. */
  readonly defaultStream?: string;
  /** In the order of their creation. */
  readonly streams: readonly Stream[];
  /** When activities run by themselves: at most one schedule for each. */
  readonly activities?: readonly ActivitySchedule[];
  /** Who gets a message when an upload has failed; absent: no reader does. */
  readonly messages?: MessageSettings | undefined;
  /** Settings of the dumps of the records of its default stream. */
  readonly dumps?: DumpSettings | undefined;
  /** Time when its removal began, in milliseconds since 1970, as `removed`: it accepts no change. */
  readonly removing?: number;
  /** Time when all that it had was removed. Its id is not used again. */
  readonly removed?: number;
}

/** The files that an organization has delivered, in the order of arrival. */
export interface Stream {
  readonly id: string;
  readonly title?: string | undefined;
  /** Milliseconds since 1970. */
  readonly created: number;
  /** Time when it was archived, in milliseconds since 1970: it then accepts no uploads. */
  readonly archived?: number | undefined;
  /** Settings of the dumps of its own records, whether it is the default or not. */
  readonly dumps?: DumpSettings | undefined;
  /** Of the stream of a collection, which harvests fill: the slug of its set, which is the id of the collection. */
  readonly set?: string | undefined;
  /** Time when its removal began, in milliseconds since 1970: it accepts no uploads and no change. */
  readonly removing?: number;
}

/** Characters of the ids of an organization and its stream: the id of the set `ORG--STREAM.uploads` has at most 64. */
const MOST_TOGETHER = 54;
/** Most characters of the id of an organization: its first stream, `main`, has four. */
export const MOST_OF_ORGANIZATION = 50;
/** Most characters of the id of a stream, of an organization with one character. */
export const MOST_OF_STREAM = MOST_TOGETHER - 1;
/** Most characters of the id of a collection, whose sets and files of NSDL have longer ones. */
export const MOST_OF_COLLECTION = 27;

/** Pattern of the endings of ids of sets: `lane.dumps.marcxml`. */
const ENDINGS_OF_SETS = `\\.(?:uploads|dumps(?:\\.(?:${RECORD_FILES.map(({ kind }) => kind).join('|')}))?)$`;

/** Pattern of an id, as in the description of the API; `problemOf` has a message for each part. */
export function idPattern(most: number): string {
  return `^(?!.*(?:\\.\\.|--))(?!.*${ENDINGS_OF_SETS})[a-z0-9](?:[a-z0-9._-]{0,${most - 2}}[a-z0-9])?$`;
}
export const MOST_STREAMS = 1_000;
const MOST_CONTACTS = 50;
export const MOST_TITLE = 500;
export const MOST_NAME = 200;
/** RFC 5321, 4.5.3.1: a path has at most 256 characters, two of which are brackets. */
const MOST_EMAIL = 254;
/** Pattern of a line without control characters, as in the description of the API. */
export const LINE = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';
export const EMAIL = /^[^\s@<>]+@[^\s@<>]+$/;

/** @throws TidemarkError `invalid` */
export function requireOrganizationId(id: string): void {
  requireId(id, 'organization', MOST_OF_ORGANIZATION);
}

/** @throws TidemarkError `invalid` */
export function requireStreamId(id: string, organization: string): void {
  requireId(id, 'stream', mostOfStream(organization));
}

/** Most characters of the id of a stream of an organization. */
export function mostOfStream(organization: string): number {
  return MOST_TOGETHER - organization.length;
}

/** Its stream has the same id. @throws TidemarkError `invalid` */
export function requireCollectionId(id: string): void {
  requireId(id, 'collection', MOST_OF_COLLECTION);
}

function requireId(id: string, field: keyof typeof AN, most: number): void {
  const isLong = id.length > most;
  const problem = isLong ? `it has more than ${most} character${most === 1 ? '' : 's'}${WHY[field]}` : problemOf(id);
  if (problem === undefined) return;
  throw new TidemarkError(
    'invalid',
    `${JSON.stringify(id.slice(0, 100))} is not a valid id of ${AN[field]}: ${problem}`,
    {
      field,
    },
  );
}

const OF_SETS = ', since the id of its set ORGANIZATION--STREAM.uploads has at most 64';
const WHY = { organization: OF_SETS, stream: OF_SETS, collection: '' };
const AN = { organization: 'an organization', stream: 'a stream', collection: 'a collection' };

function problemOf(id: string): string | undefined {
  if (!SLUG.test(id)) {
    return 'use lower-case letters, digits, ".", "_" or "-", beginning and ending with a letter or digit';
  }
  if (id.includes('--')) return 'it has "--", which is between organization and stream in the ids of sets';
  return new RegExp(ENDINGS_OF_SETS).test(id)
    ? 'its end is that of the sets of uploads and dumps: choose another one'
    : undefined;
}

/** Checks the fields, and trims titles and contacts. @throws TidemarkError `invalid` */
export function checkedFields(fields: OrganizationFields): OrganizationFields {
  const { title, contacts, normalization } = fields;
  if (contacts.length > MOST_CONTACTS) throw invalid('contacts', `there are more than ${MOST_CONTACTS} contacts`);
  return {
    ...checkedTitle(title),
    contacts: contacts.map(checkedContact),
    ...checkedReaders(fields),
    ...(normalization !== undefined && { normalization: normalizationOf(normalization.kind).checked(normalization) }),
  };
}

/** @throws TidemarkError `invalid` */
export function checkedTitle(title: string | undefined): { readonly title?: string } {
  const text = title?.trim() ?? '';
  if (text === '') return {};
  if (!isLine(text, MOST_TITLE)) throw invalid('title', `a title is one line of at most ${MOST_TITLE} characters`);
  return { title: text };
}

function checkedContact({ name, email }: Contact): Contact {
  const text = name.trim();
  if (text === '' || !isLine(text, MOST_NAME)) {
    throw invalid('contacts', `the name of a contact is one line of 1 to ${MOST_NAME} characters`);
  }
  if (email === undefined) return { name: text };
  if (email.length > MOST_EMAIL || !EMAIL.test(email)) {
    throw invalid('contacts', `${JSON.stringify(email.slice(0, 100))} is not an e-mail address`);
  }
  return { name: text, email };
}

function isLine(text: string, most: number): boolean {
  return text.length <= most && text.isWellFormed() && !/\p{Cc}/u.test(text);
}

function invalid(field: string, message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field });
}

/** @throws TidemarkError `not-found` */
export function streamOf({ id: organization, streams }: Organization, id: string): Stream {
  const found = streams.find((stream) => stream.id === id);
  if (found !== undefined) return found;
  const known = streams.map((stream) => stream.id);
  const text = `the organization ${organization} has no stream ${JSON.stringify(id.slice(0, 100))}`;
  throw notFound(text, nearestName(id, known), { organization, stream: id });
}

/**
 * The stream that receives an upload: the named one, or the default, which exists.
 * @param set that of the stream of a collection, which accepts only uploads of harvests: these know it
 * @throws TidemarkError `not-found`; `conflict` when it accepts no uploads
 */
export function receivingStream(organization: Organization, named: string | undefined, set?: string): string {
  const { id, defaultStream } = organization;
  const stream = named || defaultStream!;
  const found = streamOf(organization, stream);
  if (isBeingRemoved(organization, found)) throw beingRemoved(id, stream);
  if (found.set !== undefined && found.set !== set) throw ofCollection(id, found, 'takes no uploads');
  if (found.archived === undefined) return stream;
  const message = `the stream ${stream} of ${id} is archived: it takes no uploads`;
  throw new TidemarkError('conflict', message, { organization: id, stream });
}

/** A stream is removed by itself, or with its organization. */
function isBeingRemoved({ removing }: Organization, stream: Pick<Stream, 'removing'>): boolean {
  return removing !== undefined || stream.removing !== undefined;
}

/** @param stream absent: the whole organization is being removed */
export function beingRemoved(organization: string, stream?: string): TidemarkError {
  const what = stream === undefined ? `the organization ${organization}` : `the stream ${stream} of ${organization}`;
  const rest = stream === undefined ? 'cannot be changed' : 'takes no uploads, and cannot be changed';
  const details = { organization, ...(stream !== undefined && { stream }) };
  return new TidemarkError('conflict', `${what} is being removed: it ${rest}`, details);
}

export function wasRemoved(organization: string): TidemarkError {
  const message = `there was an organization "${organization}", which was removed: its id cannot be used again`;
  return new TidemarkError('conflict', message, { organization });
}

export function defaultStays(organization: string, stream: string): TidemarkError {
  const message = `the stream ${stream} is the default of ${organization}: make another one the default first, or remove the organization`;
  return new TidemarkError('conflict', message, { organization, stream });
}

/** @param whatNot what cannot be done with the stream of a collection: a verb, and what follows it */
export function ofCollection(organization: string, { id: stream, set }: Stream, whatNot: string): TidemarkError {
  const message = `the stream ${stream} of ${organization} ${whatNot}: it is filled by harvests ("tidemark harvest ${set}")`;
  return new TidemarkError('conflict', message, { organization, stream, collection: set });
}

export function notFound(text: string, meant: string | undefined, details: Record<string, unknown>): TidemarkError {
  return new TidemarkError('not-found', meant === undefined ? text : `${text}: did you mean "${meant}"?`, details);
}
