import { createHash } from 'node:crypto';
import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { isTidemarkError } from '../../../core/errors.ts';
import type { ResourceKey } from '../../../core/key.ts';
import type { ResourceState } from '../../../core/resource.ts';
import type { CompareOptions, Difference, Mismatch } from '../../source.ts';
import { SyncCounter } from '../../sync-counter.ts';
import { type ComparedDeliveries, compareDeliveries } from './compare-deliveries.ts';

interface VerifiedDeliveries extends Omit<ComparedDeliveries, 'counter' | 'signal'> {
  readonly artifacts: Pick<ArtifactStore, 'get'>;
}

/**
 * Compares a set with its deliveries, and reads all bytes of each of its files.
 * @throws TidemarkError `unavailable` when the artifact store does not answer; the signal's reason when it is aborted
 */
export async function* verifyDeliveries(
  { artifacts, ...compared }: VerifiedDeliveries,
  { counter, signal }: Pick<CompareOptions, 'counter' | 'signal'>,
): AsyncGenerator<readonly Mismatch[]> {
  // This counter is discarded: files are counted when they are read.
  for await (const { differences } of compareDeliveries({ ...compared, counter: new SyncCounter(), signal })) {
    yield differences.map(describe);
  }
  for await (const resources of compared.index.read(compared.set, {})) {
    for (const { key, state } of resources) {
      signal?.throwIfAborted();
      counter.file();
      const mismatch = await verifyStoredFile(key, state, artifacts);
      if (mismatch === undefined) counter.hashed(state.length ?? 0);
      else yield [mismatch];
    }
  }
}

function describe({ key, state, known }: Difference): Mismatch {
  if (state === undefined) return { kind: 'missing', key, message: 'is published, and was not delivered' };
  if (known === undefined) return { kind: 'extra', key, message: 'was delivered, and is not published' };
  return { kind: 'differing', key, message: 'differs from what was delivered' };
}

/** Reads all bytes of a file that is an artifact, or a range of one. Undefined when they are as its state says. */
export async function verifyStoredFile(
  key: ResourceKey,
  { record, length, hashes }: ResourceState,
  artifacts: VerifiedDeliveries['artifacts'],
): Promise<Mismatch | undefined> {
  if (record === undefined) return { kind: 'missing', key, message: 'is published, and has no artifact' };
  try {
    const { artifact, offset: start } = record;
    // Without a range, a whole artifact that is too long is noticed, too.
    const range = start > 0 && record.length > 0 ? { start, length: record.length } : undefined;
    if (start > 0 && range === undefined) return undefined;
    const { body } = await artifacts.get(artifact, { range });
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    if (bytes !== length) return { kind: 'differing', key, message: `has ${bytes} bytes, and not ${length}` };
    if (hash.digest('hex') === hashes?.['sha-256']) return undefined;
    return { kind: 'differing', key, message: 'differs in sha-256' };
  } catch (error) {
    if (!isTidemarkError(error, 'not-found')) throw error;
    return { kind: 'unreadable', key, message: `is in ${record.artifact}, which does not exist (any more)` };
  }
}
