import type { PostableEvent } from '../../core/change.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { CommitResult } from '../../stores/commit-result.ts';
import type { EventPoster } from '../../stores/event-poster.ts';
import { positionOf, takePosition } from '../sync/generation.ts';
import type { SyncPoster } from '../sync/sync.ts';
import type { ScannerLease } from './scanner-lease.ts';

interface GrantParts {
  readonly poster: SyncPoster;
  /** Takes positions. */
  readonly updater: EventPoster;
  /** Of which this process is a member, and the owner of the set. */
  readonly lease: ScannerLease;
  /** Called when the grant ends. */
  onEnd?(): void;
}

/**
 * The right of this process to post what scans of a set find, until it ends. Events have the epoch in which it began as
 * their position: the store drops what arrives after another process has begun the set in a later one.
 */
export class SetGrant implements SyncPoster {
  readonly #set: ResourceSet;
  readonly #poster: SyncPoster;
  readonly #updater: EventPoster;
  readonly #lease: ScannerLease;
  readonly #onEnd: () => void;
  readonly #ending = Promise.withResolvers<void>();
  readonly #running = new Set<Promise<unknown>>();
  /** False of sources whose events have positions of their own, or are based on the state that was read. */
  readonly #hasPosition: boolean;
  #epoch: number;
  #isEnded = false;
  /** Whether nothing of an earlier owner can arrive any more. */
  #isBegun: boolean;
  #beginning: Promise<void> | undefined;

  constructor(set: ResourceSet, { poster, updater, lease, onEnd = () => {} }: GrantParts) {
    this.#set = set;
    this.#poster = poster;
    this.#updater = updater;
    this.#lease = lease;
    this.#onEnd = onEnd;
    this.#epoch = lease.state.epoch;
    const { root, from } = traitsOf(set.origin);
    this.#hasPosition = root !== undefined || from !== undefined;
    this.#isBegun = !this.#hasPosition || !lease.state.isUnclean;
  }

  get isBegun(): boolean {
    return this.#isBegun;
  }

  async begin(): Promise<void> {
    await this.#untilHeld();
    if (this.#isBegun) return;
    this.#beginning ??= this.#run(() => this.#takePosition()).finally(() => {
      this.#beginning = undefined;
    });
    await this.#beginning;
  }

  async post(events: readonly PostableEvent[]): Promise<readonly CommitResult[]> {
    await this.#untilHeld();
    failpoint('scan.posting');
    const results = await this.#run(() => this.#poster.post(events.map((event) => this.#positioned(event))));
    if (this.#hasPosition && results.some(isRepeated)) await this.#renew();
    return results;
  }

  async relinkAll(signal?: AbortSignal): Promise<void> {
    await this.#untilHeld();
    await this.#run(async () => this.#poster.relinkAll?.(signal));
  }

  /** Resolves when nothing that was posted is waiting for an answer; posts after this fail. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#onEnd();
    this.#ending.resolve();
    await Promise.allSettled(this.#running);
  }

  #positioned(event: PostableEvent): PostableEvent {
    return this.#hasPosition ? { ...event, ...this.#position } : event;
  }

  get #position() {
    return positionOf('scan', { generation: this.#epoch });
  }

  /** A process that was paused waits here until it knows whether the set is still its own. */
  async #untilHeld(): Promise<void> {
    while (!this.#isEnded && !this.#lease.isHeld) {
      await Promise.race([this.#lease.whenHeld(), this.#ending.promise]);
    }
    if (this.#isEnded) throw this.#ended();
  }

  async #takePosition(): Promise<void> {
    if (await takePosition(this.#set, this.#position, this.#updater)) this.#isBegun = true;
    else await this.#renew();
  }

  /** The log has a later position: another process has the set, or the document of the members is older. */
  async #renew(): Promise<void> {
    this.#lease.doubt();
    await this.#untilHeld();
    // It is ended soon.
    if (!this.#lease.owns(this.#set.id)) await this.#ending.promise;
    await this.#untilHeld();
    await this.#lease.renew();
    this.#epoch = this.#lease.state.epoch;
    this.#isBegun = false;
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#isEnded) throw this.#ended();
    const running = work();
    this.#running.add(running);
    try {
      return await running;
    } catch (error) {
      if (!isTidemarkError(error) || error.code === 'unavailable') this.#lease.noteLostAnswer();
      throw error;
    } finally {
      this.#running.delete(running);
    }
  }

  #ended(): TidemarkError {
    const { slug } = this.#set;
    return new TidemarkError('conflict', `another process scans the set ${slug} now: nothing more was posted`, {
      set: slug,
    });
  }
}

function isRepeated(result: CommitResult): boolean {
  return result.status === 'unchanged' && result.reason === 'repeated';
}
