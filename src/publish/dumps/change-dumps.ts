import type { Readable } from 'node:stream';
import type { ArtifactStore, ObjectRange } from '../../artifacts/artifact-store.ts';
import { changePackagesFolder } from '../../artifacts/keys/set-keys.ts';
import { removeWhere } from '../../artifacts/remove-where.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { DEFAULT_PACKAGE_BYTES, hasDump, keptSince, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { prunedBefore } from '../../core/version-prunes.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ContentsLocation } from '../../sources/open-contents.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { partName } from '../pages/document-name.ts';
import type { PublishedSet } from '../published-set.ts';
import { PACKAGE_KEPT_MS } from './build-resource-dump.ts';
import type { ChangePackJob } from './pack-changes.ts';
import { openPackage, packageNameOf, readPackedManifest } from './package-bytes.ts';
import type { Packer, PackOptions } from './packer.ts';
import { type ChangePackage, putChangeDump, readChangeDump } from './stored-change-dump.ts';

interface ChangeDumpsParts {
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly index: Pick<SetStatistics, 'windows'>;
  readonly artifacts: ArtifactStore;
  readonly packer: Packer;
  publishedSet(slug: string): Promise<PublishedSet>;
  contentsOf(set: ResourceSet): ContentsLocation;
}

/** A Change List that gets no more changes. */
interface ClosedWindow {
  readonly number: number;
  readonly from: Stamp;
  readonly until: Stamp;
}

/** Result of a build. */
export interface BuiltChangeDump {
  readonly packages: readonly ChangePackage[];
  /** Number of these packages that this build made. */
  readonly made: number;
  /** Number of windows that get no more changes. */
  readonly closedWindows: number;
  /** The boundary after which versions are kept: the dump contains no changes before it. */
  readonly since: Stamp;
  /** The last window with a lost version: the dump begins after it. */
  readonly lost?: LostWindow;
}

export interface LostWindow {
  /** EPOCH-WINDOW */
  readonly window: string;
  readonly until: Stamp;
  /** Number of packages that the dump had before the build, and no longer has. */
  readonly dropped: number;
}

/** Builds, removes and opens the Change Dumps of sets that keep versions. */
export class ChangeDumps {
  readonly #parts: ChangeDumpsParts;

  constructor(parts: ChangeDumpsParts) {
    this.#parts = parts;
  }

