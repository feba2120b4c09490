import { TidemarkError } from '../../core/errors.ts';
import { hasChangeDump, hasDump, type ResourceSet, type SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { KnownDocuments } from '../known-documents.ts';
import { whyNoDump } from './dump-plan.ts';
import { type ChangePackage, readChangeDump } from './stored-change-dump.ts';
import { type Dump, type Package, readDump, type StoredDump } from './stored-dump.ts';

type FindArchived = (set: ResourceSet, name: string) => Promise<Package | undefined>;

/** The dumps of all sets, in sync with other processes. */
export class KnownDumps {
  readonly #catalog: Pick<Catalog, 'get' | 'head'>;
  readonly #known: KnownDocuments<StoredDump>;
  readonly #archived: FindArchived;

  /** @param archived finds packages of archived dumps; by default there are none */
  constructor(catalog: Pick<Catalog, 'get' | 'head'>, archived: FindArchived = async () => undefined) {
    this.#catalog = catalog;
    this.#known = new KnownDocuments({ catalog, kind: 'dump', read: (set) => readDump(catalog, set) });
    this.#archived = archived;
  }

  /** The Resource Dump of a set. @throws TidemarkError `not-found` when none was built in this epoch */
  async dumpOf(set: ResourceSet): Promise<Dump> {
    const published = hasDump(set) ? (await this.find(set.id))?.published : undefined;
    if (published?.epoch === set.epoch) return published;
    const message =
      whyNoDump(set) ??
      `"${set.slug}" has no Resource Dump${sinceMoved(set, set.dumpEpoch)}: "tidemark dumps build ${set.slug}" builds one`;
    throw new TidemarkError('not-found', message, { set: set.slug });
  }

  /**
   * A package by its name, including packages superseded within the last day, and those of archived dumps.
   * @throws TidemarkError `not-found`
   */
  async packageOf(set: ResourceSet, name: string): Promise<Package> {
    const stored = await this.find(set.id);
    const packages = [...(stored?.published?.packages ?? []), ...(stored?.retired ?? [])];
    const found = packages.find((one) => one.name === name) ?? (await this.#archived(set, name));
    if (found !== undefined) return found;
    throw new TidemarkError('not-found', `there is no package "${name}": read the Resource Dump again`, { name });
  }

  /** The packages of the Change Dump of a set, at least one. @throws TidemarkError `not-found` when there is none */
  async changePackagesOf(set: ResourceSet): Promise<readonly ChangePackage[]> {
    const stored = hasChangeDump(set) ? await readChangeDump(this.#catalog, set.id) : undefined;
    if (stored?.body.epoch === set.epoch && stored.body.packages.length > 0) return stored.body.packages;
    const message =
      whyNoDump(set) ??
      `"${set.slug}" has no Change Dump${sinceMoved(set, set.changeDumpEpoch)}: a set with --keep-versions has one when "tidemark dumps build ${set.slug}" finds a window of its changes that is closed`;
    throw new TidemarkError('not-found', message, { set: set.slug });
  }

  /** @throws TidemarkError `not-found` */
  async changePackageOf(set: ResourceSet, name: string): Promise<ChangePackage> {
    const found = (await this.changePackagesOf(set)).find((one) => one.name === name);
    if (found !== undefined) return found;
    throw new TidemarkError('not-found', `there is no package "${name}": read the Change Dump again`, { name });
  }

  find(set: SetId): Promise<StoredDump | undefined> {
    return this.#known.of(set);
  }
}

/** @param ofDump epoch of a dump that is not published */
function sinceMoved({ epoch }: ResourceSet, ofDump: number | undefined): string {
  return ofDump === undefined || ofDump === epoch ? '' : ' since its URIs changed, or it was renewed';
}
