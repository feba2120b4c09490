import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { changePackagesFolder, formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { DEFAULT_PACKAGE_BYTES, keptSince, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ContentsLocation } from '../../sources/contents.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { partName } from '../pages/document-name.ts';
import type { PublishedSet } from '../published-set.ts';
import type { Packer } from './packer.ts';
import { type ChangePackage, putChangeDump, readChangeDump } from './stored-change-dump.ts';

export interface ChangeDumpsParts {
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly index: Pick<SetStatistics, 'windows'>;
  readonly artifacts: ArtifactStore;
  readonly packer: Packer;
  publishedSet(slug: string): Promise<PublishedSet>;
  contentsOf(set: ResourceSet): ContentsLocation;
}

/** What a build has done. */
export interface BuiltChangeDump {
  readonly packages: readonly ChangePackage[];
  /** Packages that this build made. */
  readonly made: number;
}

/** The Change Dumps of sets that keep versions: builds, removes and opens them. */
export class ChangeDumps {
  readonly #parts: ChangeDumpsParts;

  constructor(parts: ChangeDumpsParts) {
    this.#parts = parts;
  }

  /**
   * Packs the windows that were closed since the last build, and publishes each at once. A window with a version that
   * is not kept begins the dump anew, behind it. Undefined for a set that publishes no versions.
   * @throws TidemarkError `conflict` when another process builds it, too
   */
  async build(slug: string, signal?: AbortSignal): Promise<BuiltChangeDump | undefined> {
    const { sets, catalog, packer } = this.#parts;
    const published = await this.#parts.publishedSet(slug);
    const { set, uris, style } = published;
    const since = keptSince(set);
    if (since === undefined) return undefined;
    const stored = await readChangeDump(catalog, set.id);
    let replaces = stored?.version;
    let packages = stored?.body.epoch === set.epoch ? stored.body.packages : [];
    let last = packages.at(-1)?.until ?? Math.max(since, set.epochStart);
    let made = 0;
    for (const { number, from, until } of await this.#closedWindows(set)) {
      if (until <= last) continue;
      signal?.throwIfAborted();
      const packed = await packer.packChanges(
        {
          set: set.id,
          window: partName(set.epoch, number),
          from: Math.max(from, last),
          until,
          capabilityList: uris.capabilityList,
          style,
          mostBytes: set.dumpPackageBytes ?? DEFAULT_PACKAGE_BYTES,
          compress: set.dumpCompression !== 'none',
        },
        this.#parts.contentsOf(set),
        signal,
      );
      packages = packed === undefined ? [] : [...packages, ...packed];
      made += packed?.length ?? 0;
      last = until;
      replaces = await this.#put(set, packages, replaces);
      await sets.recordChangeDump(slug, packages.length === 0 ? undefined : set.epoch);
    }
    return { packages, made };
  }

  /** Removes the Change Dump of a set, with all packages. Returns how many there were. */
  async remove(slug: string): Promise<number> {
    const { sets } = this.#parts;
    const { id } = await sets.bySlug(slug);
    // First no document names it any more.
    await sets.recordChangeDump(slug, undefined);
    return this.removeAll(id);
  }

  /** The same for a set that has none any more, or was removed. */
  async removeAll(set: SetId): Promise<number> {
    const { catalog, artifacts } = this.#parts;
    const stored = await readChangeDump(catalog, set);
    if (stored !== undefined) {
      await putChangeDump(catalog, set, { body: { epoch: 0, packages: [] }, replaces: stored.version });
    }
    let removed = 0;
    for await (const objects of artifacts.list(changePackagesFolder(set))) {
      for (const { key } of objects) await artifacts.delete(key);
      removed += objects.length;
    }
    return removed;
  }

  /** The bytes of a package. */
  async open(
    { id }: ResourceSet,
    { name }: ChangePackage,
    range: { readonly start: number; readonly length: number },
  ): Promise<Readable> {
    return (await this.#parts.artifacts.get(formatKey({ kind: 'change-package', set: id, name }), { range })).body;
  }

  async readManifest(set: ResourceSet, of: ChangePackage): Promise<Buffer> {
    const { offset: start, packed, length } = of.manifest;
    const bytes = await buffer(await this.open(set, of, { start, length: packed }));
    return packed === length ? bytes : inflate(bytes);
  }

  async #closedWindows({ id, epochStart }: ResourceSet) {
    const windows = await this.#parts.index.windows(id, epochStart);
    return windows.slice(0, -1).map(({ number, from }, at) => {
      return { number, from: at === 0 ? epochStart : from, until: windows[at + 1]!.from };
    });
  }

  async #put(set: ResourceSet, packages: readonly ChangePackage[], replaces: number | undefined): Promise<number> {
    try {
      return await putChangeDump(this.#parts.catalog, set.id, { body: { epoch: set.epoch, packages }, replaces });
    } catch (error) {
      if (!isTidemarkError(error, 'conflict')) throw error;
      const message = `another process is building the Change Dump of "${set.slug}", or has just built it`;
      throw new TidemarkError('conflict', message, { set: set.slug }, error);
    }
  }
}

const inflate = promisify<Buffer, Buffer>(inflateRaw);
