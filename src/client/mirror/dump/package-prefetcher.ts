import { join } from 'node:path';
import { isTidemarkError } from '../../../core/errors.ts';
import type { PackageFile } from '../../read/fetch-package.ts';
import { ReadFailure } from '../../read/read-failure.ts';
import type { Reader } from '../../read/source-reader.ts';
import { fetchListed, type ListedPackage } from './dump-packages.ts';

interface PrefetchOptions {
  readonly reader: Reader;
  /** The folder for the files of packages. */
  readonly folder: string;
  /** Whether a package is worth fetching. */
  readonly isUseful: (listed: ListedPackage) => Promise<boolean>;
}

/** A fetched package, or the reason why it could not be fetched. */
type FetchedPackage =
  | { readonly uri: string; readonly file: PackageFile }
  | { readonly uri: string; readonly problem: string };

/** Fetches the useful packages of a dump in order, one ahead of the caller. */
export class PackagePrefetcher {
  readonly #packages: Iterator<ListedPackage>;
  readonly #options: PrefetchOptions;
  readonly #closed = new AbortController();
  #next: Promise<FetchedPackage | undefined> | undefined;
  #count = 0;

  constructor(packages: Iterable<ListedPackage>, options: PrefetchOptions) {
    this.#packages = packages[Symbol.iterator]();
    const signal = AbortSignal.any([options.reader.signal, this.#closed.signal]);
    this.#options = { ...options, reader: { ...options.reader, signal } };
  }

  /** Starts to fetch the next package. */
  prefetch(): void {
    this.#next ??= this.#fetch();
    // The caller of `next` gets the error.
    this.#next.catch(() => {});
  }

  /** Returns the next package, whose file the caller closes; undefined after the last one. */
  next(): Promise<FetchedPackage | undefined> {
    this.prefetch();
    const next = this.#next!;
    this.#next = undefined;
    return next;
  }

  /** Stops fetching. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the dump is not read on'));
    const left = await this.#next?.catch(() => undefined);
    if (left !== undefined && 'file' in left) left.file.close();
  }

  async #fetch(): Promise<FetchedPackage | undefined> {
    const { reader, folder, isUseful } = this.#options;
    for (let next = this.#packages.next(); !next.done; next = this.#packages.next()) {
      const listed = next.value;
      reader.signal.throwIfAborted();
      if (!(await isUseful(listed))) continue;
      const { uri } = listed;
      reader.progress(uri);
      this.#count += 1;
      // The file of the previous package may still be open under its name.
      const path = join(folder, `package-${this.#count % 2}`);
      try {
        return { uri, file: await fetchListed(reader, listed, path) };
      } catch (error) {
        reader.signal.throwIfAborted();
        // A disk without room for the package may have room for single resources.
        if (!(error instanceof ReadFailure) && !isTidemarkError(error, 'unavailable')) throw error;
        return { uri, problem: error.message };
      }
    }
    return undefined;
  }
}
