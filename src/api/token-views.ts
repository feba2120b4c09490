import { stateOf, type TokenRecord } from '../access/token.ts';
import { formatTime } from './format-time.ts';
import type { TokenView } from './token-schemas.ts';

/** The view of a token in the API: without its digest. */
export function tokenView(record: TokenRecord, now: number): TokenView {
  const { id, name, scopes, created, expires, revoked, limits } = record;
  return {
    id,
    name,
    scopes: [...scopes],
    state: stateOf(record, now),
    created: formatTime(created),
    ...(expires !== undefined && { expires: formatTime(expires) }),
    ...(revoked !== undefined && { revoked: formatTime(revoked) }),
    ...limits,
  };
}
