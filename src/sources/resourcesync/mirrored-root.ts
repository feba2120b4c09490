import type { CopiedResource } from '../../client/mirror/lists/wanted-resource.ts';
import type { CopyListing, ListedResource } from '../../client/mirror/state/copy-listing.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../core/hash.ts';
import { keyOfPath } from '../../core/key.ts';
import { Mutex } from '../../lib/calls/mutex.ts';
import type {
  ContentRoot,
  DigestOptions,
  FileDigest,
  FileEntry,
  PresignedUse,
  RefreshProgress,
  RootEntry,
  RootFile,
  RootProblem,
  RootWatch,
} from '../content-root.ts';
import { changedMeanwhile, noSuchFile } from '../file-errors.ts';
import type { MirrorSettings } from '../mirror-settings.ts';
import type { RootLocation } from '../root-location.ts';
import type { LeavesOut } from '../served-source.ts';
import { describeCopied, modifiedNs, tagOf, wholeSeconds, withOwnLinks } from './describe-copied.ts';
import { followMirror } from './follow-mirror.ts';
import type { MirrorThread } from './mirror-thread.ts';

/**
 * The copy of another source, as a tree of files. The mirror updates it; its state lists the files, with the hashes
 * that were verified while copying. Bytes are read from the folder of the copy. Resources that are not copied yet are
 * not listed, so nothing is published without its bytes.
 */
export class MirroredRoot implements ContentRoot {
  readonly hashes: readonly HashAlgorithm[];
  readonly digestsAtOnce: number;
  /** A source that does not answer is requested at most once a minute. */
  readonly longestRetryMs = 60_000;
  /** The copy is listed only after a complete list of the source was applied. */
  readonly knowsEmpty = true;
  readonly presign?: (path: string, use: PresignedUse) => Promise<string>;
  readonly #files: ContentRoot;
  readonly #settings: MirrorSettings;
  readonly #opening = new Mutex();
  #listing: CopyListing | undefined;
  #kept: KeptCopy | undefined;

  /** @param files the folder of the copy */
  constructor(files: ContentRoot, { hashes = [] }: RootLocation, settings: MirrorSettings) {
    this.#files = files;
    this.digestsAtOnce = files.digestsAtOnce;
    this.#settings = settings;
    this.hashes = hashes;
    if (files.presign !== undefined) this.presign = files.presign.bind(files);
  }

