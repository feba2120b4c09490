import { PassThrough } from 'node:stream';
import type { ArtifactStore, StoredObject } from '../../artifacts/artifact-store.ts';
import type { BesideKey } from '../../artifacts/keys/run-keys.ts';
import type { UploadReadingKey } from '../../artifacts/keys/stream-keys.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { writeTo } from '../../lib/bytes/write-to.ts';
import { type Erratum, erratumLine } from './erratum.ts';
import { ReasonCounts } from './reason-counts.ts';

interface ErrataOptions {
  readonly signal?: AbortSignal | undefined;
  /** For tests. */
  readonly mostListed?: number | undefined;
}

/** Most errata of a delivery that are listed: a file of a few kilobytes can unpack to millions of them. */
export const MOST_LISTED = 1_000_000;
const MOST_FIRST = 10;
/**
 * Characters that wait in memory before the artifact is begun. A store counts an unfinished artifact that no process
 * has written to for a day as abandoned, and a run that has few errata may take longer.
 */
const MOST_WAITING = 1024 * 1024;

/**
 * Counts the errata of a delivery, and writes them into an artifact as they are found; those beyond a million are only
 * counted. Without errata there is no artifact.
 */
export class ErrataWriter {
  readonly counts = new ReasonCounts();
  /** The first errata, to show to users. */
  readonly first: Erratum[] = [];
  readonly #artifacts: Pick<ArtifactStore, 'put'>;
  readonly #key: UploadReadingKey | BesideKey;
  readonly #options: ErrataOptions;
  #waiting = '';
  #count = 0;
  #stream: PassThrough | undefined;
  #stored: Promise<StoredObject> | undefined;

  constructor(artifacts: Pick<ArtifactStore, 'put'>, key: UploadReadingKey | BesideKey, options: ErrataOptions = {}) {
    this.#artifacts = artifacts;
    this.#key = key;
    this.#options = options;
  }

  /** Number of errata. */
  get count(): number {
    return this.#count;
  }

  /** Adds an error or a warning. Call `settle` before many more are added. */
  add(erratum: Erratum): void {
    const { kind, warning } = erratum;
    // Readers of the summaries of activities are promised counts by kind.
    this.counts.add(this.#key.kind === 'errata' && kind !== undefined ? { reason: kind, warning } : erratum);
    this.list(erratum);
  }

  /** Adds one that is neither an error nor a warning. */
  list(erratum: Erratum): void {
    const { mostListed = MOST_LISTED } = this.#options;
    this.#count += 1;
    if (this.#count > mostListed) return;
    if (this.first.length < MOST_FIRST) this.first.push(erratum);
    this.#waiting += erratumLine(erratum, this.#key.kind === 'errata' ? 'message' : 'reason');
  }

  /** Resolves when the store takes more. @throws TidemarkError as `ArtifactStore.put` */
  async settle(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) await this.#write();
  }

  /**
   * Returns the artifact when it is stored; undefined without errata. @throws TidemarkError as
   * `ArtifactStore.put`
   */
  async end(): Promise<StoredObject | undefined> {
    if (this.#waiting !== '') await this.#write();
    this.#stream?.end();
    return this.#stored;
  }

  /** Ends the file without an artifact, unless it was stored. */
  async abandon(): Promise<void> {
    this.#stream?.destroy(new Error('the delivery cannot be read'));
    await this.#stored?.catch(() => {});
  }

  async #write(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    if (!(await writeTo(this.#begun(), text))) await this.#stored;
  }

  #begun(): PassThrough {
    if (this.#stream !== undefined) return this.#stream;
    this.#stream = new PassThrough();
    // `abandon` destroys the stream; its errors are reported by `#stored`.
    this.#stream.on('error', () => {});
    const options = { hashes: ['sha-256'], signal: this.#options.signal } as const;
    this.#stored = putArtifact(this.#artifacts, this.#key, this.#stream, options);
    // A store that failed stops reading: this wakes the writer.
    this.#stored.catch(() => this.#stream?.destroy());
    return this.#stream;
  }
}
