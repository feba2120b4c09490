import type { ArtifactStore } from '../../../artifacts/artifact-store.ts';
import { openCompared } from '../../../artifacts/open-compared.ts';
import { unreadable } from '../../../artifacts/store-errors.ts';
import { TidemarkError } from '../../../core/errors.ts';
import type { LiveResource, OpenedBytes } from '../../served-source.ts';

/**
 * Opens a file that is an artifact, or a range of one. Its state contains everything except the bytes, which are read
 * when they are sent.
 * @throws TidemarkError `unavailable` when the state does not contain its place
 */
export function openStoredFile(
  { key, state }: LiveResource,
  artifacts: Pick<ArtifactStore, 'get' | 'name'>,
): OpenedBytes {
  const { record, hashes, length, mime, lastmod: lastModified } = state;
  const digest = hashes?.['sha-256'];
  if (record === undefined || digest === undefined || length === undefined) {
    throw new TidemarkError('unavailable', `where ${key} is is not known`, { key });
  }
  return {
    length,
    mime,
    tag: digest,
    lastModified,
    // After another stream became the default, the key may belong to another file, even an older one.
    dateTellsVersions: false,
    async read(range) {
      try {
        const { artifact: key, offset: start } = record;
        const bytes = { key, length, sha256: digest, ...(start > 0 && { within: { start, length } }) };
        return (await openCompared(artifacts, bytes, range)).body;
      } catch (error) {
        throw unreadable(error, record.artifact, artifacts.name);
      }
    },
    async close() {},
  };
}
