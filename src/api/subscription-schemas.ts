import * as z from 'zod';

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

export const subscriptionsSchema = z
  .object({ subscriptions: z.array(subscriptionSchema) })
  .meta({ id: 'Subscriptions', description: 'All subscriptions.' });
