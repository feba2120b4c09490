import type { OaiReading } from '../../src/records/forms/oai/oai-reading.ts';
import { type OaiRecord, readOaiRecord } from '../../src/records/forms/oai/oai-record.ts';
import { readFile } from '../../src/records/forms/read-file.ts';
import type { ReadItem, SharedByFiles } from '../../src/records/forms/record-form.ts';

export const OAI = 'http://www.openarchives.org/OAI/2.0/';
export const OAI_DC = 'http://www.openarchives.org/OAI/2.0/oai_dc/';
export const DC = 'http://purl.org/dc/elements/1.1/';
export const RESPONSE_DATE = '2026-11-29T04:00:00Z';

/** How a harvest of oai_dc reads. */
export const READING: OaiReading = { kind: 'oai', format: 'oai_dc', namespace: OAI_DC, malformed: 'stop' };

export const dc = (title: string): string =>
  `<oai_dc:dc xmlns:oai_dc="${OAI_DC}" xmlns:dc="${DC}"><dc:title>${title}</dc:title></oai_dc:dc>`;

interface PageRecord {
  readonly datestamp?: string;
  readonly specs?: readonly string[];
  readonly metadata?: string;
  readonly more?: string;
}

/** A record of a response. */
export function record(id: string, { datestamp, specs = [], metadata, more = '' }: PageRecord = {}): string {
  const sets = specs.map((spec) => `<setSpec>${spec}</setSpec>`).join('');
  const header = `<identifier>${id}</identifier><datestamp>${datestamp ?? '2026-02-03'}</datestamp>${sets}`;
  return `<record><header>${header}</header><metadata>${metadata ?? dc(id)}</metadata>${more}</record>`;
}

export const deleted = (id: string, more = ''): string =>
  `<record><header status="deleted"><identifier>${id}</identifier><datestamp>2026-02-03</datestamp></header>${more}</record>`;

/** A response to ListRecords. */
export function page(content: string, { verb = 'ListRecords', declarations = '', before = '' } = {}): string {
  return `<?xml version="1.0" encoding="UTF-8"?>${before}
<OAI-PMH xmlns="${OAI}" ${declarations}><responseDate>${RESPONSE_DATE}</responseDate>
<request verb="${verb}" metadataPrefix="oai_dc">https://example.org/oai</request>
<${verb}>
${content}
</${verb}>
</OAI-PMH>
`;
}

export interface PageOptions {
  readonly reading?: OaiReading | undefined;
  /** Bytes of each chunk. */
  readonly chunk?: number;
  readonly shared?: SharedByFiles;
}

/** What is read of a page. */
export async function readPage(
  content: string | Buffer,
  { reading, chunk = 65_536, shared = {} }: PageOptions = {},
): Promise<readonly ReadItem[]> {
  const bytes = Buffer.from(content);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const items: ReadItem[] = [];
  const file = { kind: 'oai', path: ['000001.xml'], packing: [], bytes: chunks() };
  for await (const batch of readFile(file, reading, shared)) items.push(...batch);
  return items;
}

/** The stored documents of a page. */
export async function documentsOf(content: string | Buffer, options?: PageOptions): Promise<readonly Buffer[]> {
  return (await readPage(content, options)).map((item) => {
    if (item.kind !== 'record') throw new Error(`${item.kind}: ${'reason' in item ? item.reason : item.id}`);
    return Buffer.from(item.record.bytes);
  });
}

/** The records of a page, as they are stored. */
export async function recordsOf(content: string | Buffer, options?: PageOptions): Promise<readonly OaiRecord[]> {
  return (await documentsOf(content, options)).map(readOaiRecord);
}

/** A word for each item: its kind, its id, and what is wrong with it. */
export function summaryOf(items: readonly ReadItem[]): readonly string[] {
  return items.map((item) => {
    const id = item.id === undefined ? '' : ` ${item.id}`;
    if (item.kind === 'erratum') return `${item.warning ? 'warning' : 'erratum'}${id}: ${item.reason}`;
    return `${item.kind}${id}${item.kind === 'record' && item.warning !== undefined ? ` (${item.warning})` : ''}`;
  });
}
