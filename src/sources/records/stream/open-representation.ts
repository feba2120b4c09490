import type { ResourceSet } from '../../../core/resource-set.ts';
import { MARC_TYPE } from '../../../records/digests/walk-records.ts';
import { MarcRecord } from '../../../records/forms/marc/marc-record.ts';
import { writeMarcXml } from '../../../records/forms/marc/write-marcxml.ts';
import type { LiveResource, OpenedBytes, Representation, WantedBytes } from '../../served-source.ts';
import type { ArtifactRecords } from '../artifact/artifact-records.ts';
import { openRecord } from '../artifact/open-record.ts';

const MARC21: Representation = { mime: MARC_TYPE, suffix: '.mrc' };
const MARCXML: Representation = {
  mime: 'application/marcxml+xml',
  suffix: '.xml',
  alsoAsked: ['application/xml', 'text/xml'],
};
/** MARC21 is the stored form, and the one that the lists describe. */
export const REPRESENTATIONS: readonly Representation[] = [MARC21, MARCXML];

/** Increased when the same record is rendered as different bytes. */
const XML_VERSION = 'x1';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/**
 * Opens a record as MARC21, or as MARCXML.
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
  if (representation?.suffix !== MARCXML.suffix) return stored;
  const { record, hashes } = resource.state;
  const { document } = await records.read(record!, hashes!['sha-256']!);
  const { buffer, byteOffset, byteLength } = document;
  const bytes = Buffer.from(DECLARATION + writeMarcXml(new MarcRecord(Buffer.from(buffer, byteOffset, byteLength))));
  return {
    ...stored,
    length: bytes.length,
    mime: MARCXML.mime,
    tag: `${stored.tag}-${XML_VERSION}`,
    read: async ({ start, length }) => bytes.subarray(start, start + length),
  };
}
