import { isUtf8 } from 'node:buffer';
import avro from 'avsc';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { excerpt } from '../../lib/excerpt.ts';
import { type RecordOf, SCHEMAS, type SchemaId } from './avro-schemas.ts';
import { MIMETYPES, mimetypeOf, symbolOf } from './mimetypes.ts';

/** Encodes and decodes the values of one schema, with avsc and checks that avsc does not make. */
export interface RecordType<Id extends SchemaId> {
  /**
   * Writes a record into a buffer. Returns its end position. If the buffer is too small, returns the negative number of
   * missing bytes.
   * @throws TidemarkError `invalid` when it does not match the schema; it names the field
   */
  encode(record: RecordOf[Id], buffer: Buffer, position: number): number;

  /**
   * Decodes the record at a position. Returns undefined when the bytes end too early, or do not encode a record.
   * @throws TidemarkError `invalid` for invalid UTF-8, or an unknown enum symbol
   */
  decode(buffer: Buffer, position: number): { readonly record: RecordOf[Id]; readonly end: number } | undefined;

  /** The reason why a value does not match the schema; undefined when it does. */
  problemOf(value: unknown): string | undefined;
}

/** A string that is decoded from bytes: invalid UTF-8 is rejected. */
class Utf8 extends avro.types.LogicalType {
  protected override _toValue(bytes: Uint8Array): Uint8Array {
    return bytes;
  }

  protected override _fromValue(bytes: Uint8Array | undefined): Uint8Array | undefined {
    if (bytes === undefined || isUtf8(bytes)) return bytes;
    throw new TidemarkError('invalid', 'has a text that is not UTF-8');
  }

  protected override _resolve(): undefined {}
}

/**
 * Set when a decoded text contains U+FFFD. The record is then checked again: its bytes may encode U+FFFD, or be invalid
 * UTF-8.
 */
let hasReplacement = false;

/** A string: unpaired surrogates are rejected, because UTF-8 cannot encode them. */
class Text extends avro.types.LogicalType {
  protected override _toValue(text: unknown): string | undefined {
    return typeof text === 'string' && text.isWellFormed() ? text : undefined;
  }

  protected override _fromValue(text: string | undefined): string | undefined {
    if (text?.includes('\ufffd')) hasReplacement = true;
    return text;
  }

  protected override _resolve(): undefined {}
}

/** Converts between a MIME type and its symbol in files. */
class MimetypeSymbol extends avro.types.LogicalType {
  protected override _toValue(mimetype: string): string {
    return symbolOf(mimetype);
  }

  protected override _fromValue(symbol: string | undefined): string | undefined {
    return symbol === undefined ? undefined : mimetypeOf(symbol);
  }

  protected override _resolve(): undefined {}
}

const LOGICAL_TYPES = { text: Text, utf8: Utf8, mimetype: MimetypeSymbol };

const known = new Map<SchemaId, unknown>();

export function recordType<Id extends SchemaId>(id: Id): RecordType<Id> {
  if (!known.has(id)) known.set(id, makeRecordType(id));
  return known.get(id) as RecordType<Id>;
}

function makeRecordType<Id extends SchemaId>(id: Id): RecordType<Id> {
  const type = typeOf(id, { type: 'string', logicalType: 'text' });
  const asBytes = typeOf(id, { type: 'bytes', logicalType: 'utf8' });
  return {
    encode(record, buffer, position) {
      try {
        return type.encode(record, buffer, position);
      } catch (error) {
        const problem = problemOf(type, record);
        if (problem === undefined) throw error;
        throw new TidemarkError('invalid', problem, {}, error);
      }
    },

    decode(buffer, position) {
      hasReplacement = false;
      try {
        const { value, offset } = type.decode(buffer, position);
        if (offset <= position) return undefined;
        if (hasReplacement) asBytes.decode(buffer, position);
        return { record: { ...value }, end: offset };
      } catch (error) {
        if (isTidemarkError(error, 'invalid')) throw error;
        throw new TidemarkError('invalid', `cannot be read (${(error as Error).message})`, {}, error);
      }
    },

    problemOf: (value) => problemOf(type, value),
  };
}

/** The avsc type of a schema, with another type for its strings. */
function typeOf(id: SchemaId, text: avro.Schema): avro.Type {
  const hooked = (schema: avro.Schema) => avro.Type.forSchema(schema, { logicalTypes: LOGICAL_TYPES });
  const typeHook = (schema: avro.Schema) => {
    if (schema === 'string') return hooked(text);
    const isMimetype = typeof schema === 'object' && 'name' in schema && schema.name === 'MimeType';
    return isMimetype ? hooked({ ...schema, logicalType: 'mimetype' } as avro.Schema) : undefined;
  };
  return avro.Type.forSchema(SCHEMAS[id] as avro.Schema, { typeHook, omitRecordMethods: true, wrapUnions: 'never' });
}

function problemOf(type: avro.Type, record: unknown): string | undefined {
  let problem: string | undefined;
  const errorHook = (path: readonly string[], value: unknown, { typeName }: avro.Type) => {
    problem ??= describe(value, { field: path.join('.'), type: typeName });
  };
  type.isValid(record, { errorHook });
  return problem;
}

function describe(value: unknown, { field, type }: { readonly field: string; readonly type: string }): string {
  if (field === '') return 'it is not a record';
  if (value === undefined) return `it has no ${field}`;
  if (typeof value === 'string' && !value.isWellFormed()) {
    return `its ${field} holds half of a surrogate pair, which cannot be written as UTF-8`;
  }
  const allowed = type === 'logical:mimetype' ? MIMETYPES.join(', ') : type.replace('logical:', '');
  return `its ${field} is ${excerpt(value)}, and not ${allowed}`;
}
