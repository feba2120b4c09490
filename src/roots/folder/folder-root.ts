import { resolve } from 'node:path';
import type { HashAlgorithm } from '../../domain/hash.ts';
import type { ContentRoot, FileDigest, RootEntry, RootFile, RootProblem, RootWatch } from '../content-root.ts';
import { parseExclusions } from '../exclusions.ts';
import type { RootLocation } from '../root-location.ts';
import { HashClient } from './hash-client.ts';
import { LookClient } from './look-client.ts';
import { openWithin } from './open-within.ts';
import { WalkClient } from './walk-client.ts';
import { watchFolder } from './watch-client.ts';

/** The hash that every set publishes. */
const PUBLISHED_HASH: HashAlgorithm = 'sha-256';

/**
 * A folder of this machine. Links to folders are not followed; a link to a file counts as a file when its real path lies in
 * the root. Anything else that is no regular file is left out.
 */
export class FolderRoot implements ContentRoot {
  readonly hashes: readonly HashAlgorithm[];
  readonly digestsAtOnce = 4;
  readonly #root: string;
  readonly #exclude: readonly string[];
  readonly #walks: WalkClient;
  readonly #hashing: HashClient;
  readonly #looks = new LookClient();

  /** @throws TidemarkError `invalid` for a pattern that is none */
  constructor({ root, exclude, hashes = [] }: RootLocation) {
    parseExclusions(exclude);
    this.#root = resolve(root);
    this.#exclude = exclude;
    this.#walks = new WalkClient({ root: this.#root, exclude });
    this.hashes = [...new Set([PUBLISHED_HASH, ...hashes])];
    this.#hashing = new HashClient({ root: this.#root, hashes: this.hashes });
  }

  list(under = ''): AsyncIterable<readonly RootEntry[]> {
    return this.#walks.walk(under);
  }

  async isEmpty(): Promise<boolean> {
    for await (const batch of this.list()) if (batch.length > 0) return false;
    return true;
  }

  open(path: string): Promise<RootFile> {
    return openWithin({ root: this.#root, looks: this.#looks }, path);
  }

  digest(path: string, signal?: AbortSignal): Promise<FileDigest> {
    return this.#hashing.digest(path, signal);
  }

  watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch> {
    return watchFolder({ root: this.#root, exclude: this.#exclude }, { onChange, onProblem });
  }
}
