import type { Readable } from 'node:stream';
import type { ArtifactStore, ObjectRange } from '../../artifacts/artifact-store.ts';
import { CHANGE_DUMPS_FOLDER, DUMPS_FOLDER, packagesFolder } from '../../artifacts/keys/set-keys.ts';
import { removeWhere } from '../../artifacts/remove-where.ts';
import { TidemarkError } from '../../core/errors.ts';
import { DEFAULT_PACKAGE_BYTES, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ContentsLocation } from '../../sources/open-contents.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { type BuildOptions, type BuiltDump, buildDump, PACKAGE_KEPT_MS } from './build-resource-dump.ts';
import type { BuiltChangeDump, ChangeDumps } from './change-dumps.ts';
import { type DumpPlan, requireDumpable } from './dump-plan.ts';
import type { KnownDumps } from './known-dumps.ts';
import { openPackage, packageNameOf, readPackedManifest } from './package-bytes.ts';
import type { Packer } from './packer.ts';
import { NO_DUMP, type Package, putDump, readDump } from './stored-dump.ts';

interface DumpsParts {
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly packer: Packer;
  readonly known: KnownDumps;
  /** @throws TidemarkError `not-ready` while the set is read for the first time */
  planDump(slug: string): Promise<DumpPlan>;
  /** Names of the packages that archived dumps of a set need. */
  archivedPackages(set: SetId): Promise<ReadonlySet<string>>;
  contentsOf(set: ResourceSet): ContentsLocation;
  /** Used for sets that keep versions. */
  readonly changes: ChangeDumps;
}

/** The Resource Dump that was built, and the Change Dump if the set keeps versions. */
export interface BuiltDumps extends BuiltDump {
  readonly changes?: BuiltChangeDump;
}

export type DumpOptions = Pick<BuildOptions, 'signal' | 'onProgress'>;

/** Builds, removes and opens the Resource Dumps of sets. */
export class Dumps {
  readonly #parts: DumpsParts;

  constructor(parts: DumpsParts) {
    this.#parts = parts;
  }

  get changes(): ChangeDumps {
    return this.#parts.changes;
  }

  get known(): KnownDumps {
    return this.#parts.known;
  }

  /**
   * Builds the changed parts of a set's dump, and publishes it.
   * @throws TidemarkError `invalid` when its bytes are elsewhere; as buildDump
   */
  async build(slug: string, options: DumpOptions): Promise<BuiltDumps> {
    const { sets, catalog, packer } = this.#parts;
    requireDumpable(await sets.bySlug(slug), 'invalid');
    const plan = await this.#parts.planDump(slug);
    const { dumpPackageBytes: mostBytes = DEFAULT_PACKAGE_BYTES, dumpCompression } = plan.set;
    const contents = this.#parts.contentsOf(plan.set);
    const built = await buildDump(
      plan,
      { catalog, packer },
      { ...options, contents, mostBytes, compress: dumpCompression !== 'none' },
    );
    failpoint('dump.published');
    await sets.recordDump(slug, built.epoch);
    await this.#requirePublished(plan.set);
    await this.#removeUnused(plan.set);
    const changes = await this.#parts.changes.build(slug, options);
    return { ...built, ...(changes && { changes }) };
  }

  /** Removes the dump of a set, with all packages. Returns how many. */
  async remove(slug: string): Promise<number> {
    const { sets } = this.#parts;
    const { id } = await sets.bySlug(slug);
    // First, no document names it any more.
    await sets.recordDump(slug, undefined);
    const removed = await this.removeAll(id);
    // A build may have named it just before it was removed; a later one sees that there is none.
    await sets.recordDump(slug, undefined);
    return removed + (await this.#parts.changes.remove(slug));
  }

  /**
   * Removes the packages of a set that was removed, or no longer has a dump, except those that its archive needs.
   * Returns how many.
   */
  async removeAll(set: SetId): Promise<number> {
    const { catalog } = this.#parts;
    const stored = await readDump(catalog, set);
    // Written even if there is no document: a first build that is running then fails, and publishes none of the
    // packages that are removed here.
    await putDump(catalog, set, { body: NO_DUMP, replaces: stored?.version });
    const archived = await this.#parts.archivedPackages(set);
    return this.#removeWhere(set, (name) => !archived.has(name));
  }

  /**
   * Removes packages of all sets that no document has named for a day, including those of killed builds, and all
   * packages of removed sets. Returns how many.
   */
  async removeUnused(signal: AbortSignal): Promise<number> {
    const { artifacts, sets } = this.#parts;
    let removed = 0;
    for (const folder of await artifacts.folders(DUMPS_FOLDER)) {
      signal.throwIfAborted();
      const set = await sets.byId(Number(folder));
      // The set of an unknown id may belong to another store.
      if (set !== undefined)
        removed += await (set.removed === undefined ? this.#removeUnused(set) : this.removeAll(set.id));
    }
    for (const folder of await artifacts.folders(CHANGE_DUMPS_FOLDER)) {
      signal.throwIfAborted();
      const { changes } = this.#parts;
      const set = await sets.byId(Number(folder));
      if (set !== undefined)
        removed += await (set.removed === undefined ? changes.removeUnused(set) : changes.removeAll(set.id));
    }
    return removed;
  }

  /** The bytes of a package. @throws TidemarkError as `openPackage` */
  open({ id }: ResourceSet, found: Package, range: ObjectRange): Promise<Readable> {
    const key = { kind: 'package', set: id, name: found.name } as const;
    return openPackage(this.#parts.artifacts, { ...found, key }, range);
  }

  readManifest({ id }: ResourceSet, { name, manifest }: Package): Promise<Buffer> {
    return readPackedManifest(this.#parts.artifacts, { kind: 'package', set: id, name }, manifest);
  }

  /** Called when documents name the dump. @throws TidemarkError `conflict` when it was removed meanwhile */
  async #requirePublished({ id, slug }: ResourceSet): Promise<void> {
    const { catalog, sets } = this.#parts;
    if ((await readDump(catalog, id))?.body.published !== undefined) return;
    await sets.recordDump(slug, undefined);
    throw new TidemarkError('conflict', `the dump of "${slug}" was removed while it was built`, { set: slug });
  }

  async #removeUnused({ id }: ResourceSet): Promise<number> {
    const stored = (await readDump(this.#parts.catalog, id))?.body ?? NO_DUMP;
    const now = Date.now();
    const retired = stored.retired.filter((one) => now - one.retired < PACKAGE_KEPT_MS);
    const archived = await this.#parts.archivedPackages(id);
    const current = [...(stored.published?.packages ?? []), ...stored.made, ...retired];
    const names = archived.union(new Set(current.map(({ name }) => name)));
    return this.#removeWhere(id, (name, modified) => !names.has(name) && now - modified > PACKAGE_KEPT_MS);
  }

  /** @param isRemoved takes the name of a package, and when it was made, in milliseconds since 1970 */
  #removeWhere(set: SetId, isRemoved: (name: string, modified: number) => boolean): Promise<number> {
    return removeWhere(this.#parts.artifacts, packagesFolder(set), ({ key, modified }) => {
      const name = packageNameOf(key, 'package');
      return name !== undefined && isRemoved(name, modified);
    });
  }
}
