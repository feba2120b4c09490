import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { formatKey, packagesFolder, parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { DEFAULT_PACKAGE_BYTES, type ResourceSet } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { type BuildOptions, type BuiltDump, buildDump, RETIRED_FOR } from './build-dump.ts';
import type { ContentsLocation } from './contents.ts';
import { type DumpPlan, requireBytes } from './dump-plan.ts';
import type { KnownDumps } from './known-dumps.ts';
import type { Packer } from './packer.ts';
import { NO_DUMP, type Package, putDump, readDump } from './stored-dump.ts';

export interface DumpsParts {
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly packer: Packer;
  readonly known: KnownDumps;
  /** @throws TidemarkError `not-ready` while the set is read for the first time */
  planDump(slug: string): Promise<DumpPlan>;
  contentsOf(set: ResourceSet): ContentsLocation;
}

export type DumpOptions = Pick<BuildOptions, 'signal' | 'onProgress'>;

/** A range of bytes. */
interface Range {
  readonly start: number;
  readonly length: number;
}

/** The Resource Dumps of sets: builds, removes and opens them. */
export class Dumps {
  readonly #parts: DumpsParts;

  constructor(parts: DumpsParts) {
    this.#parts = parts;
  }

  get known(): KnownDumps {
    return this.#parts.known;
  }

  /**
   * Builds the dump of a set anew where it has changed, and publishes it.
   * @throws TidemarkError `invalid` when its bytes are elsewhere; as buildDump
   */
  async build(slug: string, options: DumpOptions): Promise<BuiltDump> {
    const { sets, catalog, packer } = this.#parts;
    requireBytes(await sets.bySlug(slug));
    const plan = await this.#parts.planDump(slug);
    const { dumpPackageBytes: mostBytes = DEFAULT_PACKAGE_BYTES, dumpCompression } = plan.set;
    const contents = this.#parts.contentsOf(plan.set);
    const built = await buildDump(
      plan,
      { catalog, packer },
      { ...options, contents, mostBytes, compress: dumpCompression !== 'none' },
    );
    await sets.recordDump(slug, built.epoch);
    await this.#removeUnused(plan.set);
    return built;
  }

  /** Removes the dump of a set, with all packages. Returns how many there were. */
  async remove(slug: string): Promise<number> {
    const { sets, catalog, artifacts } = this.#parts;
    const { id } = await sets.bySlug(slug);
    // First no document names it any more.
    await sets.recordDump(slug, undefined);
    const stored = await readDump(catalog, id);
    // Also where there is none: a first build that is under way then fails, and names no package that is removed here.
    await putDump(catalog, id, { body: NO_DUMP, replaces: stored?.version });
    let removed = 0;
    for await (const objects of artifacts.list(packagesFolder(id))) {
      for (const { key } of objects) await artifacts.delete(key);
      removed += objects.length;
    }
    return removed;
  }

  /** The bytes of a package. @throws TidemarkError `not-found` when another program has deleted it */
  async open({ id }: ResourceSet, { name }: Package, range: Range): Promise<Readable> {
    return (await this.#parts.artifacts.get(formatKey({ kind: 'package', set: id, name }), { range })).body;
  }

  /** The manifest of a package. It is never larger than a document may be. */
  async readManifest(set: ResourceSet, of: Package): Promise<Buffer> {
    const { offset: start, packed, length } = of.manifest;
    const bytes = await buffer(await this.open(set, of, { start, length: packed }));
    return packed === length ? bytes : inflate(bytes);
  }

  /** Removes packages that no document has named for a day, also those that a killed build left. */
  async #removeUnused({ id }: ResourceSet): Promise<void> {
    const { catalog, artifacts } = this.#parts;
    const stored = (await readDump(catalog, id))?.body ?? NO_DUMP;
    const kept = [...(stored.published?.packages ?? []), ...stored.made, ...stored.retired];
    const names = new Set(kept.map(({ name }) => name));
    for await (const objects of artifacts.list(packagesFolder(id))) {
      for (const object of objects) if (isUnused(object, names)) await artifacts.delete(object.key);
    }
  }
}

const inflate = promisify<Buffer, Buffer>(inflateRaw);

function isUnused({ key, modified }: ListedObject, names: ReadonlySet<string>): boolean {
  const parsed = parseKey(key);
  return parsed?.kind === 'package' && !names.has(parsed.name) && Date.now() - modified > RETIRED_FOR;
}
