import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { Deliverer } from '../../publish/notify/deliverer.ts';
import type { Subscriptions } from '../../publish/notify/subscriptions.ts';
import { isActive } from '../../publish/notify/subscriptions.ts';
import type { Instruments } from './instrument.ts';

const SECONDS = [0.01, 0.1, 0.5, 1, 2.5, 10];
const STORE_TIMEOUT_MS = 2_000;

interface Watched {
  readonly subscriptions: Pick<Subscriptions, 'list'>;
  readonly deliverer: Pick<Deliverer, 'oldestUnsent'>;
}

/** Metrics of notifications. */
export class NotificationMetrics {
  readonly #subscriptions;
  readonly #seconds;
  #watched: Watched | undefined;

  constructor(instruments: Instruments) {
    this.#subscriptions = instruments.gauge({
      name: 'tidemark_subscriptions',
      help: 'Subscriptions in the store. state: active, or unconfirmed (its subscriber was not asked yet, or has not answered).',
      labels: ['state'],
    });
    this.#seconds = instruments.histogram(
      {
        name: 'tidemark_notification_seconds',
        help: 'Seconds that deliveries of this process took. outcome: sent, failed (it is tried again) or gone (the subscriber has ended its subscription).',
        labels: ['outcome'],
      },
      SECONDS,
    );
    instruments.gaugeOf(
      {
        name: 'tidemark_notification_lag_seconds',
        help: 'Age of the oldest change that this process has read and not yet delivered to a subscriber; 0 when there is none.',
      },
      () => {
        const oldest = this.#watched?.deliverer.oldestUnsent;
        return oldest === undefined ? 0 : Math.max(Date.now() / 1000 - oldest / 1_000_000, 0);
      },
    );
  }

  watch(watched: Watched): void {
    this.#watched = watched;
  }

  delivered(outcome: string, seconds: number): void {
    this.#seconds.observe({ outcome }, seconds);
  }

  /** Reads the number of subscriptions. Returns false when the store does not answer: the old numbers stay. */
  async read(): Promise<boolean> {
    const reading = this.#watched?.subscriptions.list() ?? Promise.resolve([]);
    const all = await withTimeout(reading, STORE_TIMEOUT_MS, () => undefined).catch(() => undefined);
    if (all === undefined) return false;
    const active = all.filter((one) => isActive(one, Date.now())).length;
    this.#subscriptions.set({ state: 'active' }, active);
    this.#subscriptions.set({ state: 'unconfirmed' }, all.length - active);
    return true;
  }
}
