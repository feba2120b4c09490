import { randomUUID } from 'node:crypto';
import { unlessConflict } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog } from '../../stores/catalog.ts';

/** The progress of a subscription. */
export interface SendingProgress {
  /** The `since` of the subscription: another subscription may have used its id before. */
  readonly since: Stamp;
  /** The boundary up to which everything was sent. */
  readonly through: Stamp;
  /** Time of the last success, in milliseconds since 1970. */
  readonly sent?: number | undefined;
  /** Number of failures since then, and the reason of the last one. */
  readonly failures?: number | undefined;
  readonly problem?: string | undefined;
}

/** The state that a process needs to continue the deliveries of another one: one document of the catalog. */
export interface SenderState {
  /** By the ids of subscriptions. */
  readonly progress: Readonly<Record<string, SendingProgress>>;
}

interface StoredState extends SenderState {
  /** The process that delivers; absent when it has stopped. */
  readonly owner?: string | undefined;
  /** Differs with each heartbeat. */
  readonly beat: number;
}

const ID = 'state';
const NOTHING: SenderState = { progress: {} };

/**
 * Ensures that of all processes that share a store, one at a time delivers. The owner writes its progress at intervals,
 * which is also its heartbeat. Another process takes over when the version has not changed for the duration of a lease,
 * by its own monotonic clock. A long gap between two observations does not count, because the store may have been down.
 */
export class SenderLease {
  readonly #catalog: Catalog;
  readonly #leaseMs: number;
  readonly #owner = randomUUID();
  #version: number | undefined;
  #beat = 0;
  #watched: { readonly version: number; readonly sameMs: number; readonly at: number } | undefined;

  constructor(catalog: Catalog, leaseMs: number) {
    this.#catalog = catalog;
    this.#leaseMs = leaseMs;
  }

  /** The state to continue with, when this process may deliver now. */
  async take(): Promise<SenderState | undefined> {
    const found = await this.#catalog.get<StoredState>('delivery', ID);
    if (found?.body.owner !== undefined && !this.#hasExpired(found.version)) return undefined;
    this.#watched = undefined;
    const { progress } = found?.body ?? NOTHING;
    this.#version = found?.version;
    const state = { progress };
    return (await this.put(state)) ? state : undefined;
  }

  /** Writes the state. Returns false when another process has taken over. */
  async put(state: SenderState, isLast = false): Promise<boolean> {
    this.#beat += 1;
    const body: StoredState = { ...state, ...(!isLast && { owner: this.#owner }), beat: this.#beat };
    const put = await unlessConflict(this.#catalog.put('delivery', ID, body, this.#version));
    if (put === undefined) return this.#isOwn(state, isLast);
    this.#version = put;
    return true;
  }

  /** Handles a conflict: after a lost response, the version may differ although this process wrote the state. */
  async #isOwn(state: SenderState, isLast: boolean): Promise<boolean> {
    const found = await this.#catalog.get<StoredState>('delivery', ID);
    if (found?.body.owner !== this.#owner) return false;
    this.#version = found.version;
    return this.put(state, isLast);
  }

  #hasExpired(version: number): boolean {
    const at = performance.now();
    const before = this.#watched;
    const passed = at - (before?.at ?? at);
    const isSame = before?.version === version && passed <= this.#leaseMs / 2;
    const sameMs = isSame ? before.sameMs + passed : 0;
    this.#watched = { version, sameMs, at };
    return sameMs >= this.#leaseMs;
  }
}

/** The state of deliveries, for the command line and the API. @throws TidemarkError `unavailable` */
export async function readSenderState(catalog: Pick<Catalog, 'get'>): Promise<SenderState> {
  return (await catalog.get<StoredState>('delivery', ID))?.body ?? NOTHING;
}
