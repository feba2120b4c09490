import type { ArchivingJob } from '../archiving.ts';
import type { PlatformFile } from '../manifest.ts';

/** Adds up what was stored of a dataset, and reports it. */
export class ProgressOfFiles {
  readonly #report: ArchivingJob['onProgress'];
  readonly #totalFiles: number;
  readonly #totalBytes: number | undefined;
  #files = 0;
  #bytes = 0;

  constructor({ onProgress }: ArchivingJob, files: readonly Pick<PlatformFile, 'size'>[]) {
    this.#report = onProgress;
    this.#totalFiles = files.length;
    const isKnown = files.every(({ size }) => size !== undefined);
    this.#totalBytes = isKnown ? files.reduce((sum, { size }) => sum + size!, 0) : undefined;
  }

  readonly addBytes = (count: number): void => {
    this.#bytes += count;
    this.#send();
  };

  addFile(): void {
    this.#files += 1;
    this.#send();
  }

  #send(): void {
    this.#report({
      files: this.#files,
      totalFiles: this.#totalFiles,
      bytes: this.#bytes,
      totalBytes: this.#totalBytes,
    });
  }
}
