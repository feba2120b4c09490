import { TidemarkError } from '../core/errors.ts';
import { escapeXml } from '../lib/escape-xml.ts';
import { OAI_NAMESPACE } from '../records/forms/oai/oai-record.ts';
import type { MetadataFormat } from '../records/metadata-format.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import { writeFormat } from './answers.ts';
import type { Identity } from './identify.ts';
import type { ListedSet } from './lists/answer-list.ts';
import { RecordWriter } from './lists/record-writer.ts';

/** Static repositories are meant for small collections, since a gateway reads the whole document again and again. */
const MOST_STATIC_RECORDS = 5_000;

const NAMESPACE = 'http://www.openarchives.org/OAI/2.0/static-repository';
const SCHEMA = 'http://www.openarchives.org/OAI/2.0/static-repository.xsd';
const PREFIX = 'oai:';

interface StaticSet extends ListedSet {
  readonly index: ListedSet['index'] & Pick<ResourceStates, 'read'>;
}

/**
 * A set as one document (OAI Static Repository 2.0): its records in all formats. Such a document has neither sets nor
 * deletions, and days as datestamps.
 * @throws TidemarkError `conflict` when the set has more records than such a document should have
 */
export async function staticRepository(set: StaticSet, identity: Identity): Promise<AsyncIterable<string>> {
  const { resources } = await set.index.summary(set.id);
  if (resources > MOST_STATIC_RECORDS) {
    const message = `the set has ${resources} records, and a static repository at most ${MOST_STATIC_RECORDS}: harvest it at ${identity.baseUrl}`;
    throw new TidemarkError('conflict', message);
  }
  return writeDocument(set, identity, await set.profile.formats());
}

async function* writeDocument(
  set: StaticSet,
  identity: Identity,
  formats: readonly MetadataFormat[],
): AsyncGenerator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>
<Repository xmlns="${NAMESPACE}" xmlns:oai="${OAI_NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${NAMESPACE} ${SCHEMA}">
${writeIdentity(identity)}
<ListMetadataFormats>${formats.map((format) => writeFormat(format, PREFIX)).join('')}</ListMetadataFormats>
`;
  for (const { prefix } of formats) yield* writeRecords(set, prefix);
  yield '</Repository>\n';
}

function writeIdentity({ name, baseUrl, adminEmail, earliest }: Identity): string {
  return `<Identify>
<oai:repositoryName>${escapeXml(name)}</oai:repositoryName>
<oai:baseURL>${escapeXml(`${baseUrl}/static.xml`)}</oai:baseURL>
<oai:protocolVersion>2.0</oai:protocolVersion>
<oai:adminEmail>${escapeXml(adminEmail)}</oai:adminEmail>
<oai:earliestDatestamp>${earliest.slice(0, 10)}</oai:earliestDatestamp>
<oai:deletedRecord>no</oai:deletedRecord>
<oai:granularity>YYYY-MM-DD</oai:granularity>
</Identify>`;
}

/**
 * In the order of their keys: each record once, however it changes meanwhile. Nothing for a format that none has, since
 * ListRecords is never empty.
 */
async function* writeRecords(set: StaticSet, metadataPrefix: string): AsyncGenerator<string> {
  const writer = new RecordWriter(set, { metadataPrefix, style: 'static' });
  let isEmpty = true;
  for await (const records of set.index.read(set.id, {})) {
    for (const written of await writer.write(records)) {
      if (written === undefined) continue;
      yield isEmpty ? `<ListRecords metadataPrefix="${metadataPrefix}">\n${written}` : written;
      isEmpty = false;
    }
  }
  if (!isEmpty) yield '</ListRecords>\n';
}
