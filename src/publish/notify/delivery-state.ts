import { randomUUID } from 'node:crypto';
import { isTidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog } from '../../stores/catalog.ts';

/** How far a subscription has come. */
export interface Progress {
  /** The `since` of the subscription: another one may have had its place before. */
  readonly since: Stamp;
  /** The boundary up to which it was sent everything. */
  readonly through: Stamp;
  /** When something was sent successfully, in milliseconds since 1970. */
  readonly sent?: number | undefined;
  /** Failures since then, and why the last one failed. */
  readonly failures?: number | undefined;
  readonly problem?: string | undefined;
}

/** All that a process needs to go on with the deliveries of another one: one document of the catalog. */
export interface DeliveryState {
  /** By the ids of subscriptions. */
  readonly progress: Readonly<Record<string, Progress>>;
}

interface StoredState extends DeliveryState {
  /** The process that delivers; absent when it has stopped. */
  readonly owner?: string | undefined;
  /** Another one with each heartbeat. */
  readonly beat: number;
}

const ID = 'state';
const NOTHING: DeliveryState = { progress: {} };

/**
 * Lets one process at a time deliver, of all that share a store. The owner writes its progress now and then, which is
 * its heartbeat, too. Another process takes over when the version has stayed the same for the time of a lease, by its
 * own monotonic clock; a gap between two observations does not count, because the store may have been down.
 */
export class DeliveryLease {
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

  /** The state to go on with, when this process may deliver now. */
  async take(): Promise<DeliveryState | undefined> {
    const found = await this.#catalog.get<StoredState>('delivery', ID);
    if (found?.body.owner !== undefined && !this.#hasExpired(found.version)) return undefined;
    this.#watched = undefined;
    const { progress } = found?.body ?? NOTHING;
    this.#version = found?.version;
    const state = { progress };
    return (await this.put(state)) ? state : undefined;
  }

  /** Writes the state. Returns false when another process has taken over. */
  async put(state: DeliveryState, isLast = false): Promise<boolean> {
    this.#beat += 1;
    const body: StoredState = { ...state, ...(!isLast && { owner: this.#owner }), beat: this.#beat };
    try {
      this.#version = await this.#catalog.put('delivery', ID, body, this.#version);
      return true;
    } catch (error) {
      if (isTidemarkError(error, 'conflict')) return this.#isOwn(state, isLast);
      throw error;
    }
  }

  /** After an answer that was lost, the version may be another one although the state is this process's. */
  async #isOwn(state: DeliveryState, isLast: boolean): Promise<boolean> {
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

/** What the command line and the API show of deliveries. @throws TidemarkError `unavailable` */
export async function readDeliveryState(catalog: Pick<Catalog, 'get'>): Promise<DeliveryState> {
  return (await catalog.get<StoredState>('delivery', ID))?.body ?? NOTHING;
}
