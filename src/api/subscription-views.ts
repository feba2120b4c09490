import { formatStamp } from '../core/stamp.ts';
import type { SenderState } from '../publish/notify/sender-lease.ts';
import type { Subscriber, Subscription } from '../publish/notify/subscriptions.ts';
import type { SubscriptionView } from './subscription-schemas.ts';

/** The view of a subscription in the API, and on the command line. Its secret stays in the catalog. */
export function subscriptionView(
  { id, topic, callback, active, pending }: Subscription,
  { progress }: SenderState,
): SubscriptionView {
  const known = progress[id]?.since === active?.since ? progress[id] : undefined;
  const asked = pending?.mode === 'subscribe' ? pending : undefined;
  const subscriber = active?.subscriber ?? asked?.subscriber;
  return {
    id,
    topic,
    callback,
    state: pending?.mode === 'denied' ? 'ending' : active === undefined ? 'unconfirmed' : 'active',
    ...(subscriber !== undefined && { subscriber: nameOf(subscriber) }),
    ...(active !== undefined && { ends: new Date(active.until).toISOString() }),
    signed: (active?.secret ?? asked?.secret) !== undefined,
    ...(known !== undefined && { through: formatStamp(known.through) }),
    ...(known?.sent !== undefined && { sent: new Date(known.sent).toISOString() }),
    ...(known?.failures !== undefined && { failures: known.failures, problem: known.problem }),
  };
}

function nameOf(subscriber: Subscriber): string {
  return subscriber.kind === 'token' ? `token ${subscriber.id}` : subscriber.kind;
}