  /**
   * Packs the windows that were closed since the last build, and publishes each as soon as it is packed. When a version
   * of a window is missing, the dump starts anew behind that window. Undefined for a set that publishes no versions.
   * @throws TidemarkError `conflict` when another process is building it, too
   */
  async build(slug: string, options: PackOptions): Promise<BuiltChangeDump | undefined> {
    const { sets, catalog, packer } = this.#parts;
    const published = await this.#parts.publishedSet(slug);
    const { set, uris, style } = published;
    const since = sinceOf(set);
    if (since === undefined) return undefined;
    const stored = await readChangeDump(catalog, set.id);
    let replaces = stored?.version;
    let packages = stored?.body.epoch === set.epoch ? stored.body.packages : [];
    const packedUntil = packages.at(-1)?.until ?? since;
    const closed = await this.#closedWindows(set);
    const windows = closed.filter(({ until }) => until > packedUntil);
    const before = packages.length;
    let made = 0;
    let lost: LostWindow | undefined;
    for (const { number, from, until } of windows) {
      options.signal?.throwIfAborted();
      const job: ChangePackJob = {
        set: set.id,
        window: partName(set.epoch, number),
        from: Math.max(from, packedUntil),
        until,
        capabilityList: uris.capabilityList,
        style,
        mostBytes: set.dumpPackageBytes ?? DEFAULT_PACKAGE_BYTES,
        compress: set.dumpCompression !== 'none',
      };
      const packed = await packer.packChanges(job, this.#parts.contentsOf(set), options);
      if (packed === undefined) lost = { window: job.window, until, dropped: before };
      packages = packed === undefined ? [] : [...packages, ...packed];
      made = packed === undefined ? 0 : made + packed.length;
      failpoint('changes.packed');
      replaces = await this.#put(set, packages, replaces);
      failpoint('changes.recorded');
      await sets.recordChangeDump(slug, packages.length === 0 ? undefined : set.epoch);
    }
    // Including the packages recorded by a killed build.
    await sets.recordChangeDump(slug, packages.length === 0 ? undefined : set.epoch);
    await this.#requirePackages(set, packages);
    await this.removeUnused(set);
    return { packages, made, closedWindows: closed.length, since, ...(lost && { lost }) };
  }

  /**
   * The boundary after which the next build needs the version of every change, so that a published dump continues
   * without a gap. Undefined for a set without a dump, and while no window is closed: its first package begins with the
   * versions that exist by then.
   */
  async needsSince(set: ResourceSet): Promise<Stamp | undefined> {
    const stored = await readChangeDump(this.#parts.catalog, set.id);
    const last = stored?.body.epoch === set.epoch ? stored.body.packages.at(-1) : undefined;
    if (last !== undefined) return last.until;
    const since = sinceOf(set);
    if (since === undefined || (!hasDump(set) && set.dumpSchedule === undefined)) return undefined;
    return (await this.#closedWindows(set)).some(({ until }) => until > since) ? since : undefined;
  }

  /** Removes the Change Dump of a set, with all packages. Returns how many. */
  async remove(slug: string): Promise<number> {
    const { sets } = this.#parts;
    const { id } = await sets.bySlug(slug);
    // First, no document names it any more.
    await sets.recordChangeDump(slug, undefined);
    const removed = await this.removeAll(id);
    // A build may have named it just before it was removed; a later one sees that there is none.
    await sets.recordChangeDump(slug, undefined);
    return removed;
  }

  /** Same as `remove`, for a set that was removed, or no longer has a Change Dump. */
  async removeAll(set: SetId): Promise<number> {
    const { catalog } = this.#parts;
    const stored = await readChangeDump(catalog, set);
    // Written even if there is no document: a first build that is running then fails, and publishes none of the
    // packages that are removed here.
    await putChangeDump(catalog, set, { body: { epoch: 0, packages: [] }, replaces: stored?.version });
    return removeWhere(this.#parts.artifacts, changePackagesFolder(set), () => true);
  }

  /**
   * Removes packages that the dump of a set has not named for a day: those of killed builds, and those from before the
   * dump started anew. Returns how many.
   */
  async removeUnused({ id, epoch }: ResourceSet): Promise<number> {
    const stored = await readChangeDump(this.#parts.catalog, id);
    const packages = stored?.body.epoch === epoch ? stored.body.packages : [];
    const used = new Set(packages.map(({ name }) => name));
    return removeWhere(this.#parts.artifacts, changePackagesFolder(id), ({ key, modified }) => {
      const name = packageNameOf(key, 'change-package');
      return name !== undefined && !used.has(name) && Date.now() - modified > PACKAGE_KEPT_MS;
    });
  }

  /** The bytes of a package. @throws TidemarkError as `openPackage` */
  open({ id }: ResourceSet, found: ChangePackage, range: ObjectRange): Promise<Readable> {
    const key = { kind: 'change-package', set: id, name: found.name } as const;
    return openPackage(this.#parts.artifacts, { ...found, key }, range);
  }

  readManifest({ id }: ResourceSet, { name, manifest }: ChangePackage): Promise<Buffer> {
    return readPackedManifest(this.#parts.artifacts, { kind: 'change-package', set: id, name }, manifest);
  }

  async #closedWindows({ id, epochStart }: ResourceSet): Promise<readonly ClosedWindow[]> {
    const windows = await this.#parts.index.windows(id, epochStart);
    return windows.slice(0, -1).map(({ number, from }, at) => {
      return { number, from: at === 0 ? epochStart : from, until: windows[at + 1]!.from };
    });
  }

  /** Called when documents name the packages. @throws TidemarkError `conflict` when they were removed meanwhile */
  async #requirePackages({ id, slug, epoch }: ResourceSet, packages: readonly ChangePackage[]): Promise<void> {
    const stored = await readChangeDump(this.#parts.catalog, id);
    if (packages.length === 0 || (stored?.body.epoch === epoch && stored.body.packages.length > 0)) return;
    await this.#parts.sets.recordChangeDump(slug, undefined);
    throw new TidemarkError('conflict', `the Change Dump of "${slug}" was removed while it was built`, { set: slug });
  }

  async #put(set: ResourceSet, packages: readonly ChangePackage[], replaces: number | undefined): Promise<number> {
    try {
      const body = { epoch: set.epoch, packages };
      return (await putChangeDump(this.#parts.catalog, set.id, { body, replaces })).version;
    } catch (error) {
      if (!isTidemarkError(error, 'conflict')) throw error;
      const message = `another process is building the Change Dump of "${set.slug}", or has just built it`;
      throw new TidemarkError('conflict', message, { set: set.slug }, error);
    }
  }
}

/** The boundary after which each version of the current epoch is kept; undefined for a set that publishes none. */
function sinceOf(set: ResourceSet): Stamp | undefined {
  const since = keptSince(set);
  return since === undefined ? undefined : Math.max(since, prunedBefore(set), set.epochStart);
}
