import { isDeepStrictEqual } from 'node:util';
import { TidemarkError } from '../../core/errors.ts';
import { SCHEMA_NAME } from './container-header.ts';
import { type AvroType, NAME_PREFIX, SCHEMA_IDS, SCHEMAS, type SchemaId } from './schemas.ts';

/** Which of our schemas a file has. */
export interface FileSchema {
  readonly id: SchemaId;
  readonly doc: string | undefined;
}

/**
 * Reads from the header which schema a file has. Our files name it in `schema.name`. Files of others may only have the
 * schema, as the source has it, or as a parser rewrote it: with the joined name, or without the namespace. A name that
 * two schemas share is then taken for the one that is wanted, which the name of the file says.
 * @throws TidemarkError `invalid`: none of ours, one of two, or with other fields
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
    throw invalid('the schema in its header is no JSON', error);
  }
}

/** The name as it is written, joined to its namespace when there is one. */
function nameOf({ name, namespace }: SomeSchema): string {
  if (typeof name !== 'string' || name === '') throw invalid('the schema in its header is no record with a name');
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

/** A name is that of a schema when it is the end of its full name, from the one part with the version's on. */
function sameName(id: SchemaId, name: string): boolean {
  return `.${NAME_PREFIX}${id}`.endsWith(`.${name}`);
}

/**
 * Whether values are written alike: names of types, doc texts and hints for a language do not matter. What a file has
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

/**
 * A type that is named by itself, instead of an object that says no more: `{"type": "string", "avro.java.string":
 * "String"}`.
 */
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
