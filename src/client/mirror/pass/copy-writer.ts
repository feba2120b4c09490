import { isTidemarkError } from '../../../core/errors.ts';
import { Mutex } from '../../../lib/calls/mutex.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import { type About, encodeAbout, modifiedMs, type WantedResource } from '../lists/wanted-resource.ts';
import type { CopyCounts, MirrorOptions } from '../mirror-options.ts';
import type { KnownResource } from '../state/known-resource.ts';
import type { MirrorState } from '../state/mirror-state.ts';
import type { MirrorTarget } from '../target/mirror-target.ts';
import type { FetchedResource } from './fetch-resource.ts';

interface Fetch extends FetchedResource {
  readonly known: KnownResource;
  readonly wanted: WantedResource;
  readonly isOfDump?: boolean;
}

/** This number of files is written as soon as a lane is free. */
const FEWEST_FILES = 2_500;
/** At this number of files, fetching waits until they are written. */
const MOST_FILES = 5_000;
/** This part of the target's `mostStagedBytes` is written as soon as a lane is free. */
const LEAST_PART = 1 / 8;
const LONGEST_MS = 2_000;

/**
 * Writes the results of a pass into the copy, in batches: files are made durable, then renamed to their paths, then the
 * state records them. If the process ends in between, the next pass finds that these files are right already.
 */
export class CopyWriter {
  readonly counts: CopyCounts = { fetched: 0, fromDump: 0, bytes: 0, deleted: 0, adopted: 0, failed: 0 };
  readonly #state: MirrorState;
  readonly #target: MirrorTarget;
  readonly #options: Pick<MirrorOptions, 'keepDeleted' | 'onChanged'>;
  /** A batch of files is written in a free lane. */
  readonly #lanes: readonly Mutex[];
  #fetched: Fetch[] = [];
  #bytes = 0;
  #removed: KnownResource[] = [];
  /** Paths of changes that are not committed yet. */
  #changed: string[] = [];
  /** When the oldest file of the next batch was added, by `performance.now()`. */
  #since = Infinity;
  /** Resolves when every flush that was started has ended. */
  #flushed: Promise<void> = Promise.resolve();
  /** The failure of a flush that no caller has waited for. */
  #failure: { readonly error: unknown } | undefined;

  constructor(state: MirrorState, target: MirrorTarget, options: Pick<MirrorOptions, 'keepDeleted' | 'onChanged'>) {
    this.#state = state;
    this.#target = target;
    this.#options = options;
    this.#lanes = Array.from({ length: target.writesAtOnce }, () => new Mutex());
  }

  /** Adds a fetched file. Returns a promise if the caller must wait for it before it adds more. */
  add(fetched: Fetch): void | Promise<void> {
    this.#fetched.push(fetched);
    this.#bytes += fetched.copied.length;
    return this.#flushWhenFull();
  }

  /** Records that the file of a resource is right already. */
  async confirm(known: KnownResource, fetched: Pick<FetchedResource, 'copied' | 'validator'>): Promise<void> {
    this.counts.adopted += 1;
    this.#setCopied(known, fetched);
    await this.#flushWhenFull();
  }

  /** Records what the source says of a resource whose file is right. */
  async describe({ id, path, uri, copied, validator }: KnownResource, about: About | undefined): Promise<void> {
    this.#state.clearFailure(uri);
    if (encodeAbout(copied!.about) === encodeAbout(about)) return;
    this.#state.setCopied(id, { ...copied!, about }, validator);
    this.#changed.push(path);
    await this.#flushWhenFull();
  }

  async remove(known: KnownResource): Promise<void> {
    this.#removed.push(known);
    await this.#flushWhenFull();
  }

  fail(wanted: WantedResource, reason: string): void {
    this.counts.failed += 1;
    const path = this.#state.resource(wanted.uri)?.path;
    if (path !== undefined) this.#changed.push(path);
    this.#state.setFailure({ uri: wanted.uri, reason, wanted: JSON.stringify(wanted) });
  }

  /**
   * Writes what was added until now.
   * @throws also a failure since the last call
   */
  async flush(): Promise<void> {
    this.startFlush();
    await this.#flushed;
    this.#throwFailure();
  }

