import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { readArtifact } from '../../artifacts/open-artifact.ts';
import type { StoredCopy } from '../archiving.ts';
import type { PlatformFile, StoredBytes } from '../manifest.ts';
import { compareWithManifest } from '../strategies/compare-with-manifest.ts';
import { OtherHashes } from '../strategies/other-hashes.ts';
import { hashStored } from './hashed-scratch-file.ts';

/** Bytes that an attempt before has stored, and what is known of them. */
export type StoredBefore = Pick<StoredCopy, 'number' | 'mimetype' | 'terminalUrl' | 'terminalDt'> & {
  /** What is stored is whole. */
  readonly stored: StoredBytes;
};

interface Reading {
  readonly artifacts: ArtifactStore;
  readonly signal: AbortSignal;
}

/**
 * Reads and hashes what is stored. Undefined when it is not what the platform states, or when the platform states too
 * little to see that. A bundle is taken as it is, since platforms make it anew for each download (d16); its files are
 * compared later.
 */
export async function takenOver(
  file: PlatformFile,
  before: StoredBefore,
  { artifacts, signal }: Reading,
): Promise<StoredCopy | undefined> {
  const { number, stored } = before;
  const { artifact, offset, length } = stored;
  const isBundle = number === 0;
  if (!isBundle && (file.size === undefined ? file.hashes.length === 0 : file.size !== length)) return undefined;
  const read = (start: number, bytes: number) =>
    readArtifact(artifacts, artifact, { start: offset + start, length: bytes });
  const others = new OtherHashes([file]);
  const computed = await hashStored(others.tap(read(0, length)), signal);
  const copy: StoredCopy = { ...before, ...computed, ...others.found(), read };
  return isBundle || compareWithManifest(file, copy, false).status === 'success' ? copy : undefined;
}
