import { randomUUID } from 'node:crypto';
import { unlessConflict } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { LeaseWatch } from '../../stores/lease-watch.ts';
import { type OwnProcess, processExists } from './own-process.ts';
import {
  inNextEpoch,
  isSettled,
  ownerOf,
  type ScannerMember,
  type ScannerState,
  withMember,
  withoutSilent,
} from './scanner-state.ts';
import type { ScannersFollower } from './scanners-follower.ts';

interface ScannerLeaseOptions {
  readonly catalog: Pick<Catalog, 'put'>;
  readonly follower: ScannersFollower;
  /** Milliseconds for which a member may be silent. The same for all processes. */
  readonly leaseMs: number;
  readonly process: OwnProcess;
  readonly seat: string;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number;
}

interface Membership {
  /** Sets that this process gets before others. */
  readonly wants?: readonly SetId[];
  /** Whether it scans only these. */
  readonly isCommand?: boolean;
}

const BEATS_OF_LEASE = 4;
/** Share of the lease for which a process relies on it: two clocks may run differently fast. */
const RELIED_SHARE = 0.9;

/**
 * The part that this process has in scanning the sets of a store: docs/internals/sources.md, "Which server scans a
 * set", has the protocol. test/contract/scanner-lease.test.ts tests these promises:
 *
 * - Of live members, one owns each set. It may begin the set when `isSettled`; then no other member scans it.
 * - A member that was silent for the lease is removed, by the clocks of the others; one of the same system whose
 *   process has ended, at once.
 * - `isHeld` is false before another member can have removed this one, unless the clock of this process stops, as it
 *   does while the machine sleeps. Then the store drops what this process posts: see SetGrant.
 *
 * The caller polls at least four times in a lease, and stops the sets that it does not own before it calls
 * `acknowledge`. All methods that read or write throw TidemarkError `unavailable` when the store does not answer.
 */
export class ScannerLease {
  readonly #options: ScannerLeaseOptions;
  readonly #elapsed: () => number;
  readonly #watch: LeaseWatch;
  readonly #cannotRead = new Set<SetId>();
  #own: ScannerMember | undefined;
  #beatAt = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #held = Promise.withResolvers<void>();
  /** Whether `cannotRead` has changed since it was written. */
  #isChanged = false;
  #isUnclean = false;

  constructor(options: ScannerLeaseOptions) {
    this.#options = options;
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.#watch = new LeaseWatch(this.#elapsed);
  }

  /** As of the last poll. */
  get state(): ScannerState {
    return this.#options.follower.state;
  }

  /** False before `join`, and when others have removed it: then it owns nothing, and may join again. */
  get isMember(): boolean {
    return this.#own !== undefined;
  }

  /** Whether each member has stopped what it does not own any more. */
  get isSettled(): boolean {
    return isSettled(this.state);
  }

