import { TidemarkError } from '../../../core/errors.ts';
import type { ResourceSet } from '../../../core/resource-set.ts';
import type { LiveResource, OpenedBytes } from '../../served-source.ts';
import type { ArtifactRecords } from './artifact-records.ts';

/**
 * Opens the document of a record. The state has everything except the bytes, so only they are read: one range request.
 * @throws TidemarkError `unavailable` when the state does not contain the place of the record
 */
export function openRecord(
  set: Pick<ResourceSet, 'slug'>,
  { state }: LiveResource,
  records: Pick<ArtifactRecords, 'read'>,
): OpenedBytes {
  const { record, hashes, length, mime, lastmod: lastModified } = state;
  const digest = hashes?.['sha-256'];
  if (record === undefined || digest === undefined || length === undefined) throw notCompared(set);
  return {
    length,
    mime,
    tag: digest,
    lastModified,
    // Two runs of one provider never start in the same second.
    dateTellsVersions: true,
    async read(range) {
      const { document } = await records.read(record, digest);
      return Buffer.from(document.buffer, document.byteOffset + range.start, range.length);
    },
    async close() {},
  };
}

function notCompared({ slug }: Pick<ResourceSet, 'slug'>): TidemarkError {
  return new TidemarkError('unavailable', `where this record is is not known: run "tidemark scan ${slug} --rehash"`, {
    set: slug,
  });
}
