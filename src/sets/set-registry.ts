import { isDeepStrictEqual } from 'node:util';
import { isTidemarkError, unlessConflict } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { HiddenFiles } from '../core/resource-set.ts';
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
import { toStoredSet } from '../core/stored-set.ts';
import { type ClosedRange, type Prune, prunedBefore, withPrune } from '../core/version-prunes.ts';
import type { Catalog } from '../stores/catalog.ts';
import type { ChangeLog } from '../stores/change-log.ts';
import { catalogId } from '../stores/document-of-set.ts';
import type { ResourceStates } from '../stores/resource-states.ts';
import type { SetStatistics } from '../stores/set-statistics.ts';
import { Epochs, epochOfClock } from './epochs.ts';
import { changedSet, draftSet, type NewSet, parseUrlPrefix, scheduledSince } from './new-set.ts';
import { removeSet, requireRemovable } from './remove-set.ts';
import { requireUris } from './require-uris.ts';
import { SetDocuments } from './set-documents.ts';
import { hasNoSource } from './set-errors.ts';
import { type SourceSettings, StoredSource } from './source-settings.ts';

type Index = Pick<ChangeLog, 'mark' | 'commit' | 'tail'> &
  Pick<ResourceStates, 'read' | 'lookup'> &
  Pick<SetStatistics, 'summary'>;

/** The resource sets and the source's base URL in the catalog; each call sees what other processes have written. */
export class SetRegistry {
  readonly #catalog: Catalog;
  readonly #index: Index;
  readonly #documents: SetDocuments;
  readonly #epochs: Epochs;
  readonly #source: StoredSource;

  constructor(catalog: Catalog, index: Index) {
    this.#catalog = catalog;
    this.#index = index;
    this.#documents = new SetDocuments(catalog);
    this.#epochs = new Epochs(this.#documents, index);
    this.#source = new StoredSource(catalog);
  }

  /** Rises with every change of any set: the version of the Source Description. */
  async version(): Promise<number> {
    await this.#documents.load();
    return this.#documents.version;
  }

  /** The sets that are not removed, ascending by slug. */
  async list(): Promise<readonly ResourceSet[]> {
    await this.#documents.load();
    return this.#documents.list();
  }

  /**
   * The ids of the sets that were removed, as of the last call of another method: the store still counts their
   * resources.
   */
  knownRemoved(): readonly SetId[] {
    return this.#documents.removed();
  }

  /**
   * @param isShown a set for which it returns false is treated as one that never existed
   * @throws TidemarkError `not-found`, or `gone` when it was removed
   */
  async bySlug(slug: string, isShown?: (set: ResourceSet) => boolean): Promise<ResourceSet> {
    await this.#documents.load();
    return this.#documents.known(slug, isShown).body;
  }

  async byId(id: SetId): Promise<ResourceSet | undefined> {
    await this.#documents.load();
    return this.#documents.byId(id);
  }

