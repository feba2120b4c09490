import { formatKey, parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../archiving.ts';
import type { DatasetFetcher } from '../fetch/dataset-fetcher.ts';
import { shownUrl } from '../fetch/shown-url.ts';
import { digits14 } from '../fetch/timestamp14.ts';
import type { PlatformFile } from '../manifest.ts';
import { ByteBudget, type ByteLimits } from '../strategies/byte-budget.ts';
import { fetchFile } from '../strategies/fetch-file.ts';
import { OtherHashes } from '../strategies/other-hashes.ts';
import { writeHashedScratchFile } from './hashed-scratch-file.ts';
import { objectsOfAttempts } from './objects-of-attempts.ts';
import { type StoredBefore, takenOver } from './taken-over.ts';
import { BlockDigest, type CapturedFile } from './warc/captured-file.ts';
import { findInWarc } from './warc/find-in-warc.ts';
import { warcOf } from './warc/write-warc.ts';

interface WebWarcParts {
  readonly fetcher: DatasetFetcher;
  readonly artifacts: ArtifactStore;
  readonly limits: ByteLimits;
  /** For the files until all of them are there. */
  readonly scratchFolder: string;
}

/** Stores the files of a dataset in a WARC, with the requests and responses that they came by (d14). */
export function webWarcBackend(parts: WebWarcParts): DatasetBackend {
  return {
    kind: 'web',
    open: async (job) => new WarcSession(job, parts, await filesOfAttempts(parts.artifacts, job.folder)),
  };
}

/** What attempts have stored that ended before the dataset was recorded. */
async function filesOfAttempts(artifacts: ArtifactStore, folder: string): Promise<readonly StoredBefore[]> {
  const found: StoredBefore[] = [];
  for (const { key, length } of await objectsOfAttempts(artifacts, folder)) {
    if (parseKey(key)?.kind === 'dataset-warc') found.push(...(await findInWarc(artifacts, key, length)));
  }
  return found;
}

class WarcSession implements BackendSession {
  readonly #job: ArchivingJob;
  readonly #parts: WebWarcParts;
  readonly #budget: ByteBudget;
  readonly #stored: readonly StoredBefore[];
  readonly #captured = new Map<number, CapturedFile>();
  readonly #copies = new Map<number, StoredCopy>();

  constructor(job: ArchivingJob, parts: WebWarcParts, stored: readonly StoredBefore[]) {
    this.#job = job;
    this.#parts = parts;
    this.#budget = new ByteBudget(parts.limits);
    this.#stored = stored;
  }

  async existing(file: PlatformFile, number: number): Promise<StoredCopy | undefined> {
    for (const before of this.#stored) {
      const reading = { artifacts: this.#parts.artifacts, signal: this.#job.signal };
      const copy = before.number === number ? await takenOver(file, before, reading) : undefined;
      if (copy === undefined) continue;
      this.#copies.set(number, copy);
      return copy;
    }
    return undefined;
  }

  async store(file: PlatformFile, number: number, onBytes: (count: number) => void): Promise<StoredCopy> {
    const { signal, options } = this.#job;
    const { fetcher, scratchFolder: folder } = this.#parts;
    const acceptMismatch = options.acceptMismatch ?? false;
    const budget = number === 0 ? budgetOfBundle(this.#parts.limits) : this.#budget;
    const fetched = await fetchFile(file, { fetcher, signal, budget, acceptMismatch, onBytes });
    const last = fetched.hops.at(-1)!;
    const block = new BlockDigest(last);
    const others = new OtherHashes([file]);
    const chunks = block.tap(others.tap(fetched.body));
    // A body that was never read has a connection, too.
    const body = await writeHashedScratchFile(chunks, { folder, signal }).finally(() => fetched.discard());
    const { head } = block;
    this.#captured.set(number, { number, path: file.path, hops: fetched.hops, head, blockSha1: block.digest(), body });
    const copy: StoredCopy = {
      number,
      size: body.length,
      hashes: body.hashes,
      ...others.found(),
      ...(fetched.mimetype !== undefined && { mimetype: fetched.mimetype }),
      terminalUrl: shownUrl(fetched.url),
      terminalDt: digits14(last.time),
      read: (start, length) => body.read(start, length),
    };
    this.#copies.set(number, copy);
    return copy;
  }

  async discard({ number }: StoredCopy): Promise<void> {
    this.#copies.delete(number);
    const captured = this.#captured.get(number);
    this.#captured.delete(number);
    await captured?.body.close();
  }

  async finish(): Promise<ReadonlyMap<number, StoredCopy>> {
    try {
      if (this.#captured.size > 0) await this.#write();
      return this.#copies;
    } finally {
      await this.abandon();
    }
  }

  async abandon(): Promise<void> {
    const captured = [...this.#captured.values()];
    this.#captured.clear();
    await Promise.all(captured.map(({ body }) => body.close()));
  }

  async #write(): Promise<void> {
    const { folder, attempt, signal, dataset } = this.#job;
    const files = [...this.#captured.values()].sort((a, b) => a.number - b.number);
    const description = `dataset ${dataset.persistentId ?? dataset.landingUrl}`;
    const warc = warcOf(files, { name: `${attempt}.warc`, time: Date.now(), description });
    const key = { kind: 'dataset-warc', folder, attempt } as const;
    // The files in it are hashed.
    await putArtifact(this.#parts.artifacts, key, warc.read(), { signal, hashes: [] });
    for (const { number } of files) {
      const { read: _, ...copy } = this.#copies.get(number)!;
      const stored = { artifact: formatKey(key), offset: warc.offsets.get(number)!, length: copy.size };
      this.#copies.set(number, { ...copy, stored });
    }
  }
}

/** A bundle is as large as its files together. */
const budgetOfBundle = (limits: ByteLimits): ByteBudget =>
  new ByteBudget({ ...limits, fileBytes: limits.datasetBytes });
