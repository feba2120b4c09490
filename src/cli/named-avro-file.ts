import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import type { SchemaId } from '../artifacts/avro/avro-schemas.ts';
import { type FoundArtifact, findArtifact } from '../artifacts/find-artifacts.ts';
import { parseAvroKey, parseFileName } from '../artifacts/keys/avro-key.ts';
import { requireArtifact } from '../artifacts/require-artifact.ts';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { keyOf } from './artifact-output.ts';

/** A given Avro file: one of the artifact store, named by its key, or a copy of one, named by its path. */
export interface NamedAvroFile {
  /** For messages: the key or the path. */
  readonly name: string;
  /** Undefined for a copy. */
  readonly artifact: FoundArtifact | undefined;
  /** From its name; undefined for a copy that was renamed. */
  readonly schema: SchemaId | undefined;
  /** Bytes. */
  readonly length: number;
  open(signal: AbortSignal): Promise<Readable>;
}

/** @throws TidemarkError `invalid` for the path of no file; otherwise as `requireArtifact` */
export async function findAvroFile(
  store: ArtifactStore,
  text: string,
  workingDirectory: string,
): Promise<NamedAvroFile> {
  const key = keyOf(store, text);
  const found = parseAvroKey(key) === undefined ? undefined : await findArtifact(store, key);
  if (found !== undefined) return stored(store, found);
  const path = resolve(workingDirectory, text);
  const copy = await copied(path);
  if (copy !== undefined) return copy;
  const artifact = await requireArtifact(store, key).catch((error: unknown) => {
    if (!isTidemarkError(error, 'invalid')) throw error;
    throw new TidemarkError('invalid', `there is no file ${path}, and ${error.message}`, { path }, error);
  });
  return stored(store, artifact);
}

function stored(store: ArtifactStore, artifact: FoundArtifact): NamedAvroFile {
  const { key, schema, length } = artifact;
  const open = async (signal: AbortSignal) => (await store.get(key, { signal })).body;
  return { name: key, artifact, schema, length, open };
}

async function copied(path: string): Promise<NamedAvroFile | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile() !== true) return undefined;
  return {
    name: path,
    artifact: undefined,
    schema: parseFileName(basename(path))?.schema,
    length: stats.size,
    open: async (signal) => createReadStream(path, { signal }),
  };
}