  /**
   * An imported set gets its former name as an alias, if no other set has that name.
   * @throws TidemarkError `conflict` when the slug is or was in use, or another set has a name; `invalid` for an
   * invalid slug, prefix or setting
   */
  async add(set: NewSet): Promise<ResourceSet> {
    parseSlug(set.slug);
    await this.#documents.requireUnused(set.slug);
    const { baseUrl } = await this.source();
    const draft = draftSet(set, baseUrl);
    const epochStart = set.epochStart ?? (await this.#index.mark());
    const drafted: ResourceSet = {
      ...draft,
      ...scheduledSince(draft),
      id: this.#documents.lastId + 1,
      epochStart,
      ...(set.keepVersions === true && { versionsSince: epochStart }),
    };
    this.#documents.names.requireFree(drafted);
    const body: ResourceSet = { ...drafted, ...this.#documents.names.aliasesOf(drafted, set.imported) };
    const put = await unlessConflict(this.#catalog.put('set', catalogId(body.id), toStoredSet(body), undefined));
    // Another process took that number: read again, and use the next one.
    return put === undefined ? this.add(set) : body;
  }

  /** @throws TidemarkError `conflict` when a slug is or was in use, or is an alias of a set */
  async requireFree(slug: string): Promise<void> {
    await this.#documents.requireUnused(slug);
    this.#documents.names.requireFree({ id: this.#documents.lastId + 1, slug });
  }

  /** Records that the set's first scan is complete. */
  async markReady(slug: string): Promise<void> {
    const { body } = await this.#documents.require(slug);
    if (!isPublished(body)) await this.#change(slug, asPublished);
  }

  /** Records why the set cannot be synced with its source, or that it can be again. */
  async recordTrouble(slug: string, problem: string | undefined): Promise<void> {
    const { trouble } = (await this.#documents.require(slug)).body;
    if (trouble?.problem === problem) return;
    const since = trouble?.since ?? Date.now();
    await this.#change(slug, () => ({ trouble: problem === undefined ? undefined : { since, problem } }));
  }

  /** Records the hidden files that a full scan found; undefined when there was none. */
  recordHidden(slug: string, hidden: HiddenFiles | undefined): Promise<void> {
    return this.#record(slug, { hidden });
  }

  /** Records the epoch of the set's Resource Dump; undefined when it has none. */
  recordDump(slug: string, dumpEpoch: number | undefined): Promise<void> {
    return this.#record(slug, { dumpEpoch });
  }

  /** Records the read access to the set that its organization defines. */
  recordReaders(slug: string, access: Required<Pick<ResourceSet, 'private' | 'readers'>>): Promise<void> {
    return this.#record(slug, access);
  }

  /** Records the epochs of the set's archived lists and dumps. */
  recordArchive(slug: string, has: Pick<ResourceSet, 'listArchiveEpoch' | 'dumpArchiveEpoch'>): Promise<void> {
    return this.#record(slug, has);
  }

  /** Records the epoch of the set's Change Dump; undefined when it has none. */
  recordChangeDump(slug: string, changeDumpEpoch: number | undefined): Promise<void> {
    return this.#record(slug, { changeDumpEpoch });
  }

  /**
   * Records that a full scan was completed since the set keeps versions: the version after each later change is
   * kept.
   */
  async recordVersions(slug: string): Promise<void> {
    const lacksStart = (set: ResourceSet) => set.keepVersions === true && set.versionsSince === undefined;
    if (!lacksStart((await this.#documents.require(slug)).body)) return;
    const versionsSince = await this.#index.mark();
    await this.#change(slug, (set) => (lacksStart(set) ? { versionsSince } : {}));
  }

  /**
   * Makes the process that syncs the set compare all of it with its source again, soon.
   * @throws TidemarkError `not-found` or `gone`; `invalid` for a set without a source
   */
  async requestScan(slug: string): Promise<ResourceSet> {
    const { body } = await this.#documents.require(slug);
    if (traitsOf(body.origin).source === undefined) throw hasNoSource(slug);
    const scanRequested = await this.#index.mark();
    return this.#change(slug, () => ({ scanRequested }));
  }

  /**
   * Records which versions of the set will be removed.
   * @param closed its closed Change Lists
   */
  async recordPrune(slug: string, prune: Prune, closed: readonly ClosedRange[]): Promise<void> {
    await this.#change(slug, (set) => {
      return prune.before > prunedBefore(set) ? { versionsPruned: withPrune(set, prune, closed) } : {};
    });
  }

  /** Records the progress of an import from another index. The set is ready when the import is complete. */
  async recordImport(slug: string, imported: Imported): Promise<ResourceSet> {
    return this.#change(slug, (set) => ({
      imported,
      ...(imported.through !== undefined && !imported.stopped && asPublished(set)),
      ...this.#documents.names.aliasesOf(set, imported),
    }));
  }

  /**
   * Changes settings of the set.
   * @throws TidemarkError `not-found` or `gone`; `invalid` for a value that the set cannot have; `conflict` when
   *   another set has an alias as its name
   */
  async change(slug: string, changes: SetFields): Promise<ResourceSet> {
    const now = await this.#index.mark();
    return this.#documents.replace(slug, (set) => {
      const changed = changedSet(set, changes, now);
      this.#documents.names.requireFree(changed);
      return changed;
    });
  }

