import type { Mimetype } from './mimetypes.ts';

/**
 * The schemas of artifacts: full names without `la.dp.avro.`, as in keys. The first four come from the source, the
 * others from this program.
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

/** Schemas of records with an id and a document. */
export type DocumentSchemaId = Exclude<SchemaId, 'DeletedRecord.v1' | `log.${string}`>;

/** A record as it was harvested. */
export interface OriginalRecord {
  readonly id: string;
  readonly provider: string;
  /** Exactly as received from the provider. */
  readonly document: string;
  readonly mimetype: Mimetype;
}

/**
 * A record that a mapping, an enrichment or an indexing has made: JSON text for an IndexRecord of MAP 3.1, otherwise
 * MAP 4.0 as RDF.
 */
export interface DerivedRecord {
  readonly id: string;
  readonly document: string;
}

/** A record of a stream. An empty document deletes the record. Schema of this program. */
interface StreamRecord {
  readonly id: string;
  /** UTF-8, of the media type that the header of its file says: see document-type.ts. */
  readonly document: string;
}

/** A record of the previous run that does not exist any more. Schema of this program. */
export interface DeletedRecord {
  readonly id: string;
  readonly provider: string;
  /** When the deletion was found, milliseconds since 1970. */
  readonly deleted: number;
}

/** A change of the commit log, as it was recorded: see docs/artifacts.md. */
export interface LogChange {
  /** The id of the set. */
  readonly set: number;
  readonly key: string;
  readonly kind: 'created' | 'updated' | 'deleted';
  /** Microseconds since 1970. */
  readonly stamp: number;
  /** The number of its Change List. */
  readonly window: number;
  readonly weight: number;
  /** Canonical JSON; null for a deletion. */
  readonly state: string | null;
  /** The order of the key after the change; null when it has none. */
  readonly order: number | null;
}

/** A key whose order rose without a change. */
export interface LogOrder {
  readonly set: number;
  readonly key: string;
  readonly order: number;
  /** When it rose, microseconds since 1970. */
  readonly stamp: number;
}

/** A small document that a log needs, such as a set, a page directory or a token. */
export interface LogDocument {
  readonly kind: string;
  readonly id: string;
  /** JSON text. */
  readonly body: string;
}

/** The last position of a source of changes. */
export interface LogPosition {
  readonly set: number;
  readonly source: string;
  readonly position: number;
}

/** The type of the records of each schema. */
export interface RecordOf {
  readonly 'OriginalRecord.v1': OriginalRecord;
  readonly 'MAP.3_1.IndexRecord.v1': DerivedRecord;
  readonly 'MAP.4_0.MAPRecord.v1': DerivedRecord;
  readonly 'MAP.4_0.IndexRecord.v1': DerivedRecord;
  readonly 'DeletedRecord.v1': DeletedRecord;
  readonly 'stream.Record.v1': StreamRecord;
  /** For archives from before the introduction of orders. */
  readonly 'log.Change.v1': Omit<LogChange, 'order'>;
  readonly 'log.Change.v2': LogChange;
  readonly 'log.Order.v1': LogOrder;
  readonly 'log.CatalogDocument.v1': LogDocument;
  readonly 'log.Position.v1': LogPosition;
}

/** An Avro schema as JSON, as far as the schemas here need it. */
export type AvroType =
  | string
  | AvroType[]
  | { readonly type: 'array'; readonly items: AvroType }
  | { readonly type: 'map'; readonly values: AvroType }
  | { readonly name: string; readonly type: 'enum'; readonly symbols: readonly string[] }
  | { readonly type: 'long'; readonly logicalType: 'timestamp-millis' | 'timestamp-micros' }
  | AvroRecord;

interface AvroRecord {
  readonly namespace?: string;
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: AvroType }[];
}

/**
 * The prefix of an id. Together they are the full name that the source gives the schema, and the `schema.name` of a
 * file.
 */
export const NAME_PREFIX = 'la.dp.avro.';

/**
 * The schemas as the source writes them. Because the names contain dots, Avro ignores the namespace, and both
 * IndexRecords are `IndexRecord.v1` for it. No parser accepts the full name, because a part of a namespace must not
 * begin with a digit. So the literal namespace distinguishes the two.
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
 * The schema as JSON text for the header of a file, with members in the order of the source, including the optional
 * `doc`.
 */
export function schemaText(id: SchemaId, doc?: string): string {
  const { fields, ...names } = SCHEMAS[id];
  return JSON.stringify({ ...names, ...(doc !== undefined && { doc }), fields });
}
