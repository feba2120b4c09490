import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSchemaId } from '../../artifacts/avro/schemas.ts';
import { TidemarkError } from '../../core/errors.ts';
import { reasonOf } from '../../lib/system-error.ts';
import { FieldMapping } from './field-mapping.ts';
import { identity } from './identity.ts';
import { jsonpathLanguage } from './jsonpath.ts';
import { map31 } from './map-3-1.ts';
import { MAPPING_FILE, type MappingFile } from './mapping-file.ts';
import type { Transform } from './transform.ts';
import { xpathLanguage } from './xpath.ts';

const SHIPPED: readonly Transform[] = [identity, map31];
export const SHIPPED_NAMES = SHIPPED.map(({ name }) => name);

/**
 * The transform of a name, of a mapping file (`.json`), or of a module (`.js`, `.mjs`, `.ts`).
 * @param folder relative paths begin there
 * @throws TidemarkError `invalid` for a name that is none, and a file that is no mapping or no transform
 */
export async function loadTransform(text: string, folder: string): Promise<Transform> {
  const shipped = SHIPPED.find(({ name }) => name === text);
  if (shipped !== undefined) return shipped;
  const file = resolve(folder, text);
  if (/\.json$/i.test(file)) return readMapping(file);
  if (/\.[mc]?[jt]s$/i.test(file)) return importModule(file);
  throw wrong(
    text,
    `is no transform: use ${SHIPPED_NAMES.join(', ')}, or the path of a mapping (.json) or a module (.js, .mjs, .ts)`,
  );
}

async function readMapping(file: string): Promise<Transform> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw wrong(file, `cannot be read: ${reasonOf(error)}`);
  });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw wrong(file, `is no JSON: ${(error as Error).message}`);
  }
  const { success, data, error } = MAPPING_FILE.safeParse(value);
  if (!success) {
    const problems = error.issues.map(({ path, message }) => `${path.join(' / ') || 'it'}: ${message}`);
    throw wrong(file, `is no mapping: ${problems.join('; ')}`);
  }
  return mappingTransform(basename(file), data, file);
}

function mappingTransform(name: string, mapping: MappingFile, file: string): Transform {
  try {
    const fields =
      mapping.language === 'xpath'
        ? new FieldMapping(mapping, xpathLanguage(mapping.namespaces ?? {}))
        : new FieldMapping(mapping, jsonpathLanguage);
    return {
      name,
      transform: (record, context) => ({ id: record.id, document: fields.map(record, context) }),
    };
  } catch (error) {
    throw wrong(file, `is no mapping: ${(error as Error).message}`);
  }
}

async function importModule(file: string): Promise<Transform> {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href).catch((error: Error) => {
    throw wrong(file, `cannot be loaded: ${error.message}`);
  });
  const given = module.default ?? module;
  const { transform, schema } = (
    typeof given === 'function' ? { ...module, transform: given } : given
  ) as Partial<Transform>;
  if (typeof transform !== 'function') {
    throw wrong(
      file,
      'is no transform: export a function (record, context) => record or records as "default" or "transform"',
    );
  }
  if (schema !== undefined && (!isSchemaId(schema) || schema === ('OriginalRecord.v1' as string))) {
    throw wrong(file, `exports the schema "${schema}", which is none that a transform can make`);
  }
  return { name: basename(file), schema, transform: (record, context) => transform(record, context) };
}

function wrong(subject: string, problem: string): TidemarkError {
  return new TidemarkError('invalid', `${subject} ${problem}`, { transform: subject });
}
