import { TidemarkError } from '../../core/errors.ts';
import { mendedUri } from '../../core/key.ts';
import type { Stamp } from '../../core/stamp.ts';
import { codeOfProblem, parseDatetime } from '../../core/w3c-datetime.ts';
import { excerpt } from '../../lib/excerpt.ts';
import type { Rejection } from '../rejection.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A document of the OpenMinTeD protocol, in the shape of a posted event. */
export interface SourceDocument {
  readonly kind: 'resource' | 'change';
  /** The name of its set. */
  readonly setName: string;
  /** Input for posted-event.ts. */
  readonly event: Fields;
  /**
   * Time of the change, or when the resource document was written; undefined when a resource document does not contain
   * it.
   */
  readonly time: Stamp | undefined;
  /** Time when it was written; 0 when the document does not contain it. */
  readonly written: Stamp;
  /** Fields that are not part of the protocol. */
  readonly leftOut: readonly string[];
}

const KINDS = ['resource', 'change', 'tombstone'] as const;
const EVENT_FIELDS = ['location', 'change', 'length', 'md5', 'hash', 'mime', 'lastmod', 'ln'];
const OTHER_FIELDS = ['resource_set', 'datetime', 'timestamp', 'doc_type'];

/**
 * Reads a document, or returns why it cannot be read; undefined for a document that is neither a resource nor a change.
 * Values are checked in posted-event.ts.
 * @param now microseconds since 1970: later times are rejected
 * @throws TidemarkError `invalid` for a document that Tidemark wrote
 */
export function readDocument(source: unknown, now: Stamp): SourceDocument | Rejection | undefined {
  if (!isObject(source)) return rejected('no-source', 'the index does not store _source, which would contain it');
  const fields = withoutNesting(source);
  requireForeign(fields);
  const kind = kindOf(fields);
  if (kind === 'tombstone') return undefined;
  const setName = textOf(fields.resource_set);
  if (setName === undefined) return rejected('missing-field', 'resource_set is missing', 'resource_set');
  const written = timeOf(fields.timestamp, now);
  const time = kind === 'change' && fields.datetime !== undefined ? timeOf(fields.datetime, now) : written;
  if (kind === 'change' && typeof time === 'string') return badTime(fields, time);
  const leftOut: string[] = [];
  return {
    kind,
    setName,
    event: toEvent(fields, kind, leftOut),
    time: typeof time === 'number' ? time : undefined,
    written: typeof written === 'number' ? written : 0,
    leftOut,
  };
}

export function isRejected(read: SourceDocument | Rejection): read is Rejection {
  return 'status' in read;
}

/**
 * An array of one means its value, as nested objects may be written so; null, an empty text or an empty array mean no
 * value.
 */
function withoutNesting(source: Fields): Fields {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(source)) {
    const single = singleOf(value);
    if (single !== undefined) fields[name] = single;
  }
  return fields;
}

function kindOf({ doc_type, type, change }: Fields): (typeof KINDS)[number] {
  const named = KINDS.find((kind) => kind === doc_type) ?? KINDS.find((kind) => kind === type);
  return named ?? (change === undefined ? 'resource' : 'change');
}

function toEvent(fields: Fields, kind: SourceDocument['kind'], leftOut: string[]): SourceDocument['event'] {
  const isKnown = (name: string) => OTHER_FIELDS.includes(name) || (name === 'type' && kind === fields.type);
  const { order: givenOrder, ...others } = fields;
  const order = toNumber(givenOrder);
  // The protocol has no such field: a text is something else.
  const isOrder = typeof order === 'number';
  if (givenOrder !== undefined && !isOrder) leftOut.push('order');
  const event = pick(others, EVENT_FIELDS, (name) => {
    if (!isKnown(name)) leftOut.push(name);
  });
  const location = toLocation(fields.location, 'location', leftOut);
  const ln = listOf(fields.ln)?.map((link) => toLink(link, leftOut));
  const change = kind === 'resource' ? 'updated' : fields.change;
  return { ...event, location, change, length: toNumber(fields.length), ln, ...(isOrder && { order }) };
}

function toLink(value: unknown, leftOut: string[]): unknown {
  if (!isObject(value)) return value;
  const link = pick(withoutNesting(value), ['rel', 'href', 'mime'], (name) => leftOut.push(`ln.${name}`));
  return { ...link, href: toLocation(link.href, 'ln.href', leftOut) };
}

function toLocation(value: unknown, field: string, leftOut: string[]): unknown {
  if (!isObject(value)) return value;
  const location = pick(withoutNesting(value), ['value', 'type'], (name) => leftOut.push(`${field}.${name}`));
  const { type, value: text } = location;
  return type === 'url' && typeof text === 'string' ? { ...location, value: mendedUri(text) } : location;
}

/** Elasticsearch accepts numbers as texts, and stores them as texts. */
function toNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
}

function timeOf(value: unknown, now: Stamp): Stamp | string {
  if (value === undefined) return 'missing-field';
  const time = typeof value === 'string' ? parseDatetime(value) : 'not a W3C datetime';
  if (typeof time === 'string') return codeOfProblem(time);
  if (time > now) return 'datetime-in-future';
  // Stamps of changes are even.
  return time < 2 ? 'datetime-before-1970' : time - (time % 2);
}

function badTime({ datetime, timestamp }: Fields, code: string): Rejection {
  const field = datetime === undefined ? 'timestamp' : 'datetime';
  const value = datetime ?? timestamp;
  if (value === undefined) return rejected(code, 'datetime is missing, and timestamp too', 'datetime');
  const message = `${field} is ${excerpt(value)}: a change needs a time from 1970 to now, such as 2017-02-03T12:25:00+0000`;
  return rejected(code, message, field);
}

function requireForeign({ doc_type, order, stamp }: Fields): void {
  if (doc_type === undefined || typeof order !== 'string' || typeof stamp !== 'number') return;
  throw new TidemarkError(
    'invalid',
    'Tidemark itself wrote this index: name its server in TIDEMARK_STORE, and there is nothing to import',
  );
}

function pick(fields: Fields, names: readonly string[], other: (name: string) => void): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (names.includes(name)) picked[name] = value;
    else other(name);
  }
  return picked;
}

function singleOf(value: unknown): unknown {
  const values = (Array.isArray(value) ? value : [value]).filter((one) => one !== null && one !== '');
  return values.length > 1 ? values : values[0];
}

function listOf(value: unknown): readonly unknown[] | undefined {
  return value === undefined || Array.isArray(value) ? value : [value];
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function rejected(code: string, message: string, field?: string): Rejection {
  return { status: 'rejected', code, message, ...(field !== undefined && { field }) };
}
