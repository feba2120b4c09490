import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../access/access-policy.ts';
import { identify, identifyMetricsReader, type Unidentified } from '../../access/identify-principal.ts';
import type { Action } from '../../access/may.ts';
import type { Access } from '../../access/open-access.ts';
import { ANONYMOUS, type Principal } from '../../access/principal.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import { unauthorized } from '../request/http-error.ts';

export interface Identified {
  readonly sender: Principal;
  /** Whether the sender was identified by the cookie of a session. */
  readonly hasSession: boolean;
  /**
   * Why the sender may be one who may do more: used as the error for everything that it may not do. It is anonymous, or
   * may only read metrics.
   */
  readonly doubt?: unknown;
}

/**
 * Identifies the sender of a request for an action, or of one that failed.
 * @throws HttpError 401 for credentials that are not valid; as `identify`
 */
export type IdentifySender = (headers: IncomingHttpHeaders, action?: Action) => Promise<Identified>;

type Doubtful = Required<Pick<Identified, 'sender' | 'doubt'>>;

/**
 * Timeout of the store in milliseconds: metrics report that it does not answer, instead of hanging as well. Reading the
 * figures takes two seconds more, and a scrape must not take three.
 */
const STORE_TIMEOUT_MS = 500;

export function createIdentifySender(
  { tokens, sessions }: Pick<Access, 'tokens' | 'sessions'>,
  policy: AccessPolicy,
): IdentifySender {
  /**
   * While the store does not answer, a client without a token may still do what is public, such as reading the status,
   * and a reader of metrics may read these.
   */
  async function senderOf(
    headers: IncomingHttpHeaders,
    action: Action | undefined,
  ): Promise<Principal | Unidentified | Doubtful> {
    try {
      const asking = identify(headers, { policy, tokens });
      if (action !== 'read-metrics') return await asking;
      return await withTimeout(asking, STORE_TIMEOUT_MS, async () => {
        const sender = await metricsReader(headers);
        return sender === undefined ? asking : { sender, doubt: storeIsSlow() };
      });
    } catch (error) {
      if (!isTidemarkError(error, 'unavailable')) throw error;
      const sender = action === 'read-metrics' ? await metricsReader(headers) : undefined;
      if (sender !== undefined) return { sender, doubt: error };
      if (headers.authorization === undefined) return { sender: ANONYMOUS, doubt: error };
      throw error;
    }
  }

  async function metricsReader(headers: IncomingHttpHeaders): Promise<Principal | undefined> {
    try {
      return await identifyMetricsReader(headers, { policy, tokens });
    } catch (error) {
      if (isTidemarkError(error, 'unavailable')) return undefined;
      throw error;
    }
  }

  /** Undefined without a session, and after its end: the sender is then anonymous, and may sign in again. */
  async function senderOfSession(headers: IncomingHttpHeaders): Promise<Principal | undefined> {
    const token = await sessions.tokenOf(headers.cookie);
    if (token === undefined) return undefined;
    const sender = await identify({ ...headers, authorization: `Bearer ${token}` }, { policy, tokens });
    return sender.kind === 'unidentified' || sender.kind === 'anonymous' ? undefined : sender;
  }

  return async (headers, action) => {
    const sender = await senderOf(headers, action);
    if ('doubt' in sender) return { hasSession: false, ...sender };
    if (sender.kind === 'unidentified') throw unauthorized(sender.reason);
    const inSession = sender.kind === 'anonymous' ? await senderOfSession(headers) : undefined;
    return { sender: inSession ?? sender, hasSession: inSession !== undefined };
  };
}

function storeIsSlow(): TidemarkError {
  return new TidemarkError('unavailable', `the tokens could not be read within ${STORE_TIMEOUT_MS / 1000} seconds`);
}
