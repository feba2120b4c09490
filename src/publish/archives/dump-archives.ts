import { randomBytes } from 'node:crypto';
import { json } from 'node:stream/consumers';
import { formatKey, parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { isTidemarkError, TidemarkError, unlessConflict } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { type Dump, type Package, readDump, type StoredDump } from '../dumps/stored-dump.ts';
import type { KnownArchives } from './known-archives.ts';
import {
  type ArchivedDump,
  archiveIn,
  putArchive,
  readArchive,
  type StoredArchive,
  timeName,
} from './stored-archive.ts';

interface DumpArchivesParts {
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly artifacts: ArtifactStore;
  readonly known: KnownArchives;
}

/** Number of lists of packages that are cached: clients read a dump package by package. */
const MOST_REMEMBERED = 4;

/**
 * The archived Resource Dumps of sets. An archived dump is only a list of its packages: the packages stay in place, and
 * are not removed while a dump names them.
 */
export class DumpArchives {
  readonly #parts: DumpArchivesParts;
  readonly #remembered = new Map<string, Dump>();

  constructor(parts: DumpArchivesParts) {
    this.#parts = parts;
  }

  /** Adds the dump of a set to its archive. Undefined when there is none, or when the archive already has it. */
  async keep(set: ResourceSet): Promise<ArchivedDump | undefined> {
    const { catalog, sets, artifacts } = this.#parts;
    const dump = (await readDump(catalog, set.id))?.body.published;
    if (dump?.epoch !== set.epoch) return undefined;
    const document = await readArchive(catalog, set.id);
    const archive = archiveIn(document, set.epoch);
    const { dumps = [] } = archive;
    if (dumps.some(({ completed }) => completed >= dump.completed)) return undefined;
    const name = `${timeName(dump.completed)}-${randomBytes(4).toString('hex')}`;
    await putArtifact(artifacts, { kind: 'kept-dump', set: set.id, name }, [Buffer.from(JSON.stringify(dump))]);
    const kept = { name, at: dump.at, completed: dump.completed };
    if (!(await this.#put(set.id, { ...archive, dumps: [...dumps, kept] }, document?.version))) return this.keep(set);
    if (await this.#wasRemoved(set.id, dump)) {
      await this.#forget(set, name);
      return undefined;
    }
    await sets.recordArchive(set.slug, { dumpArchiveEpoch: set.epoch });
    return kept;
  }

  /** The dump that was completed at a time. @throws TidemarkError `not-found`; `gone` when it was removed */
  async dumpOf(set: ResourceSet, time: string): Promise<Dump> {
    const archive = await this.#parts.known.find(set);
    const found = archive?.dumps?.find(({ completed }) => timeName(completed) === time);
    const dump = found && (await this.#read(set.id, found.name));
    if (dump !== undefined) return dump;
    const wasRemoved = time <= timeName(Math.max(archive?.removedDumpsThrough ?? 0, set.epochStart));
    if (wasRemoved && /^\d{8}T\d{12}Z$/.test(time)) {
      const message = `the dump of ${time} was removed, or is of an earlier history of this set`;
      throw new TidemarkError('gone', message, { time });
    }
    throw new TidemarkError('not-found', `there is no archived dump "${time}"`, { time });
  }

  /** Finds a package of an archived dump. Lists of packages are read only for one that exists. */
  async packageOf(set: ResourceSet, name: string): Promise<Package | undefined> {
    const key = formatKey({ kind: 'package', set: set.id, name });
    if (parseKey(key)?.kind !== 'package' || (await this.#parts.artifacts.head(key)) === undefined) return undefined;
    const [epoch, number, version] = name.split('-');
    const page = `${epoch}-${number}`;
    for (const { at, name: list } of (await this.#parts.known.find(set))?.dumps ?? []) {
      if (at <= Number(version)) continue;
      const { packages } = (await this.#read(set.id, list)) ?? { packages: [] };
      const found = packages.find((one) => one.name === name);
      // Later dumps contain only newer versions of the page.
      if (found !== undefined || packages.some((one) => one.page === page && one.version > Number(version)))
        return found;
    }
    return undefined;
  }

  /** The names of all packages that archived dumps of a set need; none for a set that was removed. */
  async packagesOf(id: SetId): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    const set = await this.#parts.sets.byId(id);
    if (set === undefined || set.removed !== undefined) return names;
    // Read without a cache: a dump that another process has just archived must not be missing.
    const { dumps = [] } = archiveIn(await readArchive(this.#parts.catalog, id), set.epoch);
    for (const { name: list } of dumps) {
      const { packages } = (await this.#read(id, list)) ?? { packages: [] };
      for (const { name } of packages) names.add(name);
    }
    return names;
  }

  /** Whether the dump was removed: another process may remove it, and its packages, between two steps of this one. */
  async #wasRemoved(id: SetId, { packages }: Dump): Promise<boolean> {
    const stored = (await readDump(this.#parts.catalog, id))?.body;
    const known = new Set(stored === undefined ? [] : namesIn(stored));
    return packages.some(({ name }) => !known.has(name));
  }

  async #forget(set: ResourceSet, name: string): Promise<void> {
    const document = await readArchive(this.#parts.catalog, set.id);
    const archive = archiveIn(document, set.epoch);
    const dumps = (archive.dumps ?? []).filter((one) => one.name !== name);
    if (!(await this.#put(set.id, { ...archive, dumps }, document?.version))) await this.#forget(set, name);
  }

  async #put(id: SetId, body: StoredArchive, replaces: number | undefined): Promise<boolean> {
    return (await unlessConflict(putArchive(this.#parts.catalog, id, { body, replaces }))) !== undefined;
  }

  /** Undefined when another program has deleted the list of its packages. */
  async #read(set: SetId, name: string): Promise<Dump | undefined> {
    const key = formatKey({ kind: 'kept-dump', set, name });
    const known = this.#remembered.get(key);
    if (known !== undefined) return known;
    try {
      const dump = (await json((await this.#parts.artifacts.get(key)).body)) as Dump;
      const [oldest] = this.#remembered.keys();
      if (this.#remembered.size >= MOST_REMEMBERED && oldest !== undefined) this.#remembered.delete(oldest);
      this.#remembered.set(key, dump);
      return dump;
    } catch (error) {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    }
  }
}

function namesIn({ published, made, retired }: StoredDump): readonly string[] {
  return [...(published?.packages ?? []), ...made, ...retired].map(({ name }) => name);
}
