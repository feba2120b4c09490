import { randomBytes } from 'node:crypto';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { putJson } from '../../artifacts/json-object.ts';
import { keptListsFolder, LISTS_FOLDER } from '../../artifacts/keys/set-keys.ts';
import { removeWhere } from '../../artifacts/remove-where.ts';
import { unlessConflict } from '../../core/errors.ts';
import { hasListArchive, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import { clockStamp, type Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import type { DumpArchives } from './dump-archives.ts';
import type { KeepPageJob } from './keep-page.ts';
import type { KnownArchives } from './known-archives.ts';
import { type KeptPage, type ListManifest, readManifest } from './list-manifest.ts';
import {
  type ArchivedDump,
  type ArchivedList,
  archiveIn,
  putArchive,
  readArchive,
  type StoredArchive,
  timeName,
} from './stored-archive.ts';

interface ListArchivesParts {
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly known: KnownArchives;
  readonly dumps: Pick<DumpArchives, 'keep'>;
  /** @throws TidemarkError `not-ready` while the set is read for the first time */
  planKeeping(slug: string): Promise<KeepPlan>;
  keepPage(job: KeepPageJob, signal?: AbortSignal): Promise<KeptPage>;
}

/** A plan to keep the list of a set, made at one state of the log. */
export interface KeepPlan {
  readonly set: ResourceSet;
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  /** A digest of how entries are written. */
  readonly style: string;
  /** In the order of their keys. */
  readonly pages: readonly KeepPageJob[];
}

interface KeepOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: { readonly pages: number; readonly kept: number }) => void) | undefined;
}

export interface KeptList extends ArchivedList {
  /** Number of pages that were stored for it; the others have not changed since the previous list. */
  readonly stored: number;
  /** False when nothing has changed since the last list, which is then returned. */
  readonly isNew: boolean;
  /** The set's dump, when it was also added to the archive. */
  readonly dump: ArchivedDump | undefined;
}

/** Equals the number of render threads. */
const KEPT_AT_ONCE = 2;
/** Microseconds. */
const DAY = 86_400_000_000;
/** Milliseconds after which an object that no list names counts as left by a killed process. */
const LEFT_OVER_AFTER = 24 * 60 * 60 * 1000;

/** Keeps, lists and removes the archived Resource Lists of sets. */
export class ListArchives {
  readonly #parts: ListArchivesParts;

  constructor(parts: ListArchivesParts) {
    this.#parts = parts;
  }

  /** The archive of a set in this epoch; empty when nothing was kept. */
  async archiveOf(set: ResourceSet): Promise<StoredArchive> {
    const found = hasListArchive(set) ? await this.#parts.known.find(set) : undefined;
    return found ?? { epoch: set.epoch, lists: [] };
  }

