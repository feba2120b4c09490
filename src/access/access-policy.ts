import type { Configuration } from '../config/configuration.ts';
import type { Secret } from '../config/secret.ts';
import { TidemarkError } from '../core/errors.ts';
import { isLoopback } from './loopback.ts';

/**
 * How a server identifies senders. Tokens in the catalog are accepted in every mode.
 *
 * - `local`: only this machine can reach it; until the first token is created, every client may do everything
 * - `token`: public sets can be read without a token, everything else needs one
 * - `read-only`: only reading is possible
 */
export type AccessPolicy =
  | { readonly mode: 'local'; readonly publicHost: string }
  | {
      readonly mode: 'token';
      /** The administrator's token, from the environment. */
      readonly token: Secret | undefined;
    }
  | { readonly mode: 'read-only' };

type Settings = Pick<Configuration, 'token' | 'publicReadOnly' | 'baseUrl'>;

/**
 * The policy of a server that is bound to a host.
 * @param validTokens how many tokens in the catalog are valid
 * @throws TidemarkError `invalid` for a public address without a token, unless it is read-only
 */
export function accessPolicy(
  { token, publicReadOnly, baseUrl }: Settings,
  host: string,
  validTokens = 0,
): AccessPolicy {
  if (token !== undefined) return { mode: 'token', token };
  if (publicReadOnly) return { mode: 'read-only' };
  if (isLoopback(host)) return { mode: 'local', publicHost: URL.parse(baseUrl)?.hostname ?? '' };
  if (validTokens > 0) return { mode: 'token', token };
  throw new TidemarkError(
    'invalid',
    `the address ${host} can be reached from other machines, and there is no token to protect it: make one with "tidemark tokens create", set TIDEMARK_TOKEN, or pass --public-read-only, or use the host 127.0.0.1`,
    { field: 'host' },
  );
}
