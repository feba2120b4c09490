import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { notUsable } from './not-usable.ts';
import type { Transform } from './transform.ts';

/**
 * The included transforms by name. Each is loaded on demand, like mappings: loading all takes longer than starting a
 * thread.
 */
const SHIPPED: ReadonlyMap<string, () => Promise<Transform>> = new Map([
  ['identity', async () => (await import('./identity.ts')).identity],
  ['map-3.1', async () => (await import('./map-3-1.ts')).map31],
  ['nsdl_dc', async () => (await import('./nsdl-dc.ts')).nsdlDc],
  ['oai_dc', async () => (await import('./oai-dc.ts')).oaiDc],
]);

const MAPPING_FILE = /\.json$/i;
const MODULE_FILE = /\.[mc]?[jt]s$/i;
const SHEET_FILE = /\.xslt?$/i;

export function isTransformFile(text: string): boolean {
  return MAPPING_FILE.test(text) || MODULE_FILE.test(text) || isSheet(text);
}

/** Whether a text is the path of a sheet of XSLT. */
export function isSheet(text: string): boolean {
  return SHEET_FILE.test(text);
}

/** Whether a text names an included transform, and not a file. */
export function isShipped(text: string): boolean {
  return SHIPPED.has(text);
}

/**
 * Loads the transform of a name, of a mapping file (`.json`), of a sheet of XSLT (`.xsl`, `.xslt`), or of a module
 * (`.js`, `.mjs`, `.ts`).
 * @param folder base of relative paths
 * @throws TidemarkError `invalid` for an unknown name, or a file that is no transform
 */
export async function loadTransform(text: string, folder: string): Promise<Transform> {
  const shipped = SHIPPED.get(text);
  if (shipped !== undefined) return shipped();
  const file = resolve(folder, text);
  if (MAPPING_FILE.test(file)) return (await import('./read-mapping.ts')).readMapping(file);
  if (isSheet(file)) return (await import('./xslt/read-sheet.ts')).readSheet(file);
  if (MODULE_FILE.test(file)) return importModule(file);
  throw notUsable(
    text,
    `is not a transform: use ${[...SHIPPED.keys()].join(', ')}, or the path of a mapping (.json), a sheet (.xsl, .xslt) or a module (.js, .mjs, .ts)`,
  );
}

async function importModule(file: string): Promise<Transform> {
  const module: Record<string, unknown> = await import(pathToFileURL(file).href).catch((error: Error) => {
    throw notUsable(file, `cannot be loaded: ${error.message}`);
  });
  const given = module.default ?? module;
  const { transform, schema } = (
    typeof given === 'function' ? { ...module, transform: given } : given
  ) as Partial<Transform>;
  if (typeof transform !== 'function') {
    throw notUsable(
      file,
      'is not a transform: export a function (record, context) => record or records as "default" or "transform"',
    );
  }
  if (schema !== undefined && (!isSchemaId(schema) || schema === ('OriginalRecord.v1' as string))) {
    throw notUsable(file, `exports the schema "${schema}", which is none that a transform can make`);
  }
  return { name: basename(file), schema, transform: (record, context) => transform(record, context) };
}
