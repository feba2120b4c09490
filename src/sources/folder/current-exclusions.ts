import { lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Exclusions,
  exclusionsOf,
  IGNORE_FILE,
  ignoreFileError,
  ignoreFileLeadsNowhere,
  ignoreFileTooLarge,
  MOST_IGNORE_BYTES,
  type RootPatterns,
  statIgnoreFile,
} from '../../lib/glob/exclusions.ts';
import { errorCode } from '../../lib/system-error.ts';
import { identityOf } from './file-identity.ts';

interface KnownExclusions {
  readonly excludes: Exclusions;
  /** Identity of the file that the exclusions were read from; empty without a file. */
  readonly identity: string;
}

/** The exclusions of a folder, for the HTTP thread: compiled again only when `.tidemarkignore` has changed. */
export class CurrentExclusions {
  readonly #file: string;
  readonly #patterns: RootPatterns;
  #known: KnownExclusions | undefined;

  constructor(root: string, patterns: RootPatterns) {
    this.#file = join(root, IGNORE_FILE);
    this.#patterns = patterns;
  }

  /** @throws TidemarkError `unavailable` when the file exists but cannot be used */
  async read(): Promise<Exclusions> {
    try {
      const identity = await this.#identity();
      if (this.#known?.identity !== identity) {
        const text = identity === '' ? '' : await readFile(this.#file, 'utf8');
        this.#known = { excludes: exclusionsOf(this.#patterns, text), identity };
      }
      return this.#known.excludes;
    } catch (error) {
      throw ignoreFileError(error);
    }
  }

  /** The last exclusions, if their file is unchanged; does not wait. Undefined when they have to be read. */
  known(): Exclusions | undefined {
    if (this.#known === undefined) return undefined;
    try {
      return this.#identityNow() === this.#known.identity ? this.#known.excludes : undefined;
    } catch {
      // Reading reports the cause.
      return undefined;
    }
  }

  #identityNow(): string {
    const stats = statIgnoreFile(this.#file);
    return stats === undefined ? '' : identityOf(stats);
  }

  async #identity(): Promise<string> {
    try {
      const stats = await stat(this.#file, { bigint: true });
      if (stats.size > MOST_IGNORE_BYTES) throw ignoreFileTooLarge();
      return stats.isFile() ? identityOf(stats) : '';
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      const own = await lstat(this.#file).catch(() => undefined);
      if (own?.isSymbolicLink()) throw ignoreFileLeadsNowhere();
      // It may have been made just now.
      return own?.isFile() ? identityOf(await stat(this.#file, { bigint: true })) : '';
    }
  }
}