  /**
   * Moves the set's resources to another prefix: a new epoch begins, and requests for names of the old one get 410. The
   * set is not ready until every resource whose URI is below the new prefix has the key of that URI.
   * @throws TidemarkError `conflict` when a URI would be too long or too short; nothing is changed then
   */
  async move(slug: string, urlPrefix: string): Promise<ResourceSet> {
    const prefix = parseUrlPrefix(urlPrefix);
    await requireUris(this.#index, await this.bySlug(slug), prefix);
    const epochStart = await this.#index.mark();
    return this.#epochs.begin(slug, (set) => ({
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
    return this.#epochs.begin(slug, (set) => ({
      leastPrefixWeight: leastPrefixWeight(set),
      epoch: Math.max(set.epoch + 1, clock),
    }));
  }

  /** Finishes moves that another process began and did not finish. */
  async finishMoves(): Promise<void> {
    for (const { slug, moving } of await this.list()) if (moving !== undefined) await this.#epochs.finish(slug);
  }

  /**
   * Removes the set from the source; its log stays in the store. Returns whether its slug can be reused: only if it
   * never had a change.
   * @throws TidemarkError `not-found` or `gone`; `conflict` for a set of an organization
   */
  async remove(slug: string): Promise<boolean> {
    const document = await this.#documents.require(slug);
    requireRemovable(document.body);
    const removed = await unlessConflict(removeSet({ catalog: this.#catalog, index: this.#index }, document));
    return removed ?? this.remove(slug);
  }

  /** Removes a set of an organization with its stream, for good. Does nothing when there is none, or it was removed. */
  async removeOwned(slug: string): Promise<void> {
    if ((await this.list()).every((set) => set.slug !== slug)) return;
    const removed = await this.#index.mark();
    await unlessGone(this.#documents.replace(slug, (set) => ({ ...set, removed })));
  }

  /** @throws TidemarkError `not-found` before the source has a base URL */
  source(): Promise<SourceSettings> {
    return this.#source.settings();
  }

  /**
   * Sets the base URL of the source. Changing it moves every set below it, and must be confirmed.
   * @throws TidemarkError `conflict` when the source has another one and `confirmed` is false
   */
  useBaseUrl(baseUrl: string, confirmed: boolean): Promise<void> {
    const moveSets = (before: string) => this.#moveBelow(before, baseUrl);
    return this.#source.useBaseUrl(baseUrl, { confirmed, moveSets });
  }

  /** Records that clients can read the source now. */
  markServed(): Promise<void> {
    return this.#source.markServed();
  }

  async #moveBelow(oldBaseUrl: string, baseUrl: string): Promise<void> {
    const sets = await this.list();
    const isBelow = ({ slug, urlPrefix }: ResourceSet) => urlPrefix === resourcesPrefix(oldBaseUrl, slug);
    const prefixOf = ({ slug }: ResourceSet) => resourcesPrefix(baseUrl, slug);
    for (const set of sets) if (isBelow(set)) await requireUris(this.#index, set, prefixOf(set));
    for (const set of sets) {
      const { slug, moving } = set;
      if (isBelow(set)) await this.move(slug, prefixOf(set));
      else if (moving !== undefined) await this.#epochs.finish(slug);
    }
  }

  /** Writes nothing if the set has these values already. */
  async #record(slug: string, fields: Partial<ResourceSet>): Promise<void> {
    const { body } = await this.#documents.require(slug);
    const differs = Object.entries(fields).some(([name, value]) => {
      return !isDeepStrictEqual(body[name as keyof ResourceSet], value);
    });
    if (differs) await this.#change(slug, () => fields);
  }

  #change(slug: string, change: (set: ResourceSet) => Partial<ResourceSet>): Promise<ResourceSet> {
    return this.#documents.replace(slug, (set) => ({ ...set, ...change(set) }));
  }
}

/** Another process may have removed it meanwhile. */
async function unlessGone(write: Promise<unknown>): Promise<void> {
  await write.catch((error: unknown) => {
    if (!isTidemarkError(error, 'gone')) throw error;
  });
}

function asPublished({ moving }: ResourceSet): Partial<ResourceSet> {
  return moving === undefined ? { ready: true } : { moving: { ...moving, ready: true } };
}
