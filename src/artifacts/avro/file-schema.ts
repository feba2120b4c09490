import { isDeepStrictEqual } from 'node:util';
import { TidemarkError } from '../../core/errors.ts';
import { type AvroType, NAME_PREFIX, SCHEMA_IDS, SCHEMAS, type SchemaId } from './avro-schemas.ts';
import { SCHEMA_NAME } from './container-header.ts';

/** The schema of a file. */
interface FileSchema {
  readonly id: SchemaId;
  readonly doc: string | undefined;
}

/**
 * Determines the schema of a file from its header. Files of this program name it in `schema.name`. Other files may only
 * have the schema, as the source writes it, or as a parser rewrote it: with the joined name, or without the namespace.
 * If two schemas have the name, it is taken as the wanted one, which the file name gives.
 * @throws TidemarkError `invalid` when the schema is unknown, ambiguous, or has other fields
 */
export function fileSchema(metadata: ReadonlyMap<string, string>, wanted?: SchemaId): FileSchema {
  const schema = parseSchema(metadata.get('avro.schema'));
  const literal = nameOf(schema);
  const declared = metadata.get(SCHEMA_NAME);
  const id = declared === undefined ? idOf(literal, wanted) : idOf(declared);
  if (declared !== undefined && !sameName(id, literal)) {
    throw invalid(`it names its schema ${declared}, but the schema in it is ${literal}`);
  }
  if (!isWrittenAs(SCHEMAS[id], schema)) {
    throw invalid(`its schema is named ${literal}, but has other fields than ${NAME_PREFIX}${id}`);
  }
  return { id, doc: typeof schema.doc === 'string' ? schema.doc : undefined };
}

interface SomeSchema {
  readonly name?: unknown;
  readonly namespace?: unknown;
  readonly doc?: unknown;
}

function parseSchema(text: string | undefined): SomeSchema {
  if (text === undefined) throw invalid('its header has no schema');
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    throw invalid('the schema in its header is not JSON', error);
  }
}

/** The name, with its namespace prepended if there is one. */
function nameOf({ name, namespace }: SomeSchema): string {
  if (typeof name !== 'string' || name === '') throw invalid('the schema in its header is not a record with a name');
  if (typeof namespace !== 'string' || namespace === '' || name.startsWith(`${namespace}.`)) return name;
  return `${namespace}.${name}`;
}

function idOf(name: string, wanted?: SchemaId): SchemaId {
  const found = SCHEMA_IDS.filter((id) => sameName(id, name));
  if (wanted !== undefined && found.includes(wanted)) return wanted;
  if (found.length === 1) return found[0]!;
  if (found.length === 0) throw invalid(`its schema is ${name}, which is none of ours`);
  const names = found.map((id) => NAME_PREFIX + id).join(' or ');
  throw invalid(
    `its schema is ${name}, which may be ${names}: header metadata ${SCHEMA_NAME}, or a file name as in keys, would decide`,
  );
}

/** Whether a name matches a schema: it is the end of the schema's full name, from a dot on. */
function sameName(id: SchemaId, name: string): boolean {
  return `.${NAME_PREFIX}${id}`.endsWith(`.${name}`);
}

/**
 * Whether two types have the same binary encoding: type names, docs and language hints do not matter. The given type
 * may be any JSON.
 */
function isWrittenAs(ours: AvroType, given: unknown): boolean {
  const type = plain(given);
  const own = plain(ours) as AvroType;
  if (typeof own === 'string') return type === own;
  if (Array.isArray(own)) return isList(type, own.length) && own.every((branch, i) => isWrittenAs(branch, type[i]));
  const { fields, symbols, items, values } = Object(type) as Record<string, unknown>;
  if ('symbols' in own) return isDeepStrictEqual(symbols, own.symbols);
  if ('items' in own) return isWrittenAs(own.items, items);
  if ('values' in own) return isWrittenAs(own.values, values);
  if (!('fields' in own) || !isList(fields, own.fields.length)) return false;
  return own.fields.every(
    ({ name, type }, i) => Object(fields[i]).name === name && isWrittenAs(type, Object(fields[i]).type),
  );
}

/** Replaces a type object by its name, unless it is complex: `{"type": "string", "avro.java.string": "String"}`. */
function plain(type: unknown): unknown {
  let plainer = type;
  while (isTypeObject(plainer) && !['record', 'enum', 'array', 'map', 'fixed'].includes(plainer.type as string)) {
    plainer = plainer.type;
  }
  return plainer;
}

function isTypeObject(type: unknown): type is { readonly type: unknown } {
  return typeof type === 'object' && type !== null && 'type' in type;
}

function isList(value: unknown, length: number): value is readonly unknown[] {
  return Array.isArray(value) && value.length === length;
}

function invalid(message: string, cause?: unknown): TidemarkError {
  return new TidemarkError('invalid', message, {}, cause);
}