  async refresh(onProgress: (progress: RefreshProgress) => void, signal?: AbortSignal): Promise<void> {
    const kept = this.#kept;
    const mirror = kept?.mirror ?? (await this.#openMirror(signal));
    // A watch that was closed meanwhile does not end the mirror.
    const isKept = kept !== undefined && this.#kept === kept;
    if (isKept) kept.mirror = mirror;
    const stop = () => mirror.stop();
    signal?.addEventListener('abort', stop);
    try {
      signal?.throwIfAborted();
      await mirror.pass({ skipsFailed: false }, ({ step, done, total }) =>
        onProgress({ files: Math.max(done, total), hashed: step === 'comparing' ? 0 : done, bytes: 0 }),
      );
      this.#forgetListing();
      // The changes of this pass are listed right after it, and need not be reported.
      if (isKept) kept.follow(mirror);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      if (!isKept) await mirror.end();
    }
  }

  async *list(under = ''): AsyncGenerator<readonly RootEntry[]> {
    const { listing, release } = await this.#open();
    try {
      const leavesOut = await this.#files.leavesOut();
      const listed = (batch: readonly ListedResource[]) => {
        const published = batch.filter(({ path }) => !leavesOut(path));
        return this.#entriesOf(published.map((found) => withLinks(found, { listing, leavesOut })));
      };
      if (under !== '') {
        const found = listing.get(keyOfPath(under));
        if (found !== undefined) yield await listed([found]);
      }
      const key = keyOfPath(under);
      const range = under === '' ? {} : { from: `${key}/`, to: `${key}0` };
      for (const batch of listing.read(range)) yield await listed(batch);
    } finally {
      release();
    }
  }

  async isEmpty(): Promise<boolean> {
    for await (const batch of this.list()) if (batch.length > 0) return false;
    return true;
  }

  leavesOut(): Promise<LeavesOut> {
    return this.#files.leavesOut();
  }

  open(path: string, isWhole?: boolean): Promise<RootFile> {
    return this.#files.open(path, isWhole);
  }

  /** Does not read the file, unless other hashes or its bytes are requested. */
  async digest(path: string, options: DigestOptions = {}): Promise<FileDigest> {
    const found = await this.#find(path);
    if (found?.copied === undefined) throw noSuchFile(path);
    const { hashes, ...described } = describeCopied({ ...found, copied: found.copied });
    const { length, mtime, tag } = await this.#entryOf(path, found.copied);
    const read =
      options.copied !== undefined || this.hashes.some((name) => hashes[name] === undefined)
        ? await this.#files.digest(path, options)
        : { length, hashes };
    // A later pass has replaced the file, and reports that.
    if (read.length !== length || !isSame(read.hashes, hashes)) throw changedMeanwhile(path);
    return { ...read, ...described, mtime, tag };
  }

  /**
   * Reports what passes change, from the first `refresh` on: until then, nothing is read. A source that does not answer
   * is a problem of the whole root.
   */
  async watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch> {
    const stopping = new AbortController();
    let following: Promise<void> | undefined;
    const onFailure = (problem: string) => onProblem({ path: '', problem });
    const kept: KeptCopy = {
      mirror: undefined,
      follow: (mirror) => {
        mirror.onChanged = onChange;
        following ??= followMirror(mirror, { settings: this.#settings, signal: stopping.signal, onFailure });
      },
    };
    this.#kept = kept;
    return {
      close: async () => {
        this.#kept = undefined;
        stopping.abort();
        await kept.mirror?.end();
        await following;
        this.#forgetListing();
      },
    };
  }

  close(): void {
    this.#forgetListing();
  }

  async #openMirror(signal: AbortSignal | undefined): Promise<MirrorThread> {
    const { MirrorThread } = await import('./mirror-thread.ts');
    try {
      return await MirrorThread.open(this.#settings, signal);
    } catch (error) {
      throw withAdvice(error);
    }
  }

  /** `release` is called when the listing was read. */
  #open(): Promise<{ readonly listing: CopyListing; readonly release: () => void }> {
    return this.#opening.run(async () => {
      if (this.#listing === undefined) {
        const { CopyListing } = await import('../../client/mirror/state/copy-listing.ts');
        this.#listing = new CopyListing(this.#settings.folder);
      }
      return { listing: this.#listing, release: this.#listing.hold() };
    });
  }

  async #find(path: string): Promise<ListedResource | undefined> {
    const { listing, release } = await this.#open();
    try {
      const found = listing.get(keyOfPath(path));
      if (found?.copied?.about?.links === undefined) return found;
      return withLinks(found, { listing, leavesOut: await this.#files.leavesOut() });
    } finally {
      release();
    }
  }

  /** Closes the listing: another copy may have taken its place. */
  #forgetListing(): void {
    this.#listing?.close();
    this.#listing = undefined;
  }

  #entriesOf(batch: readonly ListedResource[]): Promise<readonly RootEntry[]> {
    return Promise.all(
      batch.map((found) => {
        const { path, uri, copied, failure } = found;
        if (failure !== undefined) return { path, problem: `${uri} could not be copied: ${failure}` };
        return copied === undefined ? { path, problem: `${uri} is not copied yet` } : this.#entryOf(path, copied);
      }),
    );
  }

  /** A file for which the source states no time has the mtime of its copy. */
  async #entryOf(path: string, copied: CopiedResource): Promise<FileEntry & { readonly tag: string }> {
    const mtime = modifiedNs(copied) ?? wholeSeconds(await this.#mtimeOf(path));
    return { path, length: copied.length, mtime, tag: tagOf(copied) };
  }

  async #mtimeOf(path: string): Promise<bigint> {
    try {
      const file = await this.#files.open(path);
      await file.close();
      return file.mtime;
    } catch (error) {
      // The file is being replaced, or is missing and an audit will report it.
      if (isTidemarkError(error)) return 0n;
      throw error;
    }
  }
}

/** Links between copied resources lead to the copies, when these are published. */
function withLinks(
  found: ListedResource,
  { listing, leavesOut }: { readonly listing: CopyListing; readonly leavesOut: LeavesOut },
): ListedResource {
  const pathOf = (uri: string) => {
    const path = listing.pathOf(uri);
    return path === undefined || leavesOut(path) ? undefined : path;
  };
  return { ...found, copied: found.copied && withOwnLinks(found.copied, pathOf) };
}

/** The copy while it is watched. */
interface KeptCopy {
  /** Opened by the first `refresh`. */
  mirror: MirrorThread | undefined;
  follow(mirror: MirrorThread): void;
}

/** Adds advice to a conflict: a user may have requested one pass while a server runs them. */
function withAdvice(error: unknown): unknown {
  if (!isTidemarkError(error, 'conflict') || error.details.pid === undefined) return error;
  const message = `process ${error.details.pid} keeps this copy in sync: request a scan there, on the page of the settings of the set or by POST /api/sets/ID/scan, or stop the process`;
  return new TidemarkError('conflict', message, error.details, error);
}

function isSame(read: Hashes, known: Hashes): boolean {
  return HASH_ALGORITHMS.every((name) => known[name] === undefined || (read[name] ?? known[name]) === known[name]);
}
