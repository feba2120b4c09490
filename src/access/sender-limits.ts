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

/** How much everybody may ask of this process. Waits are in milliseconds, 0 for none; administrators never wait. */
export class SenderLimits {
  readonly #limits: RequestLimits;
  readonly #ofTokens: RateLimiter;
  readonly #ofBodies: RateLimiter;
  readonly #ofAddresses: RateLimiter;

  constructor(limits: RequestLimits, now?: () => number) {
    this.#limits = limits;
    const clock = now === undefined ? {} : { now };
    this.#ofTokens = new RateLimiter(clock);
    this.#ofBodies = new RateLimiter(clock);
    this.#ofAddresses = new RateLimiter(clock);
  }

  takeRequest(sender: Principal, { headers, address }: LimitedRequest): number {
    const most = this.#requestsOf(sender);
    if (most === Number.POSITIVE_INFINITY) return 0;
    if (sender.kind === 'token') return this.#ofTokens.take(sender.id, 1, most);
    return this.#ofAddresses.take(clientAddress(headers, address), 1, most);
  }

  /** Counts bytes of a body that came; 0 bytes ask whether any may come. */
  takeBody(sender: Principal, bytes: number): number {
    if (sender.kind !== 'token') return 0;
    const most = ownLimit(sender.limits.bodyBytesPerMinute, this.#limits.tokenBody);
    return most === Number.POSITIVE_INFINITY ? 0 : this.#ofBodies.take(sender.id, bytes, most);
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
