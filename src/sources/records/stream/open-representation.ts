import type { ResourceSet } from '../../../core/resource-set.ts';
import { STORED } from '../../../records/forms/record-forms.ts';
import type { LiveResource, OpenedBytes, Representation, WantedBytes } from '../../served-source.ts';
import type { ArtifactRecords } from '../artifact/artifact-records.ts';
import { openRecord } from '../artifact/open-record.ts';

const RENDERED = STORED.flatMap(({ stored, rendered }) => rendered.map((one) => ({ ...one, of: stored.mime })));

/** Of each form, first the stored bytes, which the lists describe. */
export const REPRESENTATIONS: readonly Representation[] = STORED.flatMap(({ stored }) => [
  { ...stored, of: stored.mime },
  ...RENDERED.filter((one) => one.of === stored.mime),
]);

/**
 * Opens a record as it is stored, or rendered.
 * @throws TidemarkError `unavailable` when it cannot be read
 */
export async function openRepresentation(
  set: Pick<ResourceSet, 'slug'>,
  resource: LiveResource,
  {
    representation,
    records,
  }: Pick<WantedBytes, 'representation'> & { readonly records: Pick<ArtifactRecords, 'read'> },
): Promise<OpenedBytes> {
  const stored = openRecord(set, resource, records);
  const rendered = RENDERED.find((one) => one === representation);
  if (rendered === undefined) return stored;
  const { record, hashes } = resource.state;
  const { document } = await records.read(record!, hashes!['sha-256']!);
  const { buffer, byteOffset, byteLength } = document;
  const bytes = await rendered.render(Buffer.from(buffer, byteOffset, byteLength));
  return {
    ...stored,
    length: bytes.length,
    mime: rendered.mime,
    tag: `${stored.tag}-${rendered.version}`,
    read: async ({ start, length }) => bytes.subarray(start, start + length),
  };
}
