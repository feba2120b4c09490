import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { Hashes } from '../../core/hash.ts';
import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../archiving.ts';
import type { DatasetFetcher } from '../fetch/dataset-fetcher.ts';
import { shownUrl } from '../fetch/shown-url.ts';
import { digits14 } from '../fetch/timestamp14.ts';
import type { PlatformFile } from '../manifest.ts';
import { ByteBudget, type ByteLimits } from '../strategies/byte-budget.ts';
import { fetchFile } from '../strategies/fetch-file.ts';
import { OtherHashes } from '../strategies/other-hashes.ts';
import { itemNameOf } from './item-name.ts';
import { objectsOfAttempts } from './objects-of-attempts.ts';
import { readArtifact } from './read-artifact.ts';
import { takenOver } from './taken-over.ts';

interface OwnItemParts {
  readonly fetcher: DatasetFetcher;
  readonly artifacts: ArtifactStore;
  readonly limits: ByteLimits;
}

/** Stores each file as an artifact in the folder of its dataset, under its number: names are in the manifest (d15). */
export function ownItemBackend(parts: OwnItemParts): DatasetBackend {
  return {
    kind: 'archiveorg',
    async open(job) {
      const stored = await objectsOfAttempts(parts.artifacts, job.folder);
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
  readonly #stored: ReadonlyMap<number | undefined, readonly ListedObject[]>;
  readonly #copies = new Map<number, StoredCopy>();

  constructor(job: ArchivingJob, parts: OwnItemParts, stored: readonly ListedObject[]) {
    this.itemName = itemNameOf(job.dataset);
    this.#job = job;
    this.#parts = parts;
    this.#budget = new ByteBudget(parts.limits);
    this.#stored = Map.groupBy(stored, numberOf);
  }

  async existing(file: PlatformFile, number: number): Promise<StoredCopy | undefined> {
    for (const { key, length, modified } of this.#stored.get(number) ?? []) {
      const stored = { artifact: key, offset: 0, length };
      const before = { number, stored, terminalDt: digits14(modified) };
      const copy = await takenOver(file, before, { artifacts: this.#parts.artifacts, signal: this.#job.signal });
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
    const stored = await putArtifact(artifacts, key, body, { signal, sparesMemory: true }).finally(() =>
      fetched.discard(),
    );
    const copy: StoredCopy = {
      number,
      size: stored.length,
      hashes: stored.hashes as Required<Hashes>,
      ...others.found(),
      ...(fetched.mimetype !== undefined && { mimetype: fetched.mimetype }),
      terminalUrl: shownUrl(fetched.url),
      terminalDt: digits14(fetched.hops.at(-1)!.time),
      stored: { artifact: stored.key, offset: 0, length: stored.length },
      read: (start, length) => readArtifact(artifacts, stored.key, { start, length }),
    };
    this.#copies.set(number, copy);
    return copy;
  }

  async discard({ number, stored }: StoredCopy): Promise<void> {
    this.#copies.delete(number);
    const { artifact } = stored!;
    // Another attempt may use its own ones.
    const key = parseKey(artifact);
    if (key?.kind === 'dataset-file' && key.attempt === this.#job.attempt) await this.#parts.artifacts.delete(artifact);
  }

  async finish(): Promise<ReadonlyMap<number, StoredCopy>> {
    return this.#copies;
  }

  async abandon(): Promise<void> {}
}

/** Of the file in the manifest; undefined for an artifact of another kind, such as a manifest. */
function numberOf({ key }: ListedObject): number | undefined {
  const parsed = parseKey(key);
  return parsed?.kind === 'dataset-file' ? parsed.number : undefined;
}
