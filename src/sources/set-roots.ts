import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Configuration } from '../config/configuration.ts';
import { exclusionsOfOwnFiles } from '../config/own-files.ts';
import { DEFAULT_FROM_INTERVAL } from '../config/set/from-settings.ts';
import type { HashAlgorithm } from '../core/hash.ts';
import { traitsOf } from '../core/origin.ts';
import { type ResourceSet, readingSettings, type SetId } from '../core/resource-set.ts';
import type { ContentRoot } from './content-root.ts';
import { copyFolder } from './copy-folders.ts';
import { ScanMemory } from './files/scan-memory.ts';
import type { VersionStore } from './files/version-writer.ts';
import type { MirrorSettings } from './mirror-settings.ts';
import { openRoot } from './open-contents.ts';
import type { RootLocation } from './root-location.ts';

/** The content root of a set, what its scans remember, and where its versions are stored. */
interface SetRoot {
  readonly root: ContentRoot;
  readonly memory: ScanMemory;
  readonly versions: VersionStore | undefined;
}

/** The roots of all sets with files, each opened on first use. */
export class SetRoots {
  readonly #configuration: Configuration;
  readonly #versionStoreOf: (set: ResourceSet) => VersionStore;
  readonly #memories = new Map<SetId, ScanMemory>();
  readonly #roots = new Map<SetId, { readonly set: ResourceSet; readonly root: ContentRoot }>();

  /** @param versionStoreOf returns the store of a set's versions */
  constructor(configuration: Configuration, versionStoreOf: (set: ResourceSet) => VersionStore) {
    this.#configuration = configuration;
    this.#versionStoreOf = versionStoreOf;
  }

  /** Returns the same root until settings of the set change. */
  of(set: ResourceSet): SetRoot {
    const versions = set.keepVersions === true ? this.#versionStoreOf(set) : undefined;
    return { root: this.#rootOf(set), memory: this.#memoryOf(set), versions };
  }

  locationOf(set: ResourceSet): RootLocation {
    const { origin, exclude, publishHashes, keepVersions } = set;
    const { folderScanIntervalMs: scanIntervalMs, dataFolder, s3TimeoutMs, s3PollIntervalMs } = this.#configuration;
    const s3 = { timeoutMs: s3TimeoutMs, pollIntervalMs: s3PollIntervalMs };
    const copyOf = this.#mirrorOf(set);
    const root = copyOf?.folder ?? traitsOf(origin).root!;
    const ownFiles = exclusionsOfOwnFiles(origin, this.#configuration);
    // Versions are stored under their sha-256.
    const hashes: readonly HashAlgorithm[] = keepVersions === true ? ['sha-256', ...publishHashes] : publishHashes;
    return { root, exclude, ownFiles, hashes, s3, scanIntervalMs, scratchFolder: join(dataFolder, 'spool'), copyOf };
  }

  /** Closes what is open of a set that was removed. */
  closeOf(id: SetId): void {
    this.#roots.get(id)?.root.close?.();
    this.#roots.delete(id);
    this.#memories.get(id)?.close();
    this.#memories.delete(id);
  }

  close(): void {
    for (const { root } of this.#roots.values()) root.close?.();
    this.#roots.clear();
    for (const memory of this.#memories.values()) memory.close();
    this.#memories.clear();
  }

  #rootOf(set: ResourceSet): ContentRoot {
    const known = this.#roots.get(set.id);
    if (known !== undefined && hasSameRoot(known.set, set)) return known.root;
    known?.root.close?.();
    const root = openRoot(this.locationOf(set));
    this.#roots.set(set.id, { set, root });
    return root;
  }

  #mirrorOf({ id, origin, ...settings }: ResourceSet): MirrorSettings | undefined {
    const { from } = traitsOf(origin);
    if (from === undefined) return undefined;
    const { fromInterval = DEFAULT_FROM_INTERVAL, fromAllowedHosts = [], fromTokenFile, fromNetrc } = settings;
    return {
      folder: copyFolder(this.#configuration.dataFolder, id, from.set),
      ...from,
      intervalMs: fromInterval * 1000,
      allowedHosts: fromAllowedHosts,
      tokenFile: fromTokenFile,
      netrc: fromNetrc,
      failpoint: this.#configuration.failpoint,
    };
  }

  #memoryOf({ id, origin, epoch, epochStart }: ResourceSet): ScanMemory {
    const known = this.#memories.get(id);
    if (known !== undefined) return known;
    // A store that was restored from a backup is older than the memory, and another store with the same data folder may
    // be as well. So the name contains the epoch and its start: in a new one, every file is compared again.
    const root = `${traitsOf(origin).source} in epoch ${epoch}`;
    const memory = new ScanMemory({
      file: join(this.#configuration.dataFolder, 'roots', `${id}.db`),
      root: `${root} since ${epochStart}`,
      // The first versions named it so.
      earlier: { root, since: BigInt(epochStart) * 1_000n },
    });
    this.#memories.set(id, memory);
    return memory;
  }
}

function hasSameRoot(one: ResourceSet, other: ResourceSet): boolean {
  return one === other || isDeepStrictEqual(readingSettings(one), readingSettings(other));
}
