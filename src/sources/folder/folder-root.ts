import { resolve } from 'node:path';
import type { HashAlgorithm } from '../../core/hash.ts';
import { SpacedCalls } from '../../lib/calls/spaced-calls.ts';
import { type Exclusions, internalFiles, isLeftOut } from '../../lib/glob/exclusions.ts';
import type {
  ContentRoot,
  DigestOptions,
  FileDigest,
  FillFrom,
  RootEntry,
  RootFile,
  RootProblem,
  RootWatch,
  SkippedEntries,
} from '../content-root.ts';
import { noSuchFile } from '../file-errors.ts';
import { isPlainPath } from '../plain-path.ts';
import type { RootLocation } from '../root-location.ts';
import type { LeavesOut } from '../served-source.ts';
import { CurrentExclusions } from './current-exclusions.ts';
import { type FolderThreads, threadsOf } from './folder-threads.ts';
import { HASHED_AT_ONCE, HashClient } from './hash-client.ts';
import { LocalFiles } from './local-files.ts';
import { openWithin } from './open-within.ts';
import type { WalkedFolder } from './walk.ts';
import { walkIn } from './walk-client.ts';
import type { IsInternal } from './within.ts';

/** Milliseconds between two full lists. */
const DEFAULT_SCAN_INTERVAL_MS = 3_600_000;

/** Milliseconds between two attempts to watch a root that fails: at least, and for each root that fails. */
const SHORTEST_RETRY_MS = 1_000;
const RETRY_MS_EACH = 5;

/** The hash that every set publishes. */
const PUBLISHED_HASH: HashAlgorithm = 'sha-256';

/** Values that files opened at the same time share; undefined when they cannot be determined without waiting. */
interface LocalRoot {
  readonly excludes: Exclusions | undefined;
  readonly realRoot: string | undefined;
}

/**
 * A folder of this machine. Links to folders are not followed; a link to a file counts as a file when its real path is
 * in the root, and not this program's own. Everything else that is not a regular file is left out.
 */
export class FolderRoot implements ContentRoot {
  readonly hashes: readonly HashAlgorithm[];
  readonly digestsAtOnce = HASHED_AT_ONCE;
  readonly #folder: WalkedFolder;
  readonly #exclusions: CurrentExclusions;
  readonly #isInternal: IsInternal;
  readonly #hashing: HashClient;
  #threads: FolderThreads | undefined;
  readonly #scanIntervalMs: number;
  readonly #local: LocalFiles;
  readonly #opening = new SpacedCalls<LocalRoot>(() => ({
    excludes: this.#exclusions.known(),
    realRoot: this.#local.realRoot(),
  }));

  constructor({
    root,
    exclude,
    ownFiles,
    hashes = [],
    scanIntervalMs = DEFAULT_SCAN_INTERVAL_MS,
    blocks,
  }: RootLocation) {
    this.#folder = { root: resolve(root), patterns: { exclude, ownFiles } };
    this.#isInternal = internalFiles(this.#folder.patterns);
    this.#exclusions = new CurrentExclusions(this.#folder.root, this.#folder.patterns);
    this.#scanIntervalMs = scanIntervalMs;
    this.#local = new LocalFiles(this.#folder.root, blocks);
    this.hashes = [...new Set([PUBLISHED_HASH, ...hashes])];
    this.#hashing = new HashClient(
      { ...this.#folder, hashes: this.hashes },
      () => this.#threads ?? this.#findThreads(),
    );
  }

  /** One second; longer when many roots fail together, as those of a disk that is not mounted. */
  get longestRetryMs(): number {
    const failing = this.#threads?.watching.failing ?? 0;
    return Math.max(SHORTEST_RETRY_MS, failing * RETRY_MS_EACH);
  }

  list(under = '', onSkipped?: (skipped: SkippedEntries) => void): AsyncIterable<readonly RootEntry[]> {
    return walkIn(this.#findThreads().walking, { ...this.#folder, under }, onSkipped);
  }

  beginScan(signal?: AbortSignal): Promise<() => void> {
    return this.#findThreads().scans.enter(signal);
  }

  async isEmpty(): Promise<boolean> {
    for await (const batch of this.list()) if (batch.length > 0) return false;
    return true;
  }

  async leavesOut(): Promise<LeavesOut> {
    const excludes = await this.#exclusions.read();
    return (path) => isLeftOut(excludes, path);
  }

  async open(path: string): Promise<RootFile> {
    const isPlain = this.#local.areKnown && isPlainPath(path);
    const opened = isPlain ? await this.#opening.run((shared) => this.#openAtOnce(shared, path)) : undefined;
    return opened ?? this.#open(path);
  }

  async beginReads(): Promise<FillFrom> {
    const excludes = this.#exclusions.known() ?? (await this.#exclusions.read());
    const realRoot = this.#local.realRoot();
    return (path, buffer) =>
      realRoot !== undefined &&
      isPlainPath(path) &&
      !isLeftOut(excludes, path) &&
      this.#local.fill(realRoot, path, buffer);
  }

  /** Opens a file with a few synchronous calls. Undefined when that is not possible: see local-files.ts. */
  #openAtOnce({ excludes, realRoot }: LocalRoot, path: string): RootFile | undefined {
    if (excludes === undefined || realRoot === undefined || isLeftOut(excludes, path)) return undefined;
    return this.#local.open(realRoot, path);
  }

  async #open(path: string): Promise<RootFile> {
    if (isLeftOut(await this.#exclusions.read(), path)) throw noSuchFile(path);
    const { root } = this.#folder;
    return openWithin({ root, isInternal: this.#isInternal }, path, (device, real) => this.#local.learn(device, real));
  }

  digest(path: string, options: DigestOptions = {}): Promise<FileDigest> {
    return this.#hashing.digest(path, options);
  }

  watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch> {
    const folder = { ...this.#folder, scanIntervalMs: this.#scanIntervalMs };
    return this.#findThreads().watching.watch(folder, { onChange, onProblem });
  }

  /** Called once for each list and watch: a disk may have been mounted at the root meanwhile. */
  #findThreads(): FolderThreads {
    this.#threads = threadsOf(this.#folder.root);
    return this.#threads;
  }
}
