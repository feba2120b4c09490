import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../../archiving.ts';
import { shownUrl } from '../../fetch/shown-url.ts';
import { digits14 } from '../../fetch/timestamp14.ts';
import { IngestFailure } from '../../ingest-failure.ts';
import type { PlatformFile } from '../../manifest.ts';
import { ByteBudget, type ByteLimits } from '../../strategies/byte-budget.ts';
import { OtherHashes } from '../../strategies/other-hashes.ts';
import { type HashedScratchFile, hashStored, writeHashedScratchFile } from '../hashed-scratch-file.ts';
import { readArchiveKeys } from './archive-keys.ts';
import { isAsStated } from './as-stated.ts';
import { poll, type Timing } from './attempts.ts';
import { type Capture, findCaptures, timeOf } from './cdx.ts';
import { replay } from './replay.ts';
import { captureUrl, type MadeCapture, type SavePageNow } from './save-page-now.ts';
import { type Service, serviceFailure } from './service.ts';

/** A capture after redirects is some seconds younger or older than the one of the URL. */
const NEAR_MS = 10 * 60_000;
const BUNDLE = 0;

interface SavePageNowOptions {
  readonly service: Service;
  /** Without one, what an anonymous client may capture. */
  readonly keysFile?: string | undefined;
  readonly capturing: Timing;
  readonly polling: Timing;
  readonly limits: ByteLimits;
  /** For a bundle, which is read again. */
  readonly scratchFolder: string;
}

/**
 * Captures files with Save Page Now 2, and reads each from the web archive: what is reported are the bytes that it has.
 * A capture stays there, whatever becomes of the dataset.
 */
export function savePageNowBackend(options: SavePageNowOptions): DatasetBackend {
  return {
    kind: 'web',
    async open(job) {
      const keys = options.keysFile === undefined ? undefined : await readArchiveKeys(options.keysFile);
      return new CaptureSession({ ...options, keys }, job);
    },
  };
}

class CaptureSession implements BackendSession {
  readonly #spn: SavePageNow & SavePageNowOptions;
  readonly #job: ArchivingJob;
  readonly #budget: ByteBudget;
  /** By the number of a file: the timestamp of an earlier capture. */
  readonly #known = new Map<number, string>();
  #bundle: HashedScratchFile | undefined;
  readonly #copies = new Map<number, StoredCopy>();

  constructor(spn: SavePageNow & SavePageNowOptions, job: ArchivingJob) {
    this.#spn = spn;
    this.#job = job;
    this.#budget = new ByteBudget(spn.limits);
  }

  /** Only a hash shows that an earlier capture is the same file. */
  async existing(file: PlatformFile, number: number): Promise<StoredCopy | undefined> {
    if (file.platformUrl === undefined || file.hashes.length === 0) return undefined;
    const [capture] = await findCaptures(this.#spn.service, { url: file.platformUrl }, this.#job.signal);
    if (capture === undefined) return undefined;
    this.#known.set(number, capture.timestamp);
    const copy = await this.#read(file, { number, capture, onBytes: () => {} }).catch((error) => {
      this.#job.signal.throwIfAborted();
      if (error instanceof IngestFailure) return undefined;
      throw error;
    });
    if (copy === undefined || !isAsStated(file, copy)) return undefined;
    this.#copies.set(number, copy);
    return copy;
  }

  async store(file: PlatformFile, number: number, onBytes: (count: number) => void): Promise<StoredCopy> {
    const { platformUrl, path } = file;
    if (platformUrl === undefined) {
      throw new IngestFailure('bad-manifest', `the platform has no URL for ${path} alone: use --bundle`);
    }
    const wanted = { url: platformUrl, known: this.#known.get(number) };
    const made = await captureUrl(this.#spn, wanted, this.#job.signal);
    const copy = await this.#read(file, { number, capture: await this.#indexed(made), onBytes });
    this.#copies.set(number, copy);
    return copy;
  }

  /** Waits until the index has a capture. */
  async #indexed({ url, timestamp }: MadeCapture): Promise<Capture> {
    const { service, polling } = this.#spn;
    const { signal } = this.#job;
    const time = timeOf(timestamp);
    const from = digits14(time - NEAR_MS);
    const distance = (capture: Capture) => Math.abs(timeOf(capture.timestamp) - time);
    const nearest = async () => {
      const captures = await findCaptures(service, { url, from }, signal);
      return captures.toSorted((a, b) => distance(a) - distance(b))[0];
    };
    const found = await poll(nearest, { ...polling, signal });
    if (found !== undefined) return found;
    const minutes = Math.round(polling.timeoutMs / 60_000);
    const problem = `has captured ${shownUrl(url)}, but not indexed it in ${minutes} minutes: try again later`;
    throw serviceFailure(service, problem);
  }

  async #read(
    file: PlatformFile,
    { number, capture, onBytes }: { number: number; capture: Capture; onBytes: (count: number) => void },
  ): Promise<StoredCopy> {
    const { service, capturing: timing } = this.#spn;
    const { signal, options } = this.#job;
    const shown = shownUrl(capture.url);
    const terminal = {
      // The query of a signed URL is left out, so the archive would not find it; it finds the redirect to it.
      terminalUrl: shown === capture.url ? shown : file.platformUrl!,
      terminalDt: capture.timestamp,
    };
    return replay(capture, { service, timing, signal }, async (body, mimetype) => {
      const others = new OtherHashes([file]);
      const count = this.#budget.counter(file, { acceptMismatch: options.acceptMismatch === true, mimetype });
      const counted = async function* () {
        for await (const chunk of body) {
          count(chunk.length);
          onBytes(chunk.length);
          yield chunk;
        }
      };
      const chunks = others.tap(counted());
      const hashed = number === BUNDLE ? await this.#bundleOf(chunks) : await hashStored(chunks, signal);
      return {
        number,
        ...hashed,
        ...others.found(),
        ...(mimetype !== undefined && { mimetype }),
        ...terminal,
      };
    });
  }

  /** Its files are read from it. */
  async #bundleOf(chunks: AsyncIterable<Uint8Array>): Promise<Pick<StoredCopy, 'size' | 'hashes' | 'read'>> {
    await this.abandon();
    const bundle = await writeHashedScratchFile(chunks, { folder: this.#spn.scratchFolder, signal: this.#job.signal });
    this.#bundle = bundle;
    return { size: bundle.length, hashes: bundle.hashes, read: (start, length) => bundle.read(start, length) };
  }

  async discard({ number }: StoredCopy): Promise<void> {
    this.#copies.delete(number);
  }

  async finish(): Promise<ReadonlyMap<number, StoredCopy>> {
    await this.abandon();
    return this.#copies;
  }

  async abandon(): Promise<void> {
    await this.#bundle?.close();
    this.#bundle = undefined;
  }
}
