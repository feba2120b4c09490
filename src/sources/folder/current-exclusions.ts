import { lstat, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Exclusions,
  exclusionsOf,
  IGNORE_FILE,
  ignoreFileError,
  ignoreFileTooLarge,
  MOST_IGNORE_BYTES,
  type RootPatterns,
} from '../../lib/exclusions.ts';
import { errorCode } from '../../lib/system-error.ts';
import { type FileLook, identityOf, textOfLook } from './file-look.ts';

export interface ReadExclusions {
  readonly excludes: Exclusions;
  /** As `LookClient` takes it: current as long as the exclusions are. */
  readonly look: string;
}

/** The exclusions of a folder for the HTTP thread: compiled again only when its `.tidemarkignore` has changed. */
export class CurrentExclusions {
  readonly #file: string;
  readonly #patterns: RootPatterns;
  #known: ReadExclusions | undefined;

  constructor(root: string, patterns: RootPatterns) {
    this.#file = join(root, IGNORE_FILE);
    this.#patterns = patterns;
  }

  /** @throws TidemarkError `unavailable` when the file is there but cannot be used */
  async read(): Promise<ReadExclusions> {
    try {
      const { real, identity } = await this.#lookNow();
      const look = textOfLook({ named: this.#file, real, identity });
      if (this.#known?.look !== look) {
        const text = identity === '' ? '' : await readFile(real, 'utf8');
        this.#known = { excludes: exclusionsOf(this.#patterns, text), look };
      }
      return this.#known;
    } catch (error) {
      throw ignoreFileError(error);
    }
  }

  async #lookNow(): Promise<Pick<FileLook, 'real' | 'identity'>> {
    try {
      const real = await realpath(this.#file);
      const stats = await lstat(real, { bigint: true });
      if (stats.size > MOST_IGNORE_BYTES) throw ignoreFileTooLarge();
      if (stats.isFile()) return { real, identity: identityOf(stats) };
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    return { real: '', identity: '' };
  }
}
