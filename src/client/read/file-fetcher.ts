import { createReadStream, statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { TidemarkError } from '../../core/errors.ts';
import { reasonOf } from '../../lib/system-error.ts';
import { type Fetched, type Fetcher, NoAnswer } from './fetcher.ts';

/** Reads one file. For any other URI, there is no answer. */
export class FileFetcher implements Fetcher {
  readonly url: string;
  readonly #path: string;

  /** @throws TidemarkError `invalid` when there is no such file, or it is a folder */
  constructor(path: string) {
    this.#path = path;
    this.url = pathToFileURL(path).href;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile()) return;
    const problem = stats === undefined ? 'it does not exist' : 'it is not a file';
    throw new TidemarkError('invalid', `${path} cannot be read: ${problem}`, { path });
  }

  async get(uri: string): Promise<Fetched> {
    if (uri !== this.url) throw new NoAnswer('only the file is read');
    return { status: 200, headers: {}, uri, body: this.#read(), discard: () => {} };
  }

  close(): void {}

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(this.#path);
    } catch (error) {
      const message = `${this.#path} cannot be read: ${reasonOf(error)}`;
      throw new TidemarkError('unavailable', message, { path: this.#path }, error);
    }
  }
}
