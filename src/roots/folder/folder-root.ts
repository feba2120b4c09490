import { resolve } from 'node:path';
import type { ContentRoot, FileDigest, RootEntry, RootFile, RootProblem, RootWatch } from '../content-root.ts';
import { parseExclusions } from '../exclusions.ts';
import { HashClient } from './hash-client.ts';
import { openWithin } from './open-within.ts';
import { WalkClient } from './walk-client.ts';
import { watchFolder } from './watch-client.ts';

/**
 * A folder of this machine. Links to folders are not followed; a link to a file counts as a file when its real path lies in
 * the root. Anything else that is no regular file is left out.
 */
export class FolderRoot implements ContentRoot {
  readonly #root: string;
  readonly #exclude: readonly string[];
  readonly #walks: WalkClient;
  readonly #hashes: HashClient;

  /** @throws TidemarkError `invalid` for a pattern that is none */
  constructor({ root, exclude }: { readonly root: string; readonly exclude: readonly string[] }) {
    parseExclusions(exclude);
    this.#root = resolve(root);
    this.#exclude = exclude;
    this.#walks = new WalkClient({ root: this.#root, exclude });
    this.#hashes = new HashClient({ root: this.#root });
  }

  list(under = ''): AsyncIterable<readonly RootEntry[]> {
    return this.#walks.walk(under);
  }

  open(path: string): Promise<RootFile> {
    return openWithin(this.#root, path);
  }

  digest(path: string, signal?: AbortSignal): Promise<FileDigest> {
    return this.#hashes.digest(path, signal);
  }

  watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch> {
    return watchFolder({ root: this.#root, exclude: this.#exclude }, { onChange, onProblem });
  }
}
