import { formatBytes } from '../../lib/format-bytes.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile } from '../manifest.ts';
import { isReplaced } from './judge-response.ts';

/** Limits for what comes: a platform may state no sizes, or wrong ones. */
export interface ByteLimits {
  /** Bytes of all files of a dataset. */
  readonly datasetBytes: number;
  /** Bytes of a file without a stated size; those of a dataset by default. */
  readonly fileBytes?: number;
  /** How to raise the limits: the end of a message. */
  readonly advice: string;
}

/** Counts the bytes of one dataset. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  /** By path. */
  readonly #ofFiles = new Map<string, number>();
  #bytes = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /**
   * Returns a function that counts the bytes of a file as they come. It throws IngestFailure `mismatch-size`,
   * `blocked-challenge` or `too-large-size`. Of a file that is fetched again, only the last time counts.
   * @param came what is known of the response; with `acceptMismatch`, a file may have another size than is stated
   */
  counter(
    file: PlatformFile,
    came: { readonly acceptMismatch: boolean; readonly mimetype: string | undefined },
  ): (bytes: number) => void {
    const { path, size } = file;
    const { datasetBytes, fileBytes = datasetBytes } = this.#limits;
    let ofFile = 0;
    this.#bytes -= this.#ofFiles.get(path) ?? 0;
    this.#ofFiles.set(path, 0);
    return (bytes) => {
      ofFile += bytes;
      this.#ofFiles.set(path, ofFile);
      this.#bytes += bytes;
      if (size !== undefined && ofFile > size && !came.acceptMismatch) {
        const status = isReplaced(file, came.mimetype, false) ? 'blocked-challenge' : 'mismatch-size';
        throw new IngestFailure(
          status,
          `${path} has more than the ${size} bytes that the platform states: ${REPORT_IT}`,
        );
      }
      if (this.#bytes > datasetBytes) throw this.#tooLarge(`the dataset, when ${path} was fetched,`, datasetBytes);
      if (size === undefined && ofFile > fileBytes) throw this.#tooLarge(path, fileBytes);
    };
  }

  #tooLarge(what: string, most: number): IngestFailure {
    const message = `${what} has more than ${formatBytes(most)}: ${this.#limits.advice}`;
    return new IngestFailure('too-large-size', message);
  }
}

const REPORT_IT = 'report it to the platform; --accept-mismatch stores it, marked';
