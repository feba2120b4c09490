import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey, ObjectRange, OpenObject } from './artifact-store.ts';
import { damagedArtifact } from './damage.ts';

/** Bytes up to which an artifact is read as a whole and compared, whatever part of it is wanted. */
const MOST_COMPARED = 256 * 1024;

/** Bytes with a known digest: an object, or a part of one. */
interface DigestedBytes {
  readonly key: ObjectKey;
  /** The part; the whole object if undefined. */
  readonly within?: ObjectRange | undefined;
  readonly length: number;
  readonly sha256: string;
}

/**
 * Opens an artifact, or a part of it, to serve it. A small one is compared with its digest before its first byte is
 * returned; a larger one is not: `artifacts verify` compares those.
 * @param part relative to `within`
 * @throws TidemarkError `unavailable` when it is small and has another digest; as `ArtifactStore.get`
 */
export async function openCompared(
  artifacts: Pick<ArtifactStore, 'get'>,
  { key, within, length, sha256 }: DigestedBytes,
  part?: ObjectRange,
): Promise<OpenObject> {
  if (length > MOST_COMPARED) {
    const { body } = await artifacts.get(key, { range: partOf(within, part) });
    return { length, body };
  }
  const bytes = await buffer((await artifacts.get(key, { range: within })).body);
  if (bytes.length !== length || hash('sha256', bytes, 'hex') !== sha256) throw damagedArtifact(key);
  const { start, length: wanted } = part ?? { start: 0, length };
  return { length, body: Readable.from([bytes.subarray(start, start + wanted)], { objectMode: false }) };
}

function partOf(whole: ObjectRange | undefined, part: ObjectRange | undefined): ObjectRange | undefined {
  if (whole === undefined || part === undefined) return whole ?? part;
  return { start: whole.start + part.start, length: Math.min(part.length, whole.length - part.start) };
}
