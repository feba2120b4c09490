import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import {
  type Imported,
  isPublished,
  leastPrefixWeight,
  parseSlug,
  type ResourceSet,
  type SetFields,
  type SetId,
} from '../core/resource-set.ts';
import { resourcesPrefix } from '../core/set-uris.ts';
import type { Stamp } from '../core/stamp.ts';
import { fromStoredSet, type StoredSet, toStoredSet } from '../core/stored-set.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';
import { changedSet, draftSet, type NewSet, parseUrlPrefix } from './new-set.ts';
import { rekey } from './rekey.ts';
import { removeSet } from './remove-set.ts';
import { requireUris } from './require-uris.ts';
import { SetNames } from './set-names.ts';

/** The settings of the whole source. */
export interface SourceSettings {
  readonly baseUrl: string;
  /**
   * False until a server publishes with the base URL: until then no client knows it. Absent in a source of an older
   * version, which may have published.
   */
  readonly served?: boolean;
}

type Index = Pick<ChangeLog, 'mark' | 'commit' | 'tail'> &
  Pick<ResourceStates, 'read' | 'lookup'> &
  Pick<SetStatistics, 'summary'>;

/** The resource sets and the source's base URL in the catalog; each call sees what other processes have written. */
export class SetRegistry {
  readonly #catalog: Catalog;
  readonly #index: Index;
  readonly #bySlug = new Map<string, CatalogDocument<ResourceSet>>();
  readonly #byId = new Map<SetId, ResourceSet>();
  readonly #names = new SetNames();
  /** Every set put up to this version is known. */
  #head = 0;
  #lastId = 0;
  /** The result of `list`, until a set changes. */
  #listed: readonly ResourceSet[] | undefined;
  /** The result of `knownRemoved`, until a set changes. */
  #removed: readonly SetId[] | undefined;

  constructor(catalog: Catalog, index: Index) {
    this.#catalog = catalog;
    this.#index = index;
  }

  /** Rises with every change of any set: the version of the Source Description. */
  async version(): Promise<number> {
    await this.#load();
    return this.#head;
  }

  /** The sets that are not removed, ascending by slug. */
  async list(): Promise<readonly ResourceSet[]> {
    await this.#load();
    this.#listed ??= [...this.#byId.values()]
      .filter(({ removed }) => removed === undefined)
      .sort((a, b) => (a.slug < b.slug ? -1 : 1));
    return this.#listed;
  }

  /**
   * The ids of the sets that were removed, as of the last call of another method: the store still counts their
   * resources.
   */
  knownRemoved(): readonly SetId[] {
    this.#removed ??= [...this.#byId.values()].filter(({ removed }) => removed !== undefined).map(({ id }) => id);
    return this.#removed;
  }

  /**
   * @param isShown a set for which it returns false is treated as one that never existed
   * @throws TidemarkError `not-found`, or `gone` when it was removed
   */
  async bySlug(slug: string, isShown?: (set: ResourceSet) => boolean): Promise<ResourceSet> {
    return (await this.#document(slug, isShown)).body;
  }

  async byId(id: SetId): Promise<ResourceSet | undefined> {
    await this.#load();
    return this.#byId.get(id);
  }

  /**
   * An imported set gets its former name as an alias, if no other set has that name.
   * @throws TidemarkError `conflict` when the slug is or was in use, or another set has a name; `invalid` for an
   * invalid slug or prefix
   */
  async add(set: NewSet): Promise<ResourceSet> {
    parseSlug(set.slug);
    await this.#load();
    const former = this.#bySlug.get(set.slug);
    if (former !== undefined && former.body.unused !== true) throw slugTaken(set.slug);
    const { baseUrl } = await this.source();
    const drafted: ResourceSet = {
      ...draftSet(set, baseUrl),
      id: this.#lastId + 1,
      epochStart: set.epochStart ?? (await this.#index.mark()),
    };
    this.#names.requireFree(drafted);
    const body: ResourceSet = { ...drafted, ...this.#aliasesOf(drafted, set.imported) };
    try {
      await this.#catalog.put('set', catalogId(body.id), toStoredSet(body), undefined);
    } catch (error) {
      // Another process took that number: read again, and take the next.
      if (isTidemarkError(error, 'conflict')) return this.add(set);
      throw error;
    }
    return body;
  }

  /** Records that the set's first scan is complete. */
  async markReady(slug: string): Promise<void> {
    const { body } = await this.#document(slug);
    if (!isPublished(body)) await this.#change(slug, asPublished);
  }

  /** Records how far the set was imported from another index; it is ready when the import is complete. */
  async recordImport(slug: string, imported: Imported): Promise<ResourceSet> {
    return this.#change(slug, (set) => ({
      imported,
      ...(imported.through !== undefined && !imported.stopped && asPublished(set)),
      ...this.#aliasesOf(set, imported),
    }));
  }

