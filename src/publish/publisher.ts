import { setImmediate } from 'node:timers/promises';
import type { HubSetting } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import type { ResourceKey } from '../core/key.ts';
import { keptSince, type ResourceSet, type SetId } from '../core/resource-set.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { planKeeping } from './archived-lists.ts';
import type { DumpArchives } from './archives/dump-archives.ts';
import type { KnownArchives } from './archives/known-archives.ts';
import type { KeepPlan } from './archives/list-archives.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { Documents } from './cache/fresh-documents.ts';
import type { Renderer } from './cache/renderer.ts';
import { type DocumentPlan, publish, type RequestedRange } from './document-plan.ts';
import type { DocumentPublisher, ListedPage, PageInfo } from './document-publisher.ts';
import {
  DOCUMENTS,
  documentUri,
  type SetDocumentKey,
  type SetRow,
  type SourceDocumentKey,
  setUris,
  sourceUris,
} from './documents.ts';
import type { DumpPlan } from './dumps/dump-plan.ts';
import type { KnownDumps } from './dumps/known-dumps.ts';
import { newestPartOf } from './newest-part.ts';
import { documentName } from './pages/document-name.ts';
import { LogTail } from './pages/log-tail.ts';
import type { PageDirectory } from './pages/page-directory.ts';
import { SetPublication } from './pages/set-publication.ts';
import type { PublishedDocument } from './published-document.ts';
import { entryStyleOf, type PublishedSet, type SetUris } from './published-set.ts';
import { ENTRY_VERSION } from './render/documents/entry.ts';
import { planDump } from './resource-dumps.ts';
import { type PagePlan, planPages } from './resource-lists.ts';
import { hubUri } from './topics.ts';

interface PublisherParts {
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly cache: Documents;
  readonly renderer: Pick<Renderer, 'survey'>;
  readonly dumps: Pick<KnownDumps, 'dumpOf' | 'changePackagesOf'>;
  readonly archives: Pick<KnownArchives, 'archiveOf'>;
  readonly dumpArchives: Pick<DumpArchives, 'dumpOf'>;
  readonly hub: HubSetting;
}

export interface PageCounts {
  readonly current: number;
  readonly outOfDate: number;
}

interface KnownPublication {
  readonly epoch: number;
  readonly uris: SetUris;
  readonly publication: SetPublication;
}

/** Number of pages between two pauses: takes some milliseconds. */
const PAGES_AT_ONCE = 2_000;

