import { basename } from 'node:path';
import type { ResourceSet } from '../../core/resource-set.ts';
import { boundaryBefore, type Stamp } from '../../core/stamp.ts';
import { parseDatetime } from '../../core/w3c-datetime.ts';
import { type DocumentKey, documentUri, type ListedKind, listedKindsOf } from '../../publish/documents.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { DocumentComparison, type Publishers } from './compare-documents.ts';
import type { DifferenceList } from './differences.ts';
import { type EntriesInput, locsOf, PublishedChanges, PublishedResources } from './published-entries.ts';

/** The documents to compare with the store. */
export interface Published extends Publishers {
  readonly baseUrl: string;
  /** Resolves when the documents of earlier processes have been read. */
  readonly cacheScan: Promise<void>;
  /** The public sets. */
  shown(): Promise<readonly ResourceSet[]>;
}

interface PublishedInput {
  readonly set: ResourceSet;
  readonly index: ChangeLog & ResourceStates & SetStatistics;
  readonly published: Published;
  readonly differences: DifferenceList;
  /** Called with the number of documents compared so far. */
  readonly onProgress: (done: number) => void;
}

export interface PublishedCounts {
  readonly documents: number;
  /** Number of documents that changed faster than they could be compared. */
  readonly unsettled: number;
  readonly resources: number;
  readonly changes: number;
}

/** Compares a document. Resolves with its served text. */
type Compare = (key: DocumentKey) => Promise<string>;

/**
 * Compares every served document of a set with a newly rendered one, byte by byte; all pages together with the state,
 * and all windows together with the log, entry by entry. Memory is that of two documents.
 * @throws TidemarkError `not-ready` while the set is read for the first time, or moved
 */
export async function verifyPublished(input: PublishedInput): Promise<PublishedCounts> {
  const { set, index, published, differences, onProgress } = input;
  await published.cacheScan;
  const lastChange = async () => (await index.summary(set.id)).lastChange;
  const comparison = new DocumentComparison({ ...published, differences, lastChange });
  const shown = await published.shown();
  const compare: Compare = async (key) => {
    const { text } = await comparison.compare(fileOf(key), (publisher) =>
      'set' in key ? publisher.setDocument(key) : publisher.sourceDocument(key, shown),
    );
    onProgress(comparison.documents);
    return text;
  };
  const entries: EntriesInput = { set, index, differences, start: await index.watermark() };
  await verifyDescription(input, compare);
  const resources = await verifyPages(entries, compare);
  const changes = await verifyWindows(entries, compare);
  for (const kind of listedKindsOf(set)) if (!BY_ENTRIES.includes(kind)) await compare({ kind, set: set.slug });
  const { documents, unsettled } = comparison;
  return { documents, unsettled, resources, changes };
}

/** Lists whose entries are also compared, in all of their documents. */
const BY_ENTRIES: readonly ListedKind[] = ['resourceList', 'changeList'];
const SOURCE_DESCRIPTION = 'the Source Description';

/** The public Source Description lists the set once, unless it is private. */
async function verifyDescription({ set, published, differences }: PublishedInput, compare: Compare): Promise<void> {
  const index = await compare({ kind: 'sourceDescription' });
  const parts = [...locsOf(index, 'sitemap')].map((uri) => /description-(\d+)\.xml$/.exec(uri)?.[1] ?? '');
  const capabilityList = documentUri(published.baseUrl, { kind: 'capabilityList', set: set.slug });
  let listed = countOf(index, capabilityList);
  for (const part of parts) {
    listed += countOf(await compare({ kind: 'sourceDescriptionPart', part }), capabilityList);
  }
  const expected = set.private === true ? 0 : 1;
  if (listed === expected) return;
  const message = `the Source Description lists ${capabilityList} ${listed} times instead of ${expected}`;
  differences.add({ kind: 'document', document: SOURCE_DESCRIPTION, message });
}

/** The name of the document in messages. */
function fileOf(key: DocumentKey): string {
  return key.kind === 'sourceDescription' ? SOURCE_DESCRIPTION : basename(documentUri('', key));
}

function countOf(text: string, uri: string): number {
  let count = 0;
  for (const loc of locsOf(text, 'url')) if (loc === uri) count += 1;
  return count;
}

async function verifyPages(entries: EntriesInput, compare: Compare): Promise<number> {
  const { slug } = entries.set;
  const resources = new PublishedResources(entries);
  const key = { kind: 'resourceList', set: slug } as const;
  const list = await compare(key);
  await resources.take(fileOf(key), list);
  for (const name of partsOf(list, key)) {
    const page = { kind: 'resourceListPage', set: slug, name } as const;
    await resources.take(fileOf(page), await compare(page));
  }
  await resources.end();
  return resources.count;
}

async function verifyWindows(entries: EntriesInput, compare: Compare): Promise<number> {
  const { slug, epochStart } = entries.set;
  const key = { kind: 'changeList', set: slug } as const;
  const list = await compare(key);
  const changes = new PublishedChanges(entries, beginOf(list) ?? epochStart);
  await changes.take(fileOf(key), list);
  for (const name of partsOf(list, key)) {
    const window = { kind: 'changeListWindow', set: slug, name } as const;
    await changes.take(fileOf(window), await compare(window));
  }
  await changes.end();
  return changes.count;
}

/** The names of the documents that the index of a list contains. */
function* partsOf(index: string, list: DocumentKey): Iterable<string> {
  const before = basename(documentUri('', list), '.xml').length + 1;
  for (const uri of locsOf(index, 'sitemap')) yield basename(uri, '.xml').slice(before);
}

/** The boundary at which a list of changes begins: an index may leave out the oldest of too many windows. */
function beginOf(list: string): Stamp | undefined {
  const from = /<rs:md capability="changelist" from="([^"]*)"/.exec(list)?.[1];
  const begin = from === undefined ? 'none' : parseDatetime(from);
  return typeof begin === 'number' ? boundaryBefore(begin) : undefined;
}
