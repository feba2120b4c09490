import { setImmediate } from 'node:timers/promises';
import { setUris, sourceUris } from '../core/document-uris.ts';
import { TidemarkError } from '../core/errors.ts';
import type { ResourceSet, SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';
import type { SetRegistry } from '../sets/set-registry.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { ResourceIndex } from '../stores/resource-index.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { Documents } from './cache/fresh-documents.ts';
import type { Renderer } from './cache/renderer.ts';
import { ChangeLists } from './change-lists.ts';
import { LogTail } from './pages/log-tail.ts';
import type { PageDirectory } from './pages/page-directory.ts';
import { SetPublication } from './pages/set-publication.ts';
import { type DocumentPublisher, notOlderThan, type PageInfo, type PublishedDocument } from './published-document.ts';
import type { PublishedSet } from './published-set.ts';
import { ENTRY_VERSION } from './render/documents/entry.ts';
import { type DocumentPlan, type PagePlan, planNamedPage, planPages, planResourceList } from './resource-lists.ts';
import { planDescriptionPart, planSourceDescription } from './source-descriptions.ts';

export interface PublisherParts {
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly cache: Documents;
  readonly renderer: Renderer;
}

export interface PageCounts {
  readonly current: number;
  readonly outOfDate: number;
}

/** Some milliseconds. */
const PAGES_AT_ONCE = 2_000;

/** Publishes the documents of all sets. It reads the log and the state, and knows nothing of who posts. */
export class Publisher implements DocumentPublisher {
  readonly #parts: PublisherParts;
  readonly #tail: LogTail;
  readonly #publications = new Map<SetId, { readonly epoch: number; readonly publication: SetPublication }>();
  readonly #changeLists: ChangeLists;

  constructor(parts: PublisherParts) {
    this.#parts = parts;
    this.#tail = new LogTail(parts.index);
    this.#changeLists = new ChangeLists(parts.index, parts.cache);
  }

  async sourceDescription(shown: readonly ResourceSet[]): Promise<PublishedDocument> {
    const { baseUrl } = await this.#parts.sets.source();
    return this.#make(planSourceDescription(baseUrl, shown));
  }

  async descriptionPart(shown: readonly ResourceSet[], name: string): Promise<PublishedDocument> {
    const { baseUrl } = await this.#parts.sets.source();
    return this.#make(planDescriptionPart(baseUrl, shown, name));
  }

  async capabilityList(slug: string): Promise<PublishedDocument> {
    const { set, uris, folder, fingerprint } = await this.#set(slug);
    const { baseUrl } = await this.#parts.sets.source();
    return this.#parts.cache.get({ folder, name: 'capabilitylist', version: set.epochStart, fingerprint }, () => ({
      newest: set.epochStart,
      job: {
        kind: 'capability-list',
        document: {
          sourceDescription: sourceUris(baseUrl).sourceDescription,
          describedBy: uris.home,
          capabilities: [
            { uri: uris.resourceList, capability: 'resourcelist' },
            { uri: uris.changeList, capability: 'changelist' },
          ],
        },
      },
    }));
  }

  async resourceList(slug: string): Promise<PublishedDocument> {
    const published = await this.#readySet(slug);
    const plan = await this.#settled(published, (directory) => planResourceList(published, directory));
    return this.#makePage(published, plan);
  }

  async resourcePage(slug: string, name: string): Promise<PublishedDocument> {
    const published = await this.#readySet(slug);
    const plan = await this.#settled(published, (directory) => planNamedPage(published, directory, name));
    return this.#makePage(published, plan);
  }

  async changeList(slug: string): Promise<PublishedDocument> {
    return this.#changeLists.list(await this.#readySet(slug));
  }

  async recentChanges(slug: string): Promise<PublishedDocument> {
    return this.#changeLists.recent(await this.#readySet(slug));
  }

  async changeWindow(slug: string, name: string): Promise<PublishedDocument> {
    return this.#changeLists.window(await this.#readySet(slug), name);
  }

  async changesBetween(slug: string, range: { readonly from: Stamp | undefined; readonly until: Stamp | undefined }) {
    return this.#changeLists.between(await this.#readySet(slug), range);
  }

  async pages(slug: string): Promise<readonly PageInfo[]> {
    return Promise.all((await this.#pagePlans(slug)).map((page) => this.#pageInfo(page)));
  }

  async pagesFrom(slug: string, { start, most }: { readonly start: number; readonly most: number }) {
    const plans = await this.#pagePlans(slug);
    const shown = plans.slice(start, start + most);
    return { pages: await Promise.all(shown.map((page) => this.#pageInfo(page))), total: plans.length };
  }

  async refreshPage(slug: string, name: string): Promise<PageInfo> {
    const found = (await this.#pagePlans(slug)).find(({ page }) => page.name === name);
    if (found === undefined) throw new TidemarkError('not-found', `the set "${slug}" has no page "${name}"`, { name });
    await this.#parts.cache.refresh(found.plan.reference, found.plan.making);
    return this.#pageInfo(found);
  }

  /**
   * How many pages are rendered in the version that they have by now, of the sets that somebody asked for since the start. It reads
   * neither store nor disk.
   */
  async countPages(): Promise<PageCounts> {
    const counts = { current: 0, outOfDate: 0 };
    let counted = 0;
    for (const [id, { publication }] of this.#publications) {
      for (const { document, version } of publication.knownPages()) {
        const isCurrent = this.#parts.cache.holds({ folder: folderOf(id), name: document, version });
        counts[isCurrent ? 'current' : 'outOfDate'] += 1;
        // A source of many sets has tens of thousands of pages, and others want the thread too.
        if (++counted % PAGES_AT_ONCE === 0) await setImmediate();
      }
    }
    return counts;
  }

  /** Stores what was counted, so that the next start is quick. */
  async close(): Promise<void> {
    for (const { publication } of this.#publications.values()) await publication.close();
  }

  async #set(slug: string): Promise<PublishedSet> {
    const { sets } = this.#parts;
    const [set, { baseUrl }] = await Promise.all([sets.bySlug(slug), sets.source()]);
    const { urlPrefix, publishHashes, epoch } = set;
    return {
      set,
      uris: setUris(baseUrl, slug),
      style: { urlPrefix, publishHashes },
      folder: folderOf(set.id),
      fingerprint: fingerprint(ENTRY_VERSION, baseUrl, urlPrefix, publishHashes, epoch),
    };
  }

  /** @throws TidemarkError `not-ready` while the set's first scan goes on: a list is never a part of itself */
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

  #make({ reference, making }: DocumentPlan): Promise<PublishedDocument> {
    return this.#parts.cache.get(reference, () => making);
  }

  async #makePage({ set }: PublishedSet, plan: DocumentPlan): Promise<PublishedDocument> {
    const document = await this.#make(plan);
    return notOlderThan(Math.max(set.pagesSince ?? 0, set.hashesSince ?? 0), document);
  }

  #settled<Result>({ set }: PublishedSet, use: (directory: PageDirectory) => Result): Promise<Result> {
    const { index, catalog, renderer } = this.#parts;
    let known = this.#publications.get(set.id);
    if (known?.epoch !== set.epoch) {
      const survey = renderer.survey.bind(renderer);
      known = { epoch: set.epoch, publication: new SetPublication(set, { index, catalog, tail: this.#tail, survey }) };
      this.#publications.set(set.id, known);
    }
    return known.publication.settled(set, use);
  }
}

/** The folder of a set's documents in the cache. */
function folderOf(id: SetId): string {
  return String(id);
}
