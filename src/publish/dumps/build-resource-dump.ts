import { isDeepStrictEqual } from 'node:util';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { clockStamp } from '../../core/stamp.ts';
import type { ContentsLocation } from '../../sources/open-contents.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { DumpPlan, PlannedPage } from './dump-plan.ts';
import type { Packer, PackOptions } from './packer.ts';
import {
  type Dump,
  NO_DUMP,
  type Package,
  putDump,
  type RetiredPackage,
  readDump,
  type StoredDump,
} from './stored-dump.ts';

export interface BuildParts {
  readonly catalog: Catalog;
  readonly packer: Pick<Packer, 'pack'>;
}

export interface BuildOptions extends PackOptions {
  readonly contents: ContentsLocation;
  /** Bytes above which no more is added to a package. */
  readonly mostBytes: number;
  readonly compress: boolean;
  readonly onProgress?: ((progress: BuildProgress) => void) | undefined;
}

interface BuildProgress {
  readonly pages: number;
  /** Number of packed pages, including those of an earlier build. */
  readonly packed: number;
}

export interface BuiltDump extends Dump {
  /** Number of packages that this build made. */
  readonly made: number;
}

/** Milliseconds for which superseded packages can still be fetched: a client may have read the dump just before. */
export const PACKAGE_KEPT_MS = 24 * 60 * 60 * 1000;
/** Milliseconds between two records of the finished packages: at most this much work is repeated after a crash. */
const RECORD_EVERY = 10_000;

/**
 * Builds the Resource Dump of a set, and publishes it when it is complete. A page that has not changed since it was
 * packed keeps its packages.
 * @throws TidemarkError `conflict` when another process has built it meanwhile; as packPage
 */
export async function buildDump(plan: DumpPlan, parts: BuildParts, options: BuildOptions): Promise<BuiltDump> {
  return new DumpBuild(plan, parts, options).run();
}

class DumpBuild {
  readonly #plan: DumpPlan;
  readonly #parts: BuildParts;
  readonly #options: BuildOptions;
  #stored: StoredDump = NO_DUMP;
  #version: number | undefined;
  /** Packages made by this build. */
  readonly #made: Package[] = [];
  #recorded = Date.now();

  constructor(plan: DumpPlan, parts: BuildParts, options: BuildOptions) {
    this.#plan = plan;
    this.#parts = parts;
    this.#options = options;
  }

  async run(): Promise<BuiltDump> {
    const { set, pages, at } = this.#plan;
    const document = await readDump(this.#parts.catalog, set.id);
    this.#stored = document?.body ?? NO_DUMP;
    this.#version = document?.version;
    const packages: Package[] = [];
    const known = new KnownPages(this.#stored);
    let packed = 0;
    try {
      for (const page of pages) {
        packages.push(...(known.of(page) ?? (await this.#pack(page))));
        packed += 1;
        this.#options.onProgress?.({ pages: pages.length, packed });
      }
    } catch (error) {
      // Another build continues with these packages. The error of this build matters more than one of recording.
      await this.#recordMade().catch(() => {});
      throw error;
    }
    const dump = { epoch: set.epoch, at, completed: clockStamp(), packages };
    return { ...(await this.#publish(dump)), made: this.#made.length };
  }

  async #pack(page: PlannedPage): Promise<readonly Package[]> {
    const { contents, mostBytes, compress, signal } = this.#options;
    signal?.throwIfAborted();
    const packages = await this.#parts.packer.pack({ ...page, mostBytes, compress }, contents, this.#options);
    this.#made.push(...packages);
    if (Date.now() - this.#recorded > RECORD_EVERY) await this.#recordMade();
    return packages;
  }

  async #recordMade(): Promise<void> {
    this.#recorded = Date.now();
    await this.#put({ ...this.#stored, made: [...this.#stored.made, ...this.#made] });
  }

  async #publish(dump: Dump): Promise<Dump> {
    const { published, made, retired } = this.#stored;
    // Nothing has changed, and nothing was missing before.
    if (published !== undefined && isDeepStrictEqual(withoutTime(published), withoutTime(dump))) return published;
    const current = new Set(dump.packages.map(({ name }) => name));
    const now = Date.now();
    const superseded = [...(published?.packages ?? []), ...made].filter(({ name }) => !current.has(name));
    await this.#put({
      published: dump,
      made: [],
      retired: [
        ...retired.filter((one) => now - one.retired < PACKAGE_KEPT_MS),
        ...superseded.map((one): RetiredPackage => ({ ...one, retired: now })),
      ],
    });
    return dump;
  }

  async #put(body: StoredDump): Promise<void> {
    const { catalog } = this.#parts;
    const { set } = this.#plan;
    try {
      this.#version = (await putDump(catalog, set.id, { body, replaces: this.#version })).version;
    } catch (error) {
      if (!isTidemarkError(error, 'conflict')) throw error;
      const message = `another process is building the dump of "${set.slug}", or has just built it`;
      throw new TidemarkError('conflict', message, { set: set.slug }, error);
    }
  }
}

/** The packages of pages from earlier builds. */
class KnownPages {
  readonly #packages: ReadonlyMap<string, readonly Package[]>;

  constructor({ published, made }: StoredDump) {
    this.#packages = Map.groupBy([...(published?.packages ?? []), ...made], identityOf);
  }

  /** Undefined when the page has to be packed, also because something of it was missing. */
  of(page: PlannedPage): readonly Package[] | undefined {
    const packages = this.#packages.get(identityOf(page));
    return packages?.every(({ missing }) => missing === 0) ? packages : undefined;
  }
}

function identityOf({ page, version, fingerprint }: Pick<Package, 'page' | 'version' | 'fingerprint'>): string {
  return `${page} ${version} ${fingerprint}`;
}

function withoutTime({ completed: _, ...dump }: Dump): Omit<Dump, 'completed'> {
  return dump;
}