  /** Whether other servers may scan what this one cannot read. */
  get hasOthers(): boolean {
    return this.state.members.some(({ id, isCommand }) => id !== this.#own?.id && isCommand !== true);
  }

  owns(set: SetId): boolean {
    return this.#own !== undefined && ownerOf(set, this.state)?.id === this.#own.id;
  }

  /** Whether no other member can have removed this one, by the clock of this process. */
  get isHeld(): boolean {
    return this.#own !== undefined && this.#elapsed() < this.#heldUntil;
  }

  /** Resolves when `isHeld` is true again. */
  whenHeld(): Promise<void> {
    return this.isHeld ? Promise.resolve() : this.#held.promise;
  }

  /** Ends the reliance on the lease until the next poll. */
  doubt(): void {
    this.#heldUntil = Number.NEGATIVE_INFINITY;
    this.#beatAt = Number.NEGATIVE_INFINITY;
  }

  async join({ wants = [], isCommand }: Membership = {}): Promise<void> {
    const { process, seat, follower } = this.#options;
    const own = { ...process, id: randomUUID(), seat, wants, isCommand, beat: 0, seen: 0, cannotRead: [] };
    this.#cannotRead.clear();
    this.#isChanged = false;
    this.#own = own;
    try {
      await follower.load();
      await this.#change((state) => {
        const next = inNextEpoch(withoutSilent(state, this.#endedHere(state)));
        return withMember(next, { ...own, seen: next.epoch });
      });
    } catch (error) {
      this.#lose();
      throw error;
    }
  }

  /** Reads what others have written, sends a heartbeat when one is due, and removes members that are silent. */
  async poll(): Promise<void> {
    const began = this.#elapsed();
    await this.#options.follower.load();
    const { members } = this.state;
    const own = members.find(({ id }) => id === this.#own?.id);
    if (own === undefined) return this.#lose();
    this.#own = own;
    const silent = this.#silent();
    const isAlone = members.length === 1;
    const isDue = !isAlone && began - this.#beatAt >= this.#options.leaseMs / BEATS_OF_LEASE;
    if (this.#isChanged) await this.#writeReadable(silent);
    else if (isDue || silent.size > 0 || (this.#isUnclean && !this.state.isUnclean)) {
      await this.#changeOwn((state) => withoutSilent(state, silent));
    } else if (isAlone) this.#hold(began);
  }

  /** Records that this process has stopped what it does not own in an epoch. */
  async acknowledge(epoch: number): Promise<void> {
    if (this.#own === undefined || this.#own.seen >= epoch) return;
    await this.#changeOwn((state) => state, { seen: epoch });
  }

  /** Records, with the next poll, whether this process can read the root of a set. */
  setReadable(set: SetId, isReadable: boolean): void {
    if (isReadable !== this.#cannotRead.has(set)) return;
    if (isReadable) this.#cannotRead.delete(set);
    else this.#cannotRead.add(set);
    this.#isChanged = true;
  }

  get unreadable(): readonly SetId[] {
    return [...this.#cannotRead];
  }

  /** Records that an answer to a post was lost: it may still arrive. */
  noteLostAnswer(): void {
    this.#isUnclean = true;
  }

  /** Begins another epoch, with the same members. */
  async renew(): Promise<void> {
    await this.#changeOwn(inNextEpoch);
  }

  /**
   * Lets others scan at once. Call it when nothing is scanned any more.
   * @param isWhole whether this process has begun each set of the store that has a source
   */
  async leave({ isWhole }: { readonly isWhole: boolean }): Promise<void> {
    const own = this.#own;
    if (own === undefined) return;
    await this.#change((state) => {
      const members = state.members.filter(({ id }) => id !== own.id);
      if (members.length === state.members.length) return state;
      const endsAll = isWhole && own.isCommand !== true && members.length === 0;
      return inNextEpoch({ ...state, members, isUnclean: this.#isUnclean || (state.isUnclean && !endsAll) });
    });
    this.#lose();
  }

  async #writeReadable(silent: ReadonlySet<string>): Promise<void> {
    this.#isChanged = false;
    try {
      await this.#changeOwn((state) => inNextEpoch(withoutSilent(state, silent)));
    } catch (error) {
      this.#isChanged = true;
      throw error;
    }
  }

  #lose(): void {
    this.#own = undefined;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
  }

  #hold(began: number): void {
    this.#heldUntil = began + this.#options.leaseMs * RELIED_SHARE;
    this.#held.resolve();
    this.#held = Promise.withResolvers();
  }

  /** Changes the state, and what this member says of itself. Does nothing when others have removed it. */
  async #changeOwn(change: (state: ScannerState) => ScannerState, more: { readonly seen?: number } = {}) {
    await this.#change((before) => {
      const own = before.members.find(({ id }) => id === this.#own?.id);
      if (own === undefined) return before;
      const state = change(before);
      const cannotRead = this.unreadable;
      const isUnclean = state.isUnclean || this.#isUnclean;
      return withMember({ ...state, isUnclean }, { ...own, ...more, cannotRead, beat: own.beat + 1 });
    });
  }

  async #change(change: (state: ScannerState) => ScannerState): Promise<void> {
    const { catalog, follower } = this.#options;
    for (;;) {
      const before = follower.state;
      const next = change(before);
      if (next === before) return;
      const began = this.#elapsed();
      const version = await unlessConflict(catalog.put('scanners', 'state', next, follower.version));
      if (version !== undefined) {
        follower.remember(next, version);
        return this.#written(next, began);
      }
      await follower.readAgain();
    }
  }

  #written({ members }: ScannerState, began: number): void {
    const own = members.find(({ id }) => id === this.#own?.id);
    if (own === undefined) return;
    this.#own = own;
    this.#beatAt = began;
    this.#hold(began);
  }

  #silent(): ReadonlySet<string> {
    const { leaseMs } = this.#options;
    const others = this.state.members.filter(({ id }) => id !== this.#own?.id);
    const silent = this.#watch.expired(others.map(({ id, beat }) => ({ name: id, version: String(beat), leaseMs })));
    return new Set([...silent, ...this.#endedHere(this.state)]);
  }

  #endedHere({ members }: ScannerState): ReadonlySet<string> {
    const { system } = this.#options.process;
    if (system === undefined) return new Set();
    return new Set(members.filter((one) => one.system === system && !processExists(one.pid)).map(({ id }) => id));
  }
}