  /**
   * Changes settings of the set.
   * @throws TidemarkError `not-found` or `gone`; `conflict` when another set has an alias as its name
   */
  async change(slug: string, changes: SetFields): Promise<ResourceSet> {
    const now = await this.#index.mark();
    return this.#replace(slug, (set) => {
      const changed = changedSet(set, changes, now);
      this.#names.requireFree(changed);
      return changed;
    });
  }

  /**
   * Moves the set's resources to another prefix: a new epoch begins, and names of the old one answer 410. The set is
   * not ready until every resource whose URI is below the new prefix has the key of that URI.
   * @throws TidemarkError `conflict` when a URI would be too long or too short; then nothing is changed
   */
  async move(slug: string, urlPrefix: string): Promise<ResourceSet> {
    const prefix = parseUrlPrefix(urlPrefix);
    await requireUris(this.#index, await this.bySlug(slug), prefix);
    const epochStart = await this.#index.mark();
    return this.#beginEpoch(slug, (set) => ({
      urlPrefix: prefix,
      leastPrefixWeight: leastPrefixWeight(set, prefix),
      epoch: set.epoch + 1,
      epochStart,
    }));
  }

  /**
   * Begins a new epoch with the current state, for a store that was restored from a backup. Corrects keys that an
   * earlier version left wrong after a move.
   */
  async renew(slug: string): Promise<ResourceSet> {
    const clock = epochOfClock(await this.#index.mark());
    return this.#beginEpoch(slug, (set) => ({
      leastPrefixWeight: leastPrefixWeight(set),
      epoch: Math.max(set.epoch + 1, clock),
    }));
  }

  /** Finishes moves that another process began and did not finish. */
  async finishMoves(): Promise<void> {
    for (const { slug, moving } of await this.list()) if (moving !== undefined) await this.#finishEpoch(slug);
  }

  /**
   * Removes the set from the source; its log stays in the store. Returns whether its slug can be used again, which is
   * so if it never had a change.
   */
  async remove(slug: string): Promise<boolean> {
    try {
      return await removeSet({ catalog: this.#catalog, index: this.#index }, await this.#document(slug));
    } catch (error) {
      if (isTidemarkError(error, 'conflict')) return this.remove(slug);
      throw error;
    }
  }

  /** @throws TidemarkError `not-found` before the source has a base URL */
  async source(): Promise<SourceSettings> {
    const document = await this.#catalog.get<SourceSettings>('source', 'source');
    if (document === undefined) throw new TidemarkError('not-found', 'the source has no base URL yet');
    return document.body;
  }

  /**
   * Sets the base URL of the source. Changing it moves every set below it, and must be confirmed.
   * @throws TidemarkError `conflict` when the source has another one and `confirmed` is false
   */
  async useBaseUrl(baseUrl: string, confirmed: boolean): Promise<void> {
    const current = await this.#catalog.get<SourceSettings>('source', 'source');
    if (current?.body.baseUrl === baseUrl) return;
    if (current !== undefined && !confirmed) {
      throw new TidemarkError(
        'conflict',
        `this source has the base URL ${current.body.baseUrl}; with ${baseUrl} every URI changes and its history begins anew`,
        { field: 'baseUrl', baseUrl: current.body.baseUrl },
      );
    }
    // The sets first: after a crash in between, the change must be confirmed again, and moves the remaining sets.
    if (current !== undefined) await this.#moveBelow(current.body.baseUrl, baseUrl);
    try {
      const body: SourceSettings = { served: false, ...current?.body, baseUrl };
      await this.#catalog.put('source', 'source', body, current?.version);
    } catch (error) {
      // Another process has set one meanwhile, perhaps the same.
      if (isTidemarkError(error, 'conflict')) return this.useBaseUrl(baseUrl, confirmed);
      throw error;
    }
  }

  /** Records that clients can read the source now. */
  async markServed(): Promise<void> {
    const current = await this.#catalog.get<SourceSettings>('source', 'source');
    if (current?.body.served !== false) return;
    try {
      await this.#catalog.put('source', 'source', { ...current.body, served: true }, current.version);
    } catch (error) {
      if (isTidemarkError(error, 'conflict')) return this.markServed();
      throw error;
    }
  }

  async #moveBelow(oldBaseUrl: string, baseUrl: string): Promise<void> {
    const sets = await this.list();
    const isBelow = ({ slug, urlPrefix }: ResourceSet) => urlPrefix === resourcesPrefix(oldBaseUrl, slug);
    const prefixOf = ({ slug }: ResourceSet) => resourcesPrefix(baseUrl, slug);
    for (const set of sets) if (isBelow(set)) await requireUris(this.#index, set, prefixOf(set));
    for (const set of sets) {
      const { slug, moving } = set;
      if (isBelow(set)) await this.move(slug, prefixOf(set));
      else if (moving !== undefined) await this.#finishEpoch(slug);
    }
  }

  async #beginEpoch(slug: string, change: (set: ResourceSet) => Partial<ResourceSet>): Promise<ResourceSet> {
    const { id, imported } = await this.bySlug(slug);
    const { lastChange } = await this.#index.summary(id);
    const asImported = imported?.through !== undefined && lastChange <= imported.through;
    await this.#change(slug, (set) => ({
      ...change(set),
      ready: false,
      moving: set.moving ?? { ready: set.ready, asImported },
    }));
    return this.#finishEpoch(slug);
  }

  /** Lists of the new epoch begin when all keys are correct. */
  async #finishEpoch(slug: string): Promise<ResourceSet> {
    // Every commit after this mark uses the new prefix; reads after it see all earlier commits.
    await this.#index.mark();
    await rekey(this.#index, (await this.#document(slug)).body);
    const epochStart = await this.#index.mark();
    const { lastChange } = await this.#index.summary((await this.bySlug(slug)).id);
    return this.#change(slug, ({ moving, ready, imported }) => ({
      epochStart,
      ready: moving?.ready ?? ready,
      moving: undefined,
      // A later import may continue: the changes made here undo nothing of it.
      ...(imported !== undefined && moving?.asImported && { imported: { ...imported, through: lastChange } }),
    }));
  }

  #aliasesOf(set: ResourceSet, imported: Imported | undefined): Pick<ResourceSet, 'aliases'> {
    const aliases = imported === undefined ? set.aliases : this.#names.aliasesWith(set, imported.name);
    return aliases === undefined || aliases.length === 0 ? {} : { aliases };
  }

  #change(slug: string, change: (set: ResourceSet) => Partial<ResourceSet>): Promise<ResourceSet> {
    return this.#replace(slug, (set) => ({ ...set, ...change(set) }));
  }

  async #replace(slug: string, change: (set: ResourceSet) => ResourceSet): Promise<ResourceSet> {
    const { id, version, body } = await this.#document(slug);
    const changed = change(body);
    try {
      await this.#catalog.put('set', id, toStoredSet(changed), version);
    } catch (error) {
      if (isTidemarkError(error, 'conflict')) return this.#replace(slug, change);
      throw error;
    }
    return changed;
  }

  async #document(slug: string, isShown?: (set: ResourceSet) => boolean): Promise<CatalogDocument<ResourceSet>> {
    await this.#load();
    const document = this.#bySlug.get(slug);
    if (document === undefined || isShown?.(document.body) === false)
      throw new TidemarkError('not-found', `there is no set "${slug}"`, { set: slug });
    if (document.body.removed !== undefined)
      throw new TidemarkError('gone', `the set "${slug}" was removed`, { set: slug });
    return document;
  }

  /** Reads only what was put since the last read: there may be many sets, and few of them change. */
  async #load(): Promise<void> {
    const head = await this.#catalog.head('set');
    if (head <= this.#head) return;
    for (const { body, ...document } of await this.#catalog.list<StoredSet>('set', this.#head)) {
      this.#take({ ...document, body: fromStoredSet(body) });
    }
    this.#head = Math.max(this.#head, head);
  }

  #take(document: CatalogDocument<ResourceSet>): void {
    const { version, body } = document;
    // Of two concurrent loads, the one that ends last may have read first.
    if (version < (this.#bySlug.get(body.slug)?.version ?? 0)) return;
    this.#names.replace(this.#byId.get(body.id), body);
    this.#bySlug.set(body.slug, document);
    this.#byId.set(body.id, body);
    this.#lastId = Math.max(this.#lastId, body.id);
    this.#listed = undefined;
    this.#removed = undefined;
  }
}

function asPublished({ moving }: ResourceSet): Partial<ResourceSet> {
  return moving === undefined ? { ready: true } : { moving: { ...moving, ready: true } };
}

/** Catalog ids of sets sort as their numbers do. */
export function catalogId(id: SetId): string {
  return String(id).padStart(10, '0');
}

/**
 * A restored store does not know which epochs it has lost, and none of their names may be reused with another meaning.
 * Epochs that only count moves never reach the number of minutes since 2020.
 */
function epochOfClock(stamp: Stamp): number {
  return Math.floor((stamp / 1_000_000 - 1_577_836_800) / 60);
}

function slugTaken(slug: string): TidemarkError {
  return new TidemarkError('conflict', `there is, or was, a set "${slug}": choose another id`, { set: slug });
}
