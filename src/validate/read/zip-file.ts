import { createReadStream, open, read } from 'node:fs';
import { fromRandomAccessReaderPromise, RandomAccessReader, type Entry as ZipEntry, type ZipFile } from 'yauzl';
import { FetchFailure } from './fetcher.ts';

const MOST_FILES = 1_000_000;

/** A stream that is destroyed closes its file, whatever `autoClose` says. */
const LEAVES_IT_OPEN = { open, read, close: (_fd: number, done: () => void) => done() };

/** An open file, which its opener closes: yauzl would close it, but not in every case. */
class OpenFile extends RandomAccessReader {
  readonly #fd: number;

  constructor(fd: number) {
    super();
    this.#fd = fd;
  }

  override _readStreamForRange(start: number, end: number) {
    return createReadStream('', { fd: this.#fd, start, end: end - 1, fs: LEAVES_IT_OPEN });
  }
}

/** The files of a ZIP package on disk, by their names without a slash at the beginning. */
export class ZipPackage {
  readonly #zip: ZipFile;
  readonly #files = new Map<string, ZipEntry>();

  private constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  /**
   * @param fd of the open file, which the caller closes after the package
   * @param length bytes
   * @throws FetchFailure when it is no ZIP file
   */
  static async open(fd: number, length: number): Promise<ZipPackage> {
    // A damaged package fails in many ways; all of them are errors of this library.
    const zip = await fromRandomAccessReaderPromise(new OpenFile(fd), length, { autoClose: false }).catch(fail);
    const opened = new ZipPackage(zip);
    try {
      for await (const entry of zip.eachEntry()) {
        opened.#files.set(entry.fileName.replace(/^\//, ''), entry);
        if (opened.#files.size > MOST_FILES) throw new FetchFailure(`it has more than ${MOST_FILES} files`);
      }
    } catch (error) {
      zip.close();
      return fail(error as Error);
    }
    return opened;
  }

  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** The bytes of a file, unpacked. @throws FetchFailure when it is damaged */
  async *read(name: string): AsyncGenerator<Buffer> {
    try {
      yield* await this.#zip.openReadStreamPromise(this.#files.get(name)!);
    } catch (error) {
      fail(error as Error);
    }
  }

  close(): void {
    this.#zip.close();
  }
}

function fail(error: Error): never {
  if (error instanceof FetchFailure) throw error;
  throw new FetchFailure(`it is no ZIP file that can be read: ${error.message}`);
}
