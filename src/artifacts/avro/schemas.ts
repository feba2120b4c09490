import type { Mimetype } from './mimetypes.ts';

/**
 * The schemas that artifacts have: full names without `la.dp.avro.`, as they are in keys. The first four are the
 * source's, the others ours.
 */
export const SCHEMA_IDS = [
  'OriginalRecord.v1',
  'MAP.3_1.IndexRecord.v1',
  'MAP.4_0.MAPRecord.v1',
  'MAP.4_0.IndexRecord.v1',
  'DeletedRecord.v1',
  'stream.Record.v1',
  'log.Change.v1',
  'log.Change.v2',
  'log.Order.v1',
  'log.CatalogDocument.v1',
  'log.Position.v1',
] as const;
export type SchemaId = (typeof SCHEMA_IDS)[number];

/** Schemas of records that have an id and a document. */
export type DocumentSchemaId = Exclude<SchemaId, 'DeletedRecord.v1' | `log.${string}`>;

/** A record as it was harvested. */
export interface OriginalRecord {
  readonly id: string;
  readonly provider: string;
  /** Exactly as the provider gave it. */
  readonly document: string;
  readonly mimetype: Mimetype;
}

/**
 * A record that a mapping, an enrichment or an indexing made: JSON text for an IndexRecord of MAP 3.1, else MAP 4.0 as
 * RDF.
 */
export interface DerivedRecord {
  readonly id: string;
  readonly document: string;
}

/** A record of a stream, or (an empty document) that it is to be deleted; ours. */
export interface StreamRecord {
  readonly id: string;
  /** MARC21 in UTF-8. */
  readonly document: string;
}

/** A record that was there in the run before, and is not any more; ours. */
export interface DeletedRecord {
  readonly id: string;
  readonly provider: string;
  /** When that was found. Milliseconds since 1970. */
  readonly deleted: number;
}

/** A change of the commit log, as it was recorded; see docs/artifacts.md. */
export interface LogChange {
  /** The number of the set. */
  readonly set: number;
  readonly key: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  /** Microseconds since 1970. */
  readonly stamp: number;
  /** The number of its Change List. */
  readonly window: number;
  readonly weight: number;
  /** Canonical JSON; null when it was deleted. */
  readonly state: string | null;
  /** The order of the key after it; null when it has none. */
  readonly order: number | null;
}

/** A key whose order rose without a change. */
export interface LogOrder {
  readonly set: number;
  readonly key: string;
  readonly order: number;
  /** When it rose: microseconds since 1970. */
  readonly stamp: number;
}

/** A small document that a log needs: a set, a page directory, a token. */
export interface LogDocument {
  readonly kind: string;
  readonly id: string;
  /** JSON. */
  readonly body: string;
}

/** How far a source of changes had come. */
export interface LogPosition {
  readonly set: number;
  readonly source: string;
  readonly position: number;
}

/** What a file of each schema holds. */
export interface RecordOf {
  readonly 'OriginalRecord.v1': OriginalRecord;
  readonly 'MAP.3_1.IndexRecord.v1': DerivedRecord;
  readonly 'MAP.4_0.MAPRecord.v1': DerivedRecord;
  readonly 'MAP.4_0.IndexRecord.v1': DerivedRecord;
  readonly 'DeletedRecord.v1': DeletedRecord;
  readonly 'stream.Record.v1': StreamRecord;
  /** Of archives from before there were orders. */
  readonly 'log.Change.v1': Omit<LogChange, 'order'>;
  readonly 'log.Change.v2': LogChange;
  readonly 'log.Order.v1': LogOrder;
  readonly 'log.CatalogDocument.v1': LogDocument;
  readonly 'log.Position.v1': LogPosition;
}

/** A schema of Avro as JSON, as far as ours need it. */
export type AvroType =
  | string
  | AvroType[]
  | { readonly type: 'array'; readonly items: AvroType }
  | { readonly type: 'map'; readonly values: AvroType }
  | { readonly name: string; readonly type: 'enum'; readonly symbols: readonly string[] }
  | { readonly type: 'long'; readonly logicalType: 'timestamp-millis' | 'timestamp-micros' }
  | AvroRecord;

export interface AvroRecord {
  readonly namespace?: string;
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: AvroType }[];
}

/** Before an id, it is the full name that the source gives the schema, and that `schema.name` has in a file. */
export const NAME_PREFIX = 'la.dp.avro.';