  /** Starts to write what was added until now, without waiting. A later call of a method throws its failure. */
  startFlush(): void {
    const lane = this.#freeLane ?? this.#lanes[0]!;
    const written = lane.run(() => this.#flush());
    // Without their results, which would be a list of all flushes of a pass.
    this.#flushed = Promise.allSettled([this.#flushed, written]).then(() => {});
    written.catch((error) => {
      this.#failure ??= { error };
    });
  }

  /**
   * Gathers files while others are written: the slower the disk, the larger the batches that are made durable
   * together.
   */
  #flushWhenFull(): void | Promise<void> {
    const { mostStagedBytes } = this.#target;
    const count = Math.max(this.#fetched.length, this.#removed.length);
    const isFull = count >= FEWEST_FILES || this.#bytes >= mostStagedBytes * LEAST_PART;
    const isOverfull = count >= MOST_FILES || this.#bytes >= mostStagedBytes;
    const now = performance.now();
    this.#since = Math.min(this.#since, now);
    const isLate = now - this.#since > LONGEST_MS;
    if (this.#freeLane !== undefined && (isFull || isLate)) this.startFlush();
    else if (isOverfull) return this.#waitForRoom();
    this.#throwFailure();
  }

  /** Waits for a free lane, and starts the next batch in it, so that more files can be gathered meanwhile. */
  async #waitForRoom(): Promise<void> {
    await Promise.race(this.#usableLanes.map((lane) => lane.run(() => {})));
    if (this.#freeLane !== undefined) this.startFlush();
    this.#throwFailure();
  }

  get #freeLane(): Mutex | undefined {
    return this.#usableLanes.find((lane) => lane.isFree);
  }

  /**
   * Only one lane while there are deletions: a deletion removes folders that became empty, and two batches would
   * conflict.
   */
  get #usableLanes(): readonly Mutex[] {
    return this.#removed.length > 0 ? this.#lanes.slice(0, 1) : this.#lanes;
  }

  #throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure.error;
  }

  async #flush(): Promise<void> {
    this.#since = Infinity;
    const fetched = this.#fetched.splice(0);
    const removed = this.#removed.splice(0);
    this.#bytes = 0;
    if (removed.length > 0) await this.#remove(removed);
    if (fetched.length > 0) await this.#publish(fetched);
    failpoint('mirror.published');
    this.#state.commit();
    for (const path of this.#changed.splice(0)) this.#options.onChanged?.(path);
    failpoint('mirror.committed');
  }

  async #publish(fetched: readonly Fetch[]): Promise<void> {
    failpoint('mirror.fetched');
    this.#commitPaths();
    const files = fetched.map(({ staged, known: { path }, copied: { lastmod } }) => {
      return { staged, path, modifiedMs: modifiedMs(lastmod) };
    });
    const rejected = new Map((await this.#target.publish(files)).map(({ path, reason }) => [path, reason]));
    for (const each of fetched) {
      const { known, wanted, copied, isOfDump } = each;
      const reason = rejected.get(known.path);
      if (reason !== undefined) {
        this.fail(wanted, reason);
        continue;
      }
      this.#setCopied(known, each);
      this.counts.fetched += 1;
      if (isOfDump) this.counts.fromDump += 1;
      this.counts.bytes += copied.length;
    }
  }

  #setCopied({ id, uri, path, copied }: KnownResource, fetched: Pick<FetchedResource, 'copied' | 'validator'>): void {
    this.#state.setCopied(id, fetched.copied, fetched.validator);
    this.#state.clearFailure(uri);
    this.#changed.push(path);
    if (copied === undefined) this.#changed.push(...this.#state.pathsLinkingTo(uri));
  }

  /**
   * If the process ends before the next commit, the paths lead to files whose resources were deleted meanwhile. If the
   * commit fails, the files are published or deleted all the same, and the next change of the state throws its failure.
   */
  #commitPaths(): void {
    try {
      this.#state.commit();
    } catch (error) {
      if (!isTidemarkError(error, 'unavailable')) throw error;
    }
  }

  async #remove(removed: readonly KnownResource[]): Promise<void> {
    const paths = removed.map(({ path }) => path);
    const rejected = new Map(
      (await this.#target.remove(paths, this.#options.keepDeleted)).map(({ path, reason }) => [path, reason]),
    );
    for (const { id, uri, path, copied } of removed) {
      const reason = rejected.get(path);
      if (reason !== undefined) {
        const nothing = { length: undefined, hashes: {}, lastmod: undefined, stamp: undefined };
        this.fail({ uri, isDeleted: true, ...nothing }, reason);
        continue;
      }
      this.#state.remove(id);
      this.#changed.push(path, ...this.#state.pathsLinkingTo(uri));
      this.#state.clearFailure(uri);
      if (copied !== undefined) this.counts.deleted += 1;
    }
  }
}
