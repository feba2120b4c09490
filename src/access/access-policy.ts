import type { Configuration, Secret } from '../config/configuration.ts';
import { TidemarkError } from '../domain/errors.ts';
import { isLoopback } from './loopback.ts';

/**
 * How a server finds out who is asking.
 *
 * - `local`: only this machine can reach it, and whoever does may do everything
 * - `token`: reading is public, everything else needs the token
 * - `read-only`: there is nothing but reading
 */
export type AccessPolicy =
  | { readonly mode: 'local'; readonly publicHost: string }
  | { readonly mode: 'token'; readonly token: Secret }
  | { readonly mode: 'read-only' };

type Settings = Pick<Configuration, 'token' | 'publicReadOnly' | 'baseUrl'>;

/**
 * The policy of a server that is bound to a host.
 * @throws TidemarkError `invalid` for a public address without a token, unless it is to be read only
 */
export function accessPolicy({ token, publicReadOnly, baseUrl }: Settings, host: string): AccessPolicy {
  if (token !== undefined) return { mode: 'token', token };
  if (publicReadOnly) return { mode: 'read-only' };
  if (isLoopback(host)) return { mode: 'local', publicHost: URL.parse(baseUrl)?.hostname ?? '' };
  throw new TidemarkError(
    'invalid',
    `the address ${host} can be reached from other machines, and anybody there could post changes: set TIDEMARK_TOKEN, or pass --public-read-only, or use the host 127.0.0.1`,
    { field: 'host' },
  );
}
