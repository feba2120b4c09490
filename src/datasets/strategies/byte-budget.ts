import { formatBytes } from '../../lib/format-bytes.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { PlatformFile } from '../manifest.ts';

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
  #bytes = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /**
   * Returns a function that counts bytes of a file.
   * @param acceptMismatch the file may have another size than its platform states
   * @returns a function that throws IngestFailure `mismatch-size` or `too-large-size`
   */
  counter({ path, size }: PlatformFile, acceptMismatch: boolean): (bytes: number) => void {
    const { datasetBytes, fileBytes = datasetBytes, advice } = this.#limits;
    let ofFile = 0;
    return (bytes) => {
      ofFile += bytes;
      this.#bytes += bytes;
      if (size !== undefined && ofFile > size && !acceptMismatch) {
        const message = `${path} has more than the ${size} bytes that the platform states: report it to the platform; --accept-mismatch stores it, marked`;
        throw new IngestFailure('mismatch-size', message);
      }
      const exceeded = this.#bytes > datasetBytes ? 'the dataset' : size === undefined && ofFile > fileBytes ? path : '';
      if (exceeded === '') return;
      const most = formatBytes(exceeded === path ? fileBytes : datasetBytes);
      throw new IngestFailure('too-large-size', `${exceeded} has more than ${most}, found while ${path} was fetched: ${advice}`);
    };
  }
}
