import type { IncomingHttpHeaders } from 'node:http';
import type { RequestLimits } from '../config/configuration.ts';
import { clientAddress } from './client-address.ts';
import type { Principal } from './principal.ts';
import { RateLimiter } from './rate-limiter.ts';

export interface LimitedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The address that the connection comes from. */
  readonly address: string | undefined;
}

/** What is limited by itself: requests with a token, the bytes that it sends, requests from an address. */
type Limited = 'requests' | 'bytes' | 'addresses';

/** What somebody was let have, for other processes to count. */
export interface Taken {
  readonly of: Limited;
  readonly key: string;
  readonly amount: number;
  readonly perMinute: number;
}

export interface SenderLimitsOptions {
  /** Is told of everything that is taken. */
  readonly onTaken?: ((taken: Taken) => void) | undefined;
  readonly now?: () => number;
}

/** How much everybody may ask of this server. Waits are in milliseconds, 0 for none; administrators never wait. */
export class SenderLimits {
  readonly #limits: RequestLimits;
  readonly #limiters: Readonly<Record<Limited, RateLimiter>>;
  readonly #onTaken: ((taken: Taken) => void) | undefined;

  constructor(limits: RequestLimits, { onTaken, ...clock }: SenderLimitsOptions = {}) {
    this.#limits = limits;
    this.#onTaken = onTaken;
    this.#limiters = {
      requests: new RateLimiter(clock),
      bytes: new RateLimiter(clock),
      addresses: new RateLimiter(clock),
    };
  }

  takeRequest(sender: Principal, { headers, address }: LimitedRequest): number {
    const most = this.#requestsOf(sender);
    if (most === Number.POSITIVE_INFINITY) return 0;
    if (sender.kind === 'token') return this.#take({ of: 'requests', key: sender.id, amount: 1, perMinute: most });
    return this.#take({ of: 'addresses', key: clientAddress(headers, address), amount: 1, perMinute: most });
  }

  /** Counts bytes of a body that came; 0 bytes ask whether any may come. */
  takeBody(sender: Principal, bytes: number): number {
    if (sender.kind !== 'token') return 0;
    const most = ownLimit(sender.limits.bodyBytesPerMinute, this.#limits.tokenBody);
    if (most === Number.POSITIVE_INFINITY) return 0;
    return this.#take({ of: 'bytes', key: sender.id, amount: bytes, perMinute: most });
  }

  /** Counts what another process let somebody have. */
  note({ of, key, amount, perMinute }: Taken): void {
    this.#limiters[of].note(key, amount, perMinute);
  }

  #take(taken: Taken): number {
    const { of, key, amount, perMinute } = taken;
    const wait = this.#limiters[of].take(key, amount, perMinute);
    if (wait === 0 && amount > 0) this.#onTaken?.(taken);
    return wait;
  }

  #requestsOf(sender: Principal): number {
    switch (sender.kind) {
      case 'anonymous':
        return this.#limits.anonymousRequests;
      case 'administrator':
        return Number.POSITIVE_INFINITY;
      case 'token':
        return ownLimit(sender.limits.requestsPerMinute, this.#limits.tokenRequests);
    }
  }
}

function ownLimit(own: number | null | undefined, usual: number): number {
  return own === null ? Number.POSITIVE_INFINITY : (own ?? usual);
}
