import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { reasonOf } from '../../lib/system-error.ts';
import { FieldMapping } from './field-mapping.ts';
import { MAPPING_FILE, type MappingFile } from './mapping-file.ts';
import { notUsable } from './not-usable.ts';
import type { Transform } from './transform.ts';

/**
 * Reads the transform of a mapping file.
 * @throws TidemarkError `invalid` for a file that cannot be read, or is not a mapping
 */
export async function readMapping(file: string): Promise<Transform> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw notUsable(file, `cannot be read: ${reasonOf(error)}`);
  });
  let value: unknown;
  try {
    // Editors on Windows begin a file with a byte order mark.
    value = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw notUsable(file, `is not JSON: ${(error as Error).message}`);
  }
  const { success, data, error } = MAPPING_FILE.safeParse(value);
  if (!success) {
    const problems = error.issues.map(({ path, message }) => `${path.join(' / ') || 'it'}: ${message}`);
    throw notUsable(file, `is not a mapping: ${problems.join('; ')}`);
  }
  return mappingTransform(basename(file), data, file);
}

async function mappingTransform(name: string, mapping: MappingFile, file: string): Promise<Transform> {
  try {
    const fields = await fieldsOf(mapping);
    return {
      name,
      transform: (record, context) => ({ id: record.id, document: fields.map(record, context) }),
    };
  } catch (error) {
    throw notUsable(file, `is not a mapping: ${(error as Error).message}`);
  }
}

/** Loads only the language of the mapping. */
async function fieldsOf(mapping: MappingFile) {
  if (mapping.language === 'xpath') {
    const { xpathLanguage } = await import('./xpath.ts');
    return new FieldMapping(mapping, xpathLanguage(mapping.namespaces ?? {}));
  }
  const { jsonpathLanguage } = await import('./jsonpath.ts');
  return new FieldMapping(mapping, jsonpathLanguage);
}