  /**
   * Keeps the current Resource List of a set. A page that has not changed since the last list is not stored again. When
   * two processes do so concurrently, both return the list of the first.
   */
  async keep(slug: string, options: KeepOptions = {}): Promise<KeptList> {
    const { catalog, sets } = this.#parts;
    const plan = await this.#parts.planKeeping(slug);
    const { id, epoch } = plan.set;
    const document = await readArchive(catalog, id);
    const archive = archiveIn(document, epoch);
    const last = archive.lists.at(-1);
    const isNew = last === undefined || last.at < plan.at;
    const kept = isNew ? await this.#store(plan, last, options) : { ...last, stored: 0 };
    if (isNew) {
      failpoint('lists.stored');
      const { stored: _, ...list } = kept;
      const body = { ...archive, lists: [...archive.lists, list] };
      // Another process has kept a list, or removed one that shares pages with this one.
      if (!(await this.#put(id, body, document))) return this.keep(slug, options);
      failpoint('lists.recorded');
    }
    await sets.recordArchive(slug, { listArchiveEpoch: epoch });
    const dump = await this.#parts.dumps.keep(plan.set);
    return { ...kept, isNew, dump };
  }

  /** Removes the lists and dumps of a set from before a time (microseconds since 1970). Returns the lists. */
  async prune(slug: string, before: Stamp): Promise<readonly ArchivedList[]> {
    const { catalog, sets } = this.#parts;
    const { id, epoch } = await sets.bySlug(slug);
    const document = await readArchive(catalog, id);
    const { lists, dumps = [], ...archive } = archiveIn(document, epoch);
    const removed = lists.filter(({ at }) => at < before);
    const removedDumps = dumps.filter(({ at }) => at < before);
    if (removed.length + removedDumps.length === 0) return [];
    const left = lists.slice(removed.length);
    // First, no document names them any more.
    const [last, lastDump] = [removed.at(-1), removedDumps.at(-1)];
    const body = {
      ...archive,
      lists: left,
      dumps: dumps.slice(removedDumps.length),
      ...(last !== undefined && { removedThrough: last.at }),
      ...(lastDump !== undefined && { removedDumpsThrough: lastDump.completed }),
    };
    if (!(await this.#put(id, body, document))) return this.prune(slug, before);
    // A page belongs to consecutive lists, so the next list names every page that is still needed.
    const next = left[0] === undefined ? [] : await this.#pagesOf(id, left[0]);
    const needed = next && new Set(next);
    for (const list of removed) {
      for (const name of (await this.#pagesOf(id, list)) ?? []) {
        if (needed?.has(name) === false) await this.#delete({ kind: 'kept-page', set: id, name });
      }
    }
    for (const { name } of removed) await this.#delete({ kind: 'kept-list', set: id, name });
    // Their packages are removed like those of other dumps, once no dump names them.
    for (const { name } of removedDumps) await this.#delete({ kind: 'kept-dump', set: id, name });
    return removed;
  }

  /** Removes the lists that are older than the set's `archiveDays`, if it has any. Returns them. */
  async pruneOld(slug: string): Promise<readonly ArchivedList[]> {
    const { archiveDays } = await this.#parts.sets.bySlug(slug);
    return archiveDays === undefined ? [] : this.prune(slug, clockStamp() - archiveDays * DAY);
  }

  /**
   * Removes objects that no list names: of sets that were removed or renewed, and of killed processes. Returns how
   * many.
   */
  async removeUnused(signal?: AbortSignal): Promise<number> {
    const { artifacts, sets } = this.#parts;
    let removed = 0;
    for (const folder of await artifacts.folders(LISTS_FOLDER)) {
      const id = Number(folder);
      const set = await sets.byId(id);
      // The set of an unknown id may belong to another store.
      if (set === undefined) continue;
      const used = await this.#usedBy(set);
      removed += await removeWhere(artifacts, keptListsFolder(id), (object) => {
        signal?.throwIfAborted();
        return isLeftOver(object) && !used.has(object.key);
      });
    }
    return removed;
  }

  /** Removes all files of a set that was removed. Returns how many. */
  removeAll(id: SetId): Promise<number> {
    return removeWhere(this.#parts.artifacts, keptListsFolder(id), () => true);
  }

  async #store({ set, at, style, pages }: KeepPlan, last: ArchivedList | undefined, options: KeepOptions) {
    const { artifacts, keepPage } = this.#parts;
    const { signal, onProgress } = options;
    const before = last === undefined ? undefined : await readManifest(artifacts, set.id, last.name);
    const known =
      before?.style === style ? new Map(before.pages.map((page) => [withoutChance(page.name), page])) : undefined;
    const kept: KeptPage[] = [];
    let stored = 0;
    const keepOne = async (job: KeepPageJob): Promise<KeptPage> => {
      const found = known?.get(`${job.page}-${job.version}`);
      if (found !== undefined) return found;
      signal?.throwIfAborted();
      stored += 1;
      return keepPage(job, signal);
    };
    for await (const page of mapInOrder(pages, KEPT_AT_ONCE, keepOne)) {
      kept.push(page);
      onProgress?.({ pages: pages.length, kept: kept.length });
    }
    const name = `${timeName(at)}-${randomBytes(4).toString('hex')}`;
    const manifest: ListManifest = { style, pages: kept };
    await putJson(artifacts, { kind: 'kept-list', set: set.id, name }, manifest, { signal: signal as AbortSignal });
    const resources = kept.reduce((total, page) => total + page.resources, 0);
    return { name, at, completed: Math.max(clockStamp(), at), pages: kept.length, resources, stored };
  }

  /** Returns false when another process has changed the archive since it was read; nothing is written then. */
  async #put(id: SetId, body: StoredArchive, replaces: CatalogDocument<StoredArchive> | undefined): Promise<boolean> {
    const put = putArchive(this.#parts.catalog, id, { body, replaces: replaces?.version });
    return (await unlessConflict(put)) !== undefined;
  }

  /** The keys of all objects that the lists of a set need. */
  async #usedBy({ id, epoch, removed }: ResourceSet): Promise<ReadonlySet<string>> {
    if (removed !== undefined) return new Set();
    const { lists, dumps = [] } = archiveIn(await readArchive(this.#parts.catalog, id), epoch);
    const used = new Set(dumps.map(({ name }) => formatKey({ kind: 'kept-dump', set: id, name })));
    for (const list of lists) {
      used.add(formatKey({ kind: 'kept-list', set: id, name: list.name }));
      const pages = (await this.#pagesOf(id, list)) ?? [];
      for (const name of pages) used.add(formatKey({ kind: 'kept-page', set: id, name }));
    }
    return used;
  }

  /** The names of the pages of a list; undefined when another program has deleted its manifest. */
  async #pagesOf(id: SetId, { name }: ArchivedList): Promise<readonly string[] | undefined> {
    return (await readManifest(this.#parts.artifacts, id, name))?.pages.map((page) => page.name);
  }

  #delete(key: Parameters<typeof formatKey>[0]): Promise<void> {
    return this.#parts.artifacts.delete(formatKey(key));
  }
}

function withoutChance(name: string): string {
  return name.slice(0, name.lastIndexOf('-'));
}

function isLeftOver({ modified }: ListedObject): boolean {
  return Date.now() - modified > LEFT_OVER_AFTER;
}
