import { setUris } from '../../core/document-uris.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { boundaryBefore, type Stamp } from '../../core/stamp.ts';
import { parseDatetime } from '../../core/w3c-datetime.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import { DocumentComparison, type Publishers } from './compare-documents.ts';
import type { DifferenceList } from './differences.ts';
import { type EntriesInput, locsOf, PublishedChanges, PublishedResources } from './published-entries.ts';

/** What is compared with the store. */
export interface Published extends Publishers {
  readonly baseUrl: string;
  /** Resolves when the documents of earlier processes are known. */
  readonly stock: Promise<void>;
  /** The sets that everybody may see. */
  shown(): Promise<readonly ResourceSet[]>;
}

export interface PublishedInput {
  readonly set: ResourceSet;
  readonly index: ResourceIndex;
  readonly published: Published;
  readonly differences: DifferenceList;
  /** Called with how many documents were compared so far. */
  readonly onProgress: (done: number) => void;
}

export interface PublishedCounts {
  readonly documents: number;
  /** That changed faster than they could be compared. */
  readonly unsettled: number;
  readonly resources: number;
  readonly changes: number;
}

type Compare = (name: string, find: Parameters<DocumentComparison['compare']>[1]) => Promise<string>;

/**
 * Compares every document of a set, as it is served, with the store: rendered anew, byte by byte; and the union of the pages with the state, that
 * of the windows with the log, entry by entry. Memory is that of two documents.
 * @throws TidemarkError `not-ready` while the set is read for the first time, or moved
 */
export async function verifyPublished(input: PublishedInput): Promise<PublishedCounts> {
  const { set, index, published, differences, onProgress } = input;
  await published.stock;
  const lastChange = async () => (await index.summary(set.id)).lastChange;
  const comparison = new DocumentComparison({ ...published, differences, lastChange });
  const compare: Compare = async (name, find) => {
    const { text } = await comparison.compare(name, find);
    onProgress(comparison.documents);
    return text;
  };
  const entries: EntriesInput = { set, index, differences, start: await index.watermark() };
  await verifyDescription(input, compare);
  await compare('capabilitylist.xml', (publisher) => publisher.capabilityList(set.slug));
  const resources = await verifyPages(entries, compare);
  const changes = await verifyWindows(entries, compare);
  await compare('changelist-recent.xml', (publisher) => publisher.recentChanges(set.slug));
  const { documents, unsettled } = comparison;
  return { documents, unsettled, resources, changes };
}

/** The Source Description that everybody gets lists the set once, unless it is private. */
async function verifyDescription({ set, published, differences }: PublishedInput, compare: Compare): Promise<void> {
  const shown = await published.shown();
  const index = await compare('the Source Description', (publisher) => publisher.sourceDescription(shown));
  const parts = [...locsOf(index, 'sitemap')].map((uri) => /description-(\d+)\.xml$/.exec(uri)?.[1] ?? '');
  const { capabilityList } = setUris(published.baseUrl, set.slug);
  let listed = countOf(index, capabilityList);
  for (const part of parts) {
    const text = await compare(`description-${part}.xml`, (publisher) => publisher.descriptionPart(shown, part));
    listed += countOf(text, capabilityList);
  }
  const expected = set.private === true ? 0 : 1;
  if (listed === expected) return;
  const message = `the Source Description lists ${capabilityList} ${listed} times instead of ${expected}`;
  differences.add({ kind: 'document', document: 'the Source Description', message });
}

function countOf(text: string, uri: string): number {
  let count = 0;
  for (const loc of locsOf(text, 'url')) if (loc === uri) count += 1;
  return count;
}

async function verifyPages(entries: EntriesInput, compare: Compare): Promise<number> {
  const { slug } = entries.set;
  const resources = new PublishedResources(entries);
  const list = await compare('resourcelist.xml', (publisher) => publisher.resourceList(slug));
  await resources.take('resourcelist.xml', list);
  for (const [document, name] of partsOf(list, 'resourcelist')) {
    const page = await compare(document, (publisher) => publisher.resourcePage(slug, name));
    await resources.take(document, page);
  }
  await resources.end();
  return resources.count;
}

async function verifyWindows(entries: EntriesInput, compare: Compare): Promise<number> {
  const { slug, epochStart } = entries.set;
  const list = await compare('changelist.xml', (publisher) => publisher.changeList(slug));
  const changes = new PublishedChanges(entries, beginOf(list) ?? epochStart);
  await changes.take('changelist.xml', list);
  for (const [document, name] of partsOf(list, 'changelist')) {
    const window = await compare(document, (publisher) => publisher.changeWindow(slug, name));
    await changes.take(document, window);
  }
  await changes.end();
  return changes.count;
}

/** The documents that an index lists, with the names that they have there. */
function* partsOf(index: string, list: string): Iterable<readonly [string, string]> {
  for (const uri of locsOf(index, 'sitemap')) {
    const document = uri.slice(uri.lastIndexOf('/') + 1);
    yield [document, document.slice(list.length + 1, -'.xml'.length)];
  }
}

/** The boundary at which a list of changes begins: an index may leave out the oldest of too many windows. */
function beginOf(list: string): Stamp | undefined {
  const from = /<rs:md capability="changelist" from="([^"]*)"/.exec(list)?.[1];
  const begin = from === undefined ? 'none' : parseDatetime(from);
  return typeof begin === 'number' ? boundaryBefore(begin) : undefined;
}
