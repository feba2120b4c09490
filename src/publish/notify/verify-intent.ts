import { randomBytes } from 'node:crypto';
import type { CallbackClient } from './callback-client.ts';
import type { PendingRequest, StoredSubscription } from './subscription.ts';

/** Asks a subscriber to confirm a request made in its name (WebSub, 5.3). Returns why it was not confirmed. */
export async function verifyIntent(
  client: CallbackClient,
  { topic, callback }: Pick<StoredSubscription, 'topic' | 'callback'>,
  { pending, signal }: { readonly pending: PendingRequest; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const challenge = randomBytes(24).toString('base64url');
  const asked = new URLSearchParams({ 'hub.mode': pending.mode, 'hub.topic': topic, 'hub.challenge': challenge });
  if (pending.mode === 'subscribe') asked.set('hub.lease_seconds', String(pending.leaseSeconds));
  const answer = await client.send(withQuery(callback, asked), { method: 'GET', signal });
  if ('failure' in answer) return answer.failure;
  const { status, text } = answer;
  if (status < 200 || status > 299) return `it answers the verification with the status ${status}`;
  return text === challenge ? undefined : 'it answers the verification with another text than the challenge';
}

/** Informs a subscriber that its subscription is denied, or has ended (WebSub, 5.2). Its response is ignored. */
export async function sendDenial(
  client: CallbackClient,
  { topic, callback }: Pick<StoredSubscription, 'topic' | 'callback'>,
  { reason, signal }: { readonly reason: string; readonly signal: AbortSignal },
): Promise<void> {
  const denial = new URLSearchParams({ 'hub.mode': 'denied', 'hub.topic': topic, 'hub.reason': reason });
  await client.send(withQuery(callback, denial), { method: 'GET', signal });
}

/** Appends parameters to those of the callback (WebSub, 5.1.1). */
function withQuery(callback: string, parameters: URLSearchParams): string {
  return `${callback}${callback.includes('?') ? '&' : '?'}${parameters}`;
}
