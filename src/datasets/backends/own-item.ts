import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject, ObjectKey } from '../../artifacts/artifact-store.ts';
import { DATASETS_FOLDER } from '../../artifacts/keys/dataset-keys.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { Hashes } from '../../core/hash.ts';
import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../archiving.ts';
import type { DatasetFetcher } from '../fetch/dataset-fetcher.ts';
import { shownUrl } from '../fetch/shown-url.ts';
import type { PlatformFile } from '../manifest.ts';
import { ByteBudget, type ByteLimits } from '../strategies/byte-budget.ts';
import { compareWithManifest } from '../strategies/compare-with-manifest.ts';
import { fetchFile } from '../strategies/fetch-file.ts';
import { OtherHashes } from '../strategies/other-hashes.ts';
import { timestamp14 } from '../timestamp14.ts';
import { hashStored } from './hashed-scratch-file.ts';
import { itemNameOf } from './item-name.ts';
import { readArtifact } from './read-artifact.ts';

export interface OwnItemParts {
  readonly fetcher: DatasetFetcher;
  readonly artifacts: ArtifactStore;
  readonly limits: ByteLimits;
}

/** Stores each file as an artifact in the folder of its dataset, under its number: names are in the manifest (d15). */
export function ownItemBackend(parts: OwnItemParts): DatasetBackend {
  return {
    kind: 'archiveorg',
    async open(job) {
      const stored = await parts.artifacts.objects(`${DATASETS_FOLDER}${job.folder}/`);
      return new ItemSession(job, parts, stored);
    },
  };
}

class ItemSession implements BackendSession {
  readonly itemName: string;
  readonly #job: ArchivingJob;
  readonly #parts: OwnItemParts;
  readonly #budget: ByteBudget;
  /** What attempts before have stored, by the number of the file. */
  readonly #stored: ReadonlyMap<number, readonly ListedObject[]>;
  readonly #copies = new Map<number, StoredCopy>();

  constructor(job: ArchivingJob, parts: OwnItemParts, stored: readonly ListedObject[]) {
    this.itemName = itemNameOf(job.dataset);
    this.#job = job;
    this.#parts = parts;
    this.#budget = new ByteBudget(parts.limits);
    this.#stored = Map.groupBy(stored, numberOf);
  }

  async existing(file: PlatformFile, number: number): Promise<StoredCopy | undefined> {
    for (const object of this.#stored.get(number) ?? []) {
      const copy = await this.#copyOf(object, file, number);
      if (copy === undefined) continue;
      this.#copies.set(number, copy);
      return copy;
    }
    return undefined;
  }

  async store(file: PlatformFile, number: number, onBytes: (count: number) => void): Promise<StoredCopy> {
    const { folder, attempt, signal, options } = this.#job;
    const { artifacts, fetcher } = this.#parts;
    const acceptMismatch = options.acceptMismatch ?? false;
    const fetched = await fetchFile(file, { fetcher, signal, budget: this.#budget, acceptMismatch, onBytes });
    const others = new OtherHashes([file]);
    const key = { kind: 'dataset-file', folder, number, attempt } as const;
    const body = others.tap(fetched.body);
    // A body that was never read has a connection, too.
    const stored = await putArtifact(artifacts, key, body, { signal }).finally(() => fetched.discard());
    const otherHashes = others.digest();
    const copy = this.#copy(number, stored.key, {
      size: stored.length,
      hashes: stored.hashes as Required<Hashes>,
      ...(otherHashes !== undefined && { otherHashes }),
      ...(fetched.mimetype !== undefined && { mimetype: fetched.mimetype }),
      terminalUrl: shownUrl(fetched.url),
      terminalDt: timestamp14(fetched.hops.at(-1)!.time),
    });
    this.#copies.set(number, copy);
    return copy;
  }

  async discard({ number, stored }: StoredCopy): Promise<void> {
    this.#copies.delete(number);
    await this.#parts.artifacts.delete(stored!.artifact);
  }

  async finish(): Promise<ReadonlyMap<number, StoredCopy>> {
    return this.#copies;
  }

  async abandon(): Promise<void> {}

  /** A stored file is complete; it is taken when the platform says enough of it to see that it is the same. */
  async #copyOf({ key, length, modified }: ListedObject, file: PlatformFile, number: number) {
    const isBundle = number === 0;
    if (!isBundle && (file.size === undefined ? file.hashes.length === 0 : file.size !== length)) return undefined;
    const others = new OtherHashes([file]);
    const { body } = await this.#parts.artifacts.get(key, { signal: this.#job.signal });
    const computed = await hashStored(others.tap(body), this.#job.signal).finally(() => body.destroy());
    const otherHashes = others.digest();
    const copy = this.#copy(number, key, {
      ...computed,
      ...(otherHashes !== undefined && { otherHashes }),
      terminalDt: timestamp14(modified),
    });
    const isSame = isBundle || compareWithManifest(file, copy, false).status === 'success';
    return isSame ? copy : undefined;
  }

  #copy(number: number, artifact: ObjectKey, copy: Omit<StoredCopy, 'number' | 'stored' | 'read'>): StoredCopy {
    return {
      ...copy,
      number,
      stored: { artifact, offset: 0, length: copy.size },
      read: (start, length) => readArtifact(this.#parts.artifacts, artifact, { start, length }),
    };
  }
}

/** Of the file in the manifest; undefined for an artifact of another kind, such as a manifest. */
function numberOf({ key }: ListedObject): number | undefined {
  const parsed = parseKey(key);
  return parsed?.kind === 'dataset-file' ? parsed.number : undefined;
}
