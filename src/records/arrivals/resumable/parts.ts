import { formatKey } from '../../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject } from '../../../artifacts/artifact-store.ts';
import { parsePartKey, partsOf } from '../../../artifacts/keys/upload-keys.ts';
import { putArtifact } from '../../../artifacts/put-artifact.ts';
import { unreadable } from '../../../artifacts/store-errors.ts';
import { isTidemarkError, TidemarkError } from '../../../core/errors.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import { freed } from '../store-file.ts';
import { CutBody } from './cut-body.ts';
import { MOST_LENGTH, type ResumableUpload } from './resumable-upload.ts';

type PartStore = Pick<ArtifactStore, 'put' | 'get' | 'delete' | 'list' | 'name'>;
type Owner = Pick<ResumableUpload, 'organization' | 'id' | 'length'>;

/** The bytes of a request. */
export interface SentBytes {
  /** The offset of the first byte. */
  readonly offset: number;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Bytes of one artifact. At most this much is sent again after a break; the rest is durable. */
const PART_BYTES = 16 * 1024 * 1024;

/**
 * The stored parts of a file, in order. The key of each contains its offset, and a key is never stored twice: so two
 * requests, of any servers, cannot store two parts for one offset.
 */
export async function storedParts(artifacts: PartStore, { organization, id }: Owner): Promise<readonly ListedObject[]> {
  const parts: ListedObject[] = [];
  for await (const batch of artifacts.list(partsOf(organization, id))) parts.push(...batch);
  return parts;
}

/** Number of bytes that are durably stored, from the first one on. @param parts all that are stored, in order */
export function offsetOf(parts: readonly ListedObject[]): number {
  return contiguous(parts).reduce((sum, { length }) => sum + length, 0);
}

/**
 * The parts that follow each other from the first byte. When the store has lost one, the client sends its bytes again,
 * and those behind it: the former parts there do not count.
 */
function contiguous(parts: readonly ListedObject[]): readonly ListedObject[] {
  let end = 0;
  return parts.filter(({ key, length }) => {
    const isNext = parsePartKey(key)?.offset === end;
    if (isNext) end += length;
    return isNext;
  });
}

/**
 * Stores the bytes of a request, part by part. When the request breaks off, the bytes that arrived are stored
 * nevertheless.
 * @param sent `offset`: number of stored bytes
 * @throws TidemarkError `conflict` when another request stores the same bytes; `invalid` for more bytes than the file
 *   has; what the body and the artifact store throw
 */
export async function storeParts(artifacts: PartStore, owner: Owner, { offset, body }: SentBytes): Promise<number> {
  const cut = new CutBody(body, (owner.length ?? MOST_LENGTH) - offset);
  let at = offset;
  while (await cut.hasMore()) {
    const key = { kind: 'uploaded-part', organization: owner.organization, id: owner.id, offset: at } as const;
    const options = { hashes: ['sha-256'], sparesMemory: true } as const;
    const { length } = await putArtifact(artifacts, key, freed(cut.next(PART_BYTES)), options).catch(
      (error: unknown) => {
        throw isTidemarkError(error, 'conflict') ? beingSent(formatKey(key)) : error;
      },
    );
    at += length;
    failpoint('resumable.stored');
  }
  cut.requireWhole();
  return at;
}

/** All bytes of the file. @throws TidemarkError `unavailable` when a part that was listed is not there */
export async function* readParts(artifacts: PartStore, parts: readonly ListedObject[]): AsyncGenerator<Uint8Array> {
  for (const { key } of contiguous(parts)) {
    const { body } = await artifacts.get(key).catch((error: unknown) => {
      throw unreadable(error, key, artifacts.name);
    });
    yield* body;
  }
}

export async function removeParts(artifacts: PartStore, owner: Owner): Promise<void> {
  for (const { key } of await storedParts(artifacts, owner)) await artifacts.delete(key);
}

function beingSent(key: string): TidemarkError {
  const message = 'another request has stored these bytes: ask for the offset, and go on from there';
  return new TidemarkError('conflict', message, { part: key });
}
