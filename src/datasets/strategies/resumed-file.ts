import { createHash, type Hash } from 'node:crypto';
import { pauseAfter } from '../../lib/calls/retry.ts';
import type { Fetched } from '../fetch/dataset-fetcher.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile } from '../manifest.ts';
import { isReplaced, lengthOf, requireFile } from './judge-response.ts';

/** A break after more bytes than these is not counted: on a bad connection, a large file breaks often. */
const PROGRESS_BYTES = 1024 * 1024;
const MOST_BREAKS = 5;
const BACKOFF = { firstMs: 100, longestMs: 5_000 };

interface Resuming {
  readonly signal: AbortSignal;
  readonly acceptMismatch: boolean;
  /** Begins at the platform's URL again: a signed URL has expired by then (d17). */
  request(resume?: { readonly from: number; readonly etag: string }): Promise<Fetched>;
}

/**
 * Yields the bytes of a file. When its connection breaks, it requests the rest (RFC 9110, 13.1.5 and 14.2) if the
 * response has a strong ETag; else the whole file, whose beginning is skipped when it is the same.
 * @throws IngestFailure `file-not-fetched` when the rest cannot be fetched
 */
export async function* resumedFile(
  file: PlatformFile,
  first: Fetched,
  resuming: Resuming,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = new FileReader(file, first, resuming);
  for (let breaks = 0, fetched = first; ; ) {
    const begun = reader.position;
    try {
      yield* reader.read(fetched);
      return;
    } catch (error) {
      resuming.signal.throwIfAborted();
      if (!isBreak(error)) throw error;
      if (reader.isWhole) return;
      breaks = reader.position - begun > PROGRESS_BYTES ? 1 : breaks + 1;
      if (breaks > MOST_BREAKS) throw error;
    }
    await pauseAfter(breaks, BACKOFF, resuming.signal);
    fetched = await reader.rest();
  }
}

/** The file cannot be continued: its bytes are other ones now. */
class Changed extends IngestFailure {}

const isBreak = (error: unknown): boolean =>
  error instanceof IngestFailure && error.status === 'file-not-fetched' && !(error instanceof Changed);

class FileReader {
  readonly #file: PlatformFile;
  readonly #resuming: Resuming;
  /** Strong, or undefined. */
  readonly #etag: string | undefined;
  /** Bytes of the whole file, where a header says so. */
  #length: number | undefined;
  /** Whether the caller sees by a hash when the parts are of different bytes. */
  readonly #isComparedLater: boolean;
  /** Of what was yielded, where nothing else shows that the beginning of a second response is the same. */
  readonly #begun: Hash | undefined;
  #position = 0;
  /** Bytes of the next response that were yielded before. */
  #skipped = 0;

  constructor(file: PlatformFile, { headers }: Fetched, resuming: Resuming) {
    this.#file = file;
    this.#resuming = resuming;
    this.#length = lengthOf(headers);
    this.#isComparedLater = file.hashes.length > 0 && !resuming.acceptMismatch;
    // A range of a packed body cannot be requested by its unpacked bytes.
    const isPacked = (headers['content-encoding'] ?? 'identity') !== 'identity';
    this.#etag = headers.etag?.startsWith('"') && !isPacked ? headers.etag : undefined;
    this.#begun = this.#isComparedLater || this.#etag !== undefined ? undefined : createHash('sha256');
  }

  get position(): number {
    return this.#position;
  }

  get isWhole(): boolean {
    return this.#position === this.#length;
  }

  async *read(fetched: Fetched): AsyncGenerator<Uint8Array, void, undefined> {
    const again = this.#begun === undefined ? undefined : createHash('sha256');
    for await (const chunk of fetched.body) {
      const skipped = chunk.subarray(0, this.#skipped);
      if (skipped.length > 0) {
        again?.update(skipped);
        this.#skipped -= skipped.length;
        if (this.#skipped === 0) this.#requireSame(again);
      }
      const bytes = chunk.subarray(skipped.length);
      if (bytes.length === 0) continue;
      this.#position += bytes.length;
      this.#begun?.update(bytes);
      yield bytes;
    }
    this.#requireEnd(fetched);
  }

  /** Requests the rest, or the whole. */
  async rest(): Promise<Fetched> {
    const from = this.#position;
    const etag = from > 0 ? this.#etag : undefined;
    const fetched = await this.#resuming.request(etag === undefined ? undefined : { from, etag });
    try {
      const isRest = etag !== undefined && fetched.status === 206;
      if (isRest) this.#requireRest(fetched);
      else this.#requireWhole(fetched);
      this.#skipped = isRest ? 0 : from;
      return fetched;
    } catch (error) {
      fetched.discard();
      throw error;
    }
  }

  #requireRest({ headers }: Fetched): void {
    const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers['content-range'] ?? '') ?? [];
    const isSame = headers.etag === undefined || headers.etag === this.#etag;
    if (total !== undefined && total !== '*') this.#length ??= Number(total);
    const isOfLength = total === '*' || Number(total) === this.#length;
    if (Number(from) !== this.#position || !isSame || !isOfLength) throw this.#changed();
  }

  #requireWhole(fetched: Fetched): void {
    requireFile(this.#file, fetched, this.#resuming.acceptMismatch);
    const isSame = this.#etag !== undefined && fetched.headers.etag === this.#etag;
    if (this.#position === 0) this.#length = lengthOf(fetched.headers);
    else if (!isSame && !this.#isComparedLater && this.#begun === undefined) throw this.#changed();
  }

  #requireSame(again: Hash | undefined): void {
    if (again !== undefined && again.digest('hex') !== this.#begun!.copy().digest('hex')) throw this.#changed();
  }

  /** A body may end early without an error where nothing in HTTP says its length. */
  #requireEnd({ headers }: Fetched): void {
    // With a Content-Encoding, a Content-Length is not that of the file.
    const isEndKnown = /chunked/i.test(headers['transfer-encoding'] ?? '') || 'content-length' in headers;
    const isOther = isReplaced(this.#file, headers['content-type'], this.#resuming.acceptMismatch);
    const wanted = this.#length ?? (isEndKnown || isOther ? undefined : this.#file.size);
    const isEarly = this.#skipped > 0 || (wanted !== undefined && this.#position < wanted);
    if (!isEarly) return;
    if (this.#skipped > 0 && isEndKnown) throw this.#changed();
    const message = `${this.#file.path} broke off after ${this.#position} of ${wanted ?? 'its'} bytes: try again`;
    throw new IngestFailure('file-not-fetched', message);
  }

  #changed(): IngestFailure {
    return new Changed(
      'file-not-fetched',
      `${this.#file.path} changed at its platform while it was fetched: try again`,
    );
  }
}
