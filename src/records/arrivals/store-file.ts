import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactBody, ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { freeBytes } from '../../lib/bytes/free-bytes.ts';
import { requireFileName, type UploadedFile } from './upload.ts';

/** Where to store the bytes of a file of an organization, and callbacks of the caller. */
interface FilePlace {
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  readonly organization: string;
  readonly signal?: AbortSignal | undefined;
  /** Receives the key before any byte is stored, so that a caller can remove what a failure may have left. */
  onKey?(key: ObjectKey): void;
}

/**
 * Stores a file of an upload durably, under a new key.
 * @param body its chunks cannot be read afterwards: their memory is freed
 * @throws TidemarkError `invalid` for its name, or what the artifact store throws; what the body throws
 */
export async function storeFile(name: string, body: ArtifactBody, place: FilePlace): Promise<UploadedFile> {
  requireFileName(name);
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
  const key = { kind: 'uploaded-file', organization: place.organization, day, id: randomId() } as const;
  place.onKey?.(formatKey(key));
  const options = { hashes: ['sha-256'], sparesMemory: true, signal: place.signal } as const;
  const { key: artifact, length, hashes } = await putArtifact(place.artifacts, key, freed(body), options);
  return { name, length, sha256: hashes['sha-256'], artifact };
}

/** Returns the same chunks. The memory of each is freed when the next one is requested. */
export async function* freed(body: ArtifactBody): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    yield chunk;
    freeBytes(chunk);
  }
}

/** Returns 32 random hexadecimal digits. */
export function randomId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
