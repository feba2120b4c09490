import { failpoint } from '../../../lib/failpoint.ts';
import { Mutex } from '../../../lib/mutex.ts';
import { modifiedMs, type WantedResource } from '../lists/wanted-resource.ts';
import type { CopyCounts, MirrorOptions } from '../mirror-options.ts';
import type { KnownResource, MirrorState } from '../state/mirror-state.ts';
import type { MirrorTarget } from '../target/mirror-target.ts';
import type { FetchedResource } from './fetch-resource.ts';

interface Fetch extends FetchedResource {
  readonly known: KnownResource;
  readonly wanted: WantedResource;
  readonly isOfDump?: boolean;
}

/** So many are written when no others are. */
const FEWEST_FILES = 1_000;
/** So many are fetched at most before they are written. */
const MOST_FILES = 4_000;
/** The least part of the bytes that a target keeps which is written when no others are. */
const LEAST_PART = 1 / 8;
const LONGEST_MS = 2_000;

/**
 * Writes what a pass has found into the copy, many files together: they are made durable, then they get their paths,
 * then the state says so. A process that ends in between leaves files that the next pass finds to be right already.
 */
export class CopyWriter {
  readonly counts: CopyCounts = { fetched: 0, fromDump: 0, bytes: 0, deleted: 0, adopted: 0, failed: 0 };
  readonly #state: MirrorState;
  readonly #target: MirrorTarget;
  readonly #options: Pick<MirrorOptions, 'keepDeleted' | 'onChanged'>;
  /** A batch of files is written in a lane that is free. */
  readonly #lanes: readonly Mutex[];
  #fetched: Fetch[] = [];
  #bytes = 0;
  #removed: KnownResource[] = [];
  /** Paths of what is not committed yet. */
  #changed: string[] = [];
  /** When the oldest of them was added. */
  #since = Infinity;
  /** Fulfilled when everything is written that a flush was started for. */
  #flushed: Promise<unknown> = Promise.resolve();
  /** Of a flush that no caller has waited for. */
  #failure: { readonly error: unknown } | undefined;

  constructor(state: MirrorState, target: MirrorTarget, options: Pick<MirrorOptions, 'keepDeleted' | 'onChanged'>) {
    this.#state = state;
    this.#target = target;
    this.#options = options;
    this.#lanes = Array.from({ length: target.writesAtOnce }, () => new Mutex());
  }

  /** Returns a promise when no more may be added before it is fulfilled. */
  add(fetched: Fetch): void | Promise<void> {
    this.#fetched.push(fetched);
    this.#bytes += fetched.copied.length;
    return this.#flushWhenFull();
  }

  /** The file of a resource is right already. @param isNew whether the state did not say so */
  async confirm(known: KnownResource, fetched: Pick<FetchedResource, 'copied' | 'validator'>): Promise<void> {
    this.counts.adopted += 1;
    this.#changed.push(known.path);
    this.#state.setCopied(known.id, fetched.copied, fetched.validator);
    this.#state.clearFailure(known.uri);
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

  /** Writes what was added until now. @throws also what has failed since the last call */
  async flush(): Promise<void> {
    this.startFlush();
    await this.#flushed;
    this.#throwFailure();
  }

  /** Starts to write what was added until now, and does not wait: a later call of a method throws what fails. */
  startFlush(): void {
    const lane = this.#freeLane ?? this.#lanes[0]!;
    const written = lane.run(() => this.#flush());
    this.#flushed = Promise.allSettled([this.#flushed, written]);
    written.catch((error) => {
      this.#failure ??= { error };
    });
  }

  /** While files are being written, more are gathered: the slower the disk is, the more are made durable together. */
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

  /** Waits until what is being written is written; then more can be gathered while the next files are written. */
  async #waitForRoom(): Promise<void> {
    await Promise.race(this.#usableLanes.map((lane) => lane.run(() => {})));
    if (this.#freeLane !== undefined) this.startFlush();
    this.#throwFailure();
  }

  get #freeLane(): Mutex | undefined {
    return this.#usableLanes.find((lane) => lane.isFree);
  }

  /** Folders that became empty are removed: that is done by one batch of deletions at a time. */
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
    const files = fetched.map(({ staged, known: { path }, copied: { lastmod } }) => {
      return { staged, path, modifiedMs: modifiedMs(lastmod) };
    });
    const rejected = new Map((await this.#target.publish(files)).map(({ path, reason }) => [path, reason]));
    for (const { known, wanted, copied, validator, isOfDump } of fetched) {
      const reason = rejected.get(known.path);
      if (reason !== undefined) {
        this.fail(wanted, reason);
        continue;
      }
      this.#state.setCopied(known.id, copied, validator);
      this.#state.clearFailure(known.uri);
      this.counts.fetched += 1;
      this.#changed.push(known.path);
      if (isOfDump) this.counts.fromDump += 1;
      this.counts.bytes += copied.length;
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
      this.#changed.push(path);
      this.#state.clearFailure(uri);
      if (copied !== undefined) this.counts.deleted += 1;
    }
  }
}
