import { createHash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { formatKey } from './artifact-key.ts';
import type { ArtifactStore, ObjectKey, ObjectRange } from './artifact-store.ts';
import { damagedArtifact } from './damage.ts';
import { parseAvroKey } from './keys/avro-key.ts';

type Reads = Pick<ArtifactStore, 'get'>;

interface OpenOptions {
  /** By default that in the summary beside it. */
  readonly sha256?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens an artifact to read it to its end: then its bytes are compared with their SHA-256, if that is known. Until
 * then, a caller must publish nothing of it.
 * @throws TidemarkError as `ArtifactStore.get`; `unavailable` after the last byte when the artifact is damaged
 */
export async function openArtifact(
  artifacts: Reads,
  key: ObjectKey,
  { sha256, signal }: OpenOptions = {},
): Promise<{ readonly length: number; readonly body: AsyncIterable<Uint8Array> }> {
  const expected = sha256 ?? (await sha256InSummary(artifacts, key));
  const { length, body } = await artifacts.get(key, { signal });
  if (expected === undefined) return { length, body };
  const compared = comparedBytes(body, { key, sha256: expected });
  // A generator that was never started does not close what it reads.
  const close = compared.return.bind(compared);
  compared.return = (value) => {
    body.destroy();
    return close(value);
  };
  return { length, body: compared };
}

/** The bytes of a range of an artifact; none of an empty range. @throws TidemarkError as `ArtifactStore.get` */
export async function* readArtifact(
  artifacts: Pick<ArtifactStore, 'get'>,
  key: ObjectKey,
  range: ObjectRange,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (range.length === 0) return;
  const { body } = await artifacts.get(key, { range });
  try {
    yield* body;
  } finally {
    body.destroy();
  }
}

/** The bytes of an artifact. @throws TidemarkError `unavailable` after the last one when they have another SHA-256 */
export async function* comparedBytes(
  bytes: AsyncIterable<Uint8Array>,
  { key, sha256 }: { readonly key: ObjectKey; readonly sha256: string },
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== sha256) throw damagedArtifact(key);
}

/**
 * The SHA-256 of an Avro file in the summary of its run. Undefined for files without a summary, as other programs write
 * them. Without zod, which would take most of the time to start a thread.
 * @throws TidemarkError `invalid` when the summary is not JSON
 */
export async function sha256InSummary(artifacts: Reads, key: ObjectKey): Promise<string | undefined> {
  if (parseAvroKey(key) === undefined) return undefined;
  const summary = formatKey({ kind: 'summary', of: key });
  try {
    const { hashes } = JSON.parse(await text((await artifacts.get(summary)).body));
    return typeof hashes?.['sha-256'] === 'string' ? hashes['sha-256'] : undefined;
  } catch (error) {
    if (isTidemarkError(error, 'not-found')) return undefined;
    if (isTidemarkError(error)) throw error;
    throw new TidemarkError('invalid', `${summary} is not JSON`, { key: summary }, error);
  }
}
