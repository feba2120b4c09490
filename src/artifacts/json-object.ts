import { buffer } from 'node:stream/consumers';
import type { z } from 'zod';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import type { ArtifactKey } from './artifact-key.ts';
import type { ArtifactStore, ObjectKey, PutOptions, StoredObject } from './artifact-store.ts';
import { putArtifact } from './put-artifact.ts';

/** Most bytes of an object that is read as a whole. */
const MOST = 16 * 1024 * 1024;

/**
 * Stores a value as indented JSON with a line feed at the end.
 * @throws TidemarkError as `ArtifactStore.put`
 */
export function putJson(
  store: Pick<ArtifactStore, 'put'>,
  key: ArtifactKey,
  value: unknown,
  options: Pick<PutOptions, 'signal'> = {},
): Promise<StoredObject> {
  const body = [Buffer.from(`${JSON.stringify(value, undefined, 2)}\n`)];
  return putArtifact(store, key, body, options);
}

/**
 * Reads a small JSON object; undefined when it does not exist.
 * @throws TidemarkError `invalid` when it is not JSON
 */
export async function readJson<Value>(
  store: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
  schema: z.ZodType<Value>,
): Promise<Value | undefined> {
  const text = await readText(store, key);
  return text === undefined ? undefined : parseJson(key, text, schema);
}

/** Parses an object of any size. @throws TidemarkError `invalid` when it is not JSON, or not as it should be */
export function parseJson<Value>(key: ObjectKey, text: string, schema: z.ZodType<Value>): Value {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TidemarkError('invalid', `${key} is not JSON: ${(error as Error).message}`, { key }, error);
  }
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problems = error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '));
  throw new TidemarkError('invalid', `${key} is not as it should be: ${problems.join('; ')}`, { key });
}

/** Reads a small object as text; undefined when it does not exist. */
async function readText(store: Pick<ArtifactStore, 'get'>, key: ObjectKey): Promise<string | undefined> {
  try {
    const { body, length } = await store.get(key);
    if (length <= MOST) return (await buffer(body)).toString('utf8');
    body.destroy();
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    throw error;
  }
  throw new TidemarkError('invalid', `${key} has more than ${MOST} bytes, which is too much for what it is`, { key });
}
