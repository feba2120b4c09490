import type { Scope } from './scope.ts';
import type { TokenLimits } from './token.ts';

/** The sender of a request. */
export type Principal = Anonymous | Administrator | TokenBearer;

export interface Anonymous {
  readonly kind: 'anonymous';
  /** For a client on the machine itself that needs no token, while the store cannot confirm that there is none. */
  readonly readsMetrics?: boolean | undefined;
}

/** The bearer of the token from the environment; or any client on the machine itself if there are no tokens. */
export interface Administrator {
  readonly kind: 'administrator';
  /** Whether the client needed no token, because there was none. */
  readonly withoutToken?: boolean | undefined;
}

/** The bearer of a token in the catalog. */
export interface TokenBearer {
  readonly kind: 'token';
  /** The token's id, which is not secret. */
  readonly id: string;
  /** Its name, given at its creation. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly limits: TokenLimits;
  /** Milliseconds since 1970; absent when it never expires. */
  readonly expires?: number | undefined;
}

export const ANONYMOUS: Anonymous = { kind: 'anonymous' };
export const LOCAL_METRICS_READER: Anonymous = { kind: 'anonymous', readsMetrics: true };
export const ADMINISTRATOR: Administrator = { kind: 'administrator' };
export const LOCAL_ADMINISTRATOR: Administrator = { kind: 'administrator', withoutToken: true };
