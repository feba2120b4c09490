import type { IncomingHttpHeaders } from 'node:http';
import type { AccessPolicy } from '../../access/access-policy.ts';
import { identify, type Unidentified } from '../../access/identify.ts';
import { ANONYMOUS, type Principal } from '../../access/principal.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { unauthorized } from '../request/http-error.ts';
import type { ServedApp } from '../request/served-app.ts';

export interface Identified {
  readonly sender: Principal;
  /** Whether the sender was identified by the cookie of a session. */
  readonly hasSession: boolean;
  /**
   * Why a sender that counts as anonymous may be another one: used as the error for everything that anonymous senders
   * may not do.
   */
  readonly doubt?: unknown;
}

/** Identifies the sender of a request. @throws HttpError 401 for credentials that are not valid; as `identify` */
export type IdentifySender = (headers: IncomingHttpHeaders) => Promise<Identified>;

export function createIdentifySender(
  { tokens, sessions }: Pick<ServedApp, 'tokens' | 'sessions'>,
  policy: AccessPolicy,
): IdentifySender {
  /**
   * While the store does not answer, a client without a token may still do what is public, such as reading the status.
   */
  async function senderOf(
    headers: IncomingHttpHeaders,
  ): Promise<Principal | Unidentified | { readonly doubt: unknown }> {
    try {
      return await identify(headers, { policy, tokens });
    } catch (error) {
      if (headers.authorization === undefined && isTidemarkError(error, 'unavailable')) return { doubt: error };
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

  return async (headers) => {
    const sender = await senderOf(headers);
    if ('doubt' in sender) return { sender: ANONYMOUS, hasSession: false, ...sender };
    if (sender.kind === 'unidentified') throw unauthorized(sender.reason);
    const inSession = sender.kind === 'anonymous' ? await senderOfSession(headers) : undefined;
    return { sender: inSession ?? sender, hasSession: inSession !== undefined };
  };
}