/**
 * As the source writes them. The dotted names make Avro pass over the namespace, so that to Avro both IndexRecords are
 * `IndexRecord.v1`; and no parser takes the full name, as a namespace must not have a part that begins with a digit. So
 * the literal namespace distinguishes them.
 */
export const SCHEMAS: Readonly<Record<SchemaId, AvroRecord>> = {
  'OriginalRecord.v1': {
    namespace: 'la.dp.avro',
    type: 'record',
    name: 'OriginalRecord.v1',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'provider', type: 'string' },
      { name: 'document', type: 'string' },
      {
        name: 'mimetype',
        type: { name: 'MimeType', type: 'enum', symbols: ['application_json', 'application_xml', 'text_turtle'] },
      },
    ],
  },
  'MAP.3_1.IndexRecord.v1': {
    namespace: 'la.dp.avro.MAP.3_1',
    type: 'record',
    name: 'IndexRecord.v1',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'document', type: 'string' },
    ],
  },
  'MAP.4_0.MAPRecord.v1': {
    namespace: 'la.dp.avro.MAP.4_0',
    type: 'record',
    name: 'MAPRecord.v1',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'document', type: 'string' },
    ],
  },
  'MAP.4_0.IndexRecord.v1': {
    namespace: 'la.dp.avro.MAP.4_0',
    type: 'record',
    name: 'IndexRecord.v1',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'document', type: 'string' },
    ],
  },
  'DeletedRecord.v1': {
    namespace: 'la.dp.avro',
    type: 'record',
    name: 'DeletedRecord.v1',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'provider', type: 'string' },
      { name: 'deleted', type: { type: 'long', logicalType: 'timestamp-millis' } },
    ],
  },
  'stream.Record.v1': {
    namespace: 'la.dp.avro.stream',
    type: 'record',
    name: 'Record.v1',
    fields: [
      { name: 'id', type: 'string' },
      { name: 'document', type: 'string' },
    ],
  },
  'log.Change.v1': {
    namespace: 'la.dp.avro.log',
    type: 'record',
    name: 'Change.v1',
    fields: [
      { name: 'set', type: 'long' },
      { name: 'key', type: 'string' },
      { name: 'kind', type: { name: 'ChangeKind', type: 'enum', symbols: ['created', 'updated', 'deleted'] } },
      { name: 'stamp', type: { type: 'long', logicalType: 'timestamp-micros' } },
      { name: 'window', type: 'long' },
      { name: 'weight', type: 'long' },
      { name: 'state', type: ['null', 'string'] },
    ],
  },
  'log.Change.v2': {
    namespace: 'la.dp.avro.log',
    type: 'record',
    name: 'Change.v2',
    fields: [
      { name: 'set', type: 'long' },
      { name: 'key', type: 'string' },
      { name: 'kind', type: { name: 'ChangeKind', type: 'enum', symbols: ['created', 'updated', 'deleted'] } },
      { name: 'stamp', type: { type: 'long', logicalType: 'timestamp-micros' } },
      { name: 'window', type: 'long' },
      { name: 'weight', type: 'long' },
      { name: 'state', type: ['null', 'string'] },
      { name: 'order', type: ['null', 'long'] },
    ],
  },
  'log.Order.v1': {
    namespace: 'la.dp.avro.log',
    type: 'record',
    name: 'Order.v1',
    fields: [
      { name: 'set', type: 'long' },
      { name: 'key', type: 'string' },
      { name: 'order', type: 'long' },
      { name: 'stamp', type: { type: 'long', logicalType: 'timestamp-micros' } },
    ],
  },
  'log.CatalogDocument.v1': {
    namespace: 'la.dp.avro.log',
    type: 'record',
    name: 'CatalogDocument.v1',
    fields: [
      { name: 'kind', type: 'string' },
      { name: 'id', type: 'string' },
      { name: 'body', type: 'string' },
    ],
  },
  'log.Position.v1': {
    namespace: 'la.dp.avro.log',
    type: 'record',
    name: 'Position.v1',
    fields: [
      { name: 'set', type: 'long' },
      { name: 'source', type: 'string' },
      { name: 'position', type: 'long' },
    ],
  },
};

export function isSchemaId(text: string): text is SchemaId {
  return SCHEMA_IDS.some((id) => id === text);
}

/**
 * The schema as JSON text for the header of a file, in the source's order; `doc` is where the source has it, or is left
 * out.
 */
export function schemaText(id: SchemaId, doc?: string): string {
  const { fields, ...names } = SCHEMAS[id];
  return JSON.stringify({ ...names, ...(doc !== undefined && { doc }), fields });
}
