import type { IncomingHttpHeaders } from 'node:http';
import type { RequestLimits } from '../config/configuration.ts';
import { clientAddress } from './client-address.ts';
import type { Principal } from './principal.ts';
import { RateLimiter } from './rate-limiter.ts';

interface LimitedRequest {
  readonly headers: IncomingHttpHeaders;
  /** The address of the connection. */
  readonly address: string | undefined;
}

/** The limited quantities: requests with a token, bytes of its bodies, requests from an address. */
type Limited = 'requests' | 'bytes' | 'addresses';

/**
 * Limits what each sender may request from this server. Waits are in milliseconds, 0 for none; administrators never
 * wait.
 */
export class SenderLimits {
  readonly #limits: RequestLimits;
  readonly #limiters: Readonly<Record<Limited, RateLimiter>>;

  constructor(limits: RequestLimits, clock: { readonly now?: () => number } = {}) {
    this.#limits = limits;
    this.#limiters = {
      requests: new RateLimiter(clock),
      bytes: new RateLimiter(clock),
      addresses: new RateLimiter(clock),
    };
  }

  takeRequest(sender: Principal, { headers, address }: LimitedRequest): number {
    const most = this.#requestsOf(sender);
    if (most === Number.POSITIVE_INFINITY) return 0;
    if (sender.kind === 'token') return this.#limiters.requests.take(sender.id, 1, most);
    return this.#limiters.addresses.take(clientAddress(headers, address), 1, most);
  }

  /** Counts received bytes of a body; 0 bytes check whether any may be sent. */
  takeBody(sender: Principal, bytes: number): number {
    if (sender.kind !== 'token') return 0;
    const most = ownLimit(sender.limits.bodyBytesPerMinute, this.#limits.tokenBody);
    if (most === Number.POSITIVE_INFINITY) return 0;
    return this.#limiters.bytes.take(sender.id, bytes, most);
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
