import * as z from 'zod';
import { formatStamp } from '../core/stamp.ts';
import type { SenderState } from '../publish/notify/sender-lease.ts';
import type { Subscriber, Subscription } from '../publish/notify/subscriptions.ts';

/** A subscription as administrators see it: without its secret. */
export const subscriptionSchema = z
  .object({
    id: z.string(),
    topic: z.string(),
    callback: z.string(),
    state: z.enum(['active', 'unconfirmed', 'ending']),
    subscriber: z
      .string()
      .optional()
      .meta({ description: 'Who asked for it: `anonymous`, `administrator`, or a token.' }),
    ends: z.iso.datetime().optional().meta({ description: 'When its lease ends.' }),
    signed: z.boolean().meta({ description: 'Whether it has a secret that deliveries are signed with.' }),
    through: z.iso.datetime().optional().meta({ description: 'Everything up to this time was sent.' }),
    sent: z.iso.datetime().optional().meta({ description: 'When something was sent last.' }),
    failures: z.int().optional().meta({ description: 'Deliveries that have failed since then.' }),
    problem: z.string().optional().meta({ description: 'Why the last one failed.' }),
  })
  .meta({ id: 'Subscription', description: 'A subscription to changes.' });

export type SubscriptionView = z.output<typeof subscriptionSchema>;

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
