import type { Scope } from './scope.ts';
import type { TokenLimits } from './token.ts';

/** Who sends a request. */
export type Principal = Anonymous | Administrator | TokenBearer;

export interface Anonymous {
  readonly kind: 'anonymous';
}

/** The bearer of the token from the environment, or whoever asks from the machine itself where there are no tokens. */
export interface Administrator {
  readonly kind: 'administrator';
}

/** The bearer of a token that is kept in the catalog. */
export interface TokenBearer {
  readonly kind: 'token';
  /** The token's id, which is no secret. */
  readonly id: string;
  /** What its maker called it. */
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly limits: TokenLimits;
}

export const ANONYMOUS: Anonymous = { kind: 'anonymous' };
export const ADMINISTRATOR: Administrator = { kind: 'administrator' };