/** Publishes the documents of all sets. It reads the log and the state, and is independent of how changes arrive. */
export class Publisher implements DocumentPublisher {
  readonly #parts: PublisherParts;
  readonly #tail: LogTail;
  /** By the set object of the registry: a changed set is another object. */
  readonly #sets = new WeakMap<ResourceSet, { readonly baseUrl: string; readonly published: PublishedSet }>();
  readonly #publications = new Map<SetId, KnownPublication>();

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#tail = new LogTail(parts.index);
  }

  async sourceDocument(key: SourceDocumentKey, shown: readonly ResourceSet[]): Promise<PublishedDocument> {
    const { sets, cache } = this.#parts;
    const { baseUrl } = await sets.source();
    const input = {
      baseUrl,
      shown,
      uri: documentUri(baseUrl, key),
      uris: sourceUris(baseUrl),
    };
    const { part = '' } = key as { readonly part?: string };
    return publish(cache, DOCUMENTS[key.kind].plan(input, part));
  }

  async setDocument(key: SetDocumentKey): Promise<PublishedDocument> {
    return publish(this.#parts.cache, await this.#plan(key));
  }

  /** The address of the last part of a document that is an index; undefined for other documents. */
  async newestPartOf(key: SetDocumentKey): Promise<string | undefined> {
    const { task } = await this.#plan(key);
    return newestPartOf(task().job);
  }

  async #plan(key: SetDocumentKey): Promise<DocumentPlan> {
    const { index, dumps, archives, dumpArchives } = this.#parts;
    const row: SetRow = DOCUMENTS[key.kind];
    const published = row.isEarly === true ? await this.#set(key.set) : await this.#readySet(key.set);
    const { name, part, time, range } = key as {
      readonly name?: string;
      readonly part?: string;
      readonly time?: string;
      readonly range?: RequestedRange;
    };
    const uri = documentUri('', key);
    return row.plan({
      published,
      index,
      uri,
      name: name ?? part ?? time ?? '',
      range,
      dump: () => dumps.dumpOf(published.set),
      changePackages: () => dumps.changePackagesOf(published.set),
      archive: () => archives.archiveOf(published.set),
      archivedDump: (completed) => dumpArchives.dumpOf(published.set, completed),
      settled: (use) => this.#settled(published, use),
    });
  }

  async pages(slug: string): Promise<readonly PageInfo[]> {
    return Promise.all((await this.#pagePlans(slug)).map((page) => this.#pageInfo(page)));
  }

  async pagesFrom(slug: string, { start, most }: { readonly start: number; readonly most: number }) {
    const plans = await this.#pagePlans(slug);
    const shown = plans.slice(start, start + most);
    return { pages: await Promise.all(shown.map((page) => this.#pageInfo(page))), total: plans.length };
  }

  /** @throws TidemarkError `not-ready` while the set is read for the first time */
  publishedSet(slug: string): Promise<PublishedSet> {
    return this.#readySet(slug);
  }

  /** The contents of a new dump of a set. */
  async planDump(slug: string): Promise<DumpPlan> {
    const published = await this.#readySet(slug);
    return this.#settled(published, (directory) => planDump(published, directory));
  }

  /** The contents to keep in the archive of a set. */
  async planKeeping(slug: string): Promise<KeepPlan> {
    const published = await this.#readySet(slug);
    return this.#settled(published, (directory) => planKeeping(published, directory));
  }

  async pageOf(slug: string, key: ResourceKey): Promise<ListedPage> {
    const { uris } = await this.#readySet(slug);
    const plans = await this.#pagePlans(slug);
    const { name } = plans.findLast(({ page }) => page.from <= key)!.page;
    return { name, uri: plans.length === 1 ? uris.resourceList : uris.resourcePage(name) };
  }

  async refreshPage(slug: string, named: string): Promise<PageInfo> {
    const plans = await this.#pagePlans(slug);
    const name = pageNameOf(named);
    const found = name === '' && plans.length === 1 ? plans[0] : plans.find(({ page }) => page.name === name);
    if (found === undefined) throw noSuchPage(slug, named, plans);
    await this.#parts.cache.refresh(found.plan.reference, found.plan.task());
    return this.#pageInfo(found);
  }

  /**
   * Number of pages that are cached in their current version, for sets with a request since the start. Reads neither
   * the store nor the disk.
   */
  async countPages(): Promise<PageCounts> {
    const counts = { current: 0, outOfDate: 0 };
    let counted = 0;
    this.#forgetRemoved();
    for (const [id, { publication, uris }] of this.#publications) {
      const pages = publication.knownPages();
      for (const { name, version } of pages) {
        const document = documentName(pages.length === 1 ? uris.resourceList : uris.resourcePage(name));
        const isCurrent = this.#parts.cache.holds({ folder: folderOf(id), name: document, version });
        counts[isCurrent ? 'current' : 'outOfDate'] += 1;
        // A source of many sets has tens of thousands of pages, and other code needs the thread too.
        if (++counted % PAGES_AT_ONCE === 0) await setImmediate();
      }
    }
    return counts;
  }

  /** Stores the counts, so that the next start is quick. */
  async close(): Promise<void> {
    for (const { publication } of this.#publications.values()) await publication.close();
  }

  async #set(slug: string): Promise<PublishedSet> {
    const { sets } = this.#parts;
    const [set, { baseUrl }] = await Promise.all([sets.bySlug(slug), sets.source()]);
    const known = this.#sets.get(set);
    if (known?.baseUrl === baseUrl) return known.published;
    const uris = setUris(baseUrl, slug);
    const published = {
      ...appearanceOf(set, uris, baseUrl),
      baseUrl,
      uris,
      folder: folderOf(set.id),
      hub: hubUri(this.#parts.hub, baseUrl),
      earlier: (set.earlierHashes ?? []).map(({ hashes: publishHashes, until }, at, all) => {
        const before = { ...set, publishHashes, hashesSince: all[at - 1]?.until ?? 0 };
        return { ...appearanceOf(before, uris, baseUrl), until };
      }),
    };
    this.#sets.set(set, { baseUrl, published });
    return published;
  }

  /** @throws TidemarkError `not-ready` during the set's first scan: an incomplete list is never published */
  async #readySet(slug: string): Promise<PublishedSet> {
    const published = await this.#set(slug);
    if (published.set.ready) return published;
    const what = published.set.moving === undefined ? 'read for the first time' : 'moved';
    throw new TidemarkError('not-ready', `"${slug}" is being ${what}: its lists come when that is complete`);
  }

  async #pagePlans(slug: string): Promise<readonly PagePlan[]> {
    const published = await this.#readySet(slug);
    return this.#settled(published, (directory) => planPages(published, directory));
  }

  async #pageInfo({ page: { name, from, entries, version }, plan }: PagePlan): Promise<PageInfo> {
    const record = await this.#parts.cache.peek(plan.reference);
    const rendered = record && { length: record.lengths.identity, digest: record.digest, rendered: record.rendered };
    return { name, from, entries, version, ...rendered };
  }

  #settled<Result>({ set, uris }: PublishedSet, use: (directory: PageDirectory) => Result): Promise<Result> {
    const { index, catalog, renderer } = this.#parts;
    let known = this.#publications.get(set.id);
    if (known?.epoch !== set.epoch) {
      const survey = renderer.survey.bind(renderer);
      const publication = new SetPublication(set, { index, catalog, tail: this.#tail, survey });
      known = { epoch: set.epoch, uris, publication };
      this.#forgetRemoved();
      this.#publications.set(set.id, known);
    }
    return known.publication.settled(set, use);
  }

  #forgetRemoved(): void {
    for (const id of this.#parts.sets.knownRemoved()) this.#publications.delete(id);
  }
}

/** @param named a page by its name, its file name or its URL; empty for the whole list */
function pageNameOf(named: string): string {
  return named
    .replace(/^.*\//, '')
    .replace(/^resourcelist-?/, '')
    .replace(/\.xml$/, '');
}

function noSuchPage(slug: string, named: string, plans: readonly PagePlan[]): TidemarkError {
  const [first, last] = [plans[0]!.page.name, plans.at(-1)!.page.name];
  const others = first === last ? `the only one is ${first}` : `they are ${first} to ${last}`;
  const message = `the Resource List of "${slug}" has no page "${named}": ${others}, and "tidemark page list ${slug}" lists them`;
  return new TidemarkError('not-found', message, { name: named });
}

/** The folder of a set's documents in the cache. */
function folderOf(id: SetId): string {
  return String(id);
}

/** What its settings make of a set in documents. */
function appearanceOf(
  set: ResourceSet,
  uris: SetUris,
  baseUrl: string,
): Pick<PublishedSet, 'set' | 'style' | 'fingerprint'> {
  const { urlPrefix, publishHashes, epoch } = set;
  const since = keptSince(set);
  const all = [ENTRY_VERSION, baseUrl, urlPrefix, publishHashes, epoch, ...(since === undefined ? [] : [since])];
  return { set, style: entryStyleOf(set, uris), fingerprint: fingerprint(...all) };
}
