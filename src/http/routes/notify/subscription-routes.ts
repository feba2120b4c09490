import * as z from 'zod';
import { subscriptionSchema, subscriptionView } from '../../../api/subscription-view.ts';
import { param } from '../../request/admitted.ts';
import { json, NO_PARAMETERS } from '../../request/operation.ts';
import { get, post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { sendJson } from '../../response/send-json.ts';

const subscriptionsSchema = z
  .object({ subscriptions: z.array(subscriptionSchema) })
  .meta({ id: 'Subscriptions', description: 'All subscriptions.' });

/** Subscriptions, for administrators. */
export function subscriptionRoutes({ notifications: { subscriptions } }: ServedApp): readonly Route[] {
  return [
    get('/api/subscriptions', {
      action: 'administer',
      id: 'listSubscriptions',
      tag: 'notifications',
      summary: 'Who is sent changes, and how far they have come',
      query: NO_PARAMETERS,
      answers: [json(subscriptionsSchema, 'The subscriptions, without their secrets.')],
      async handle(_request, response) {
        const [all, state] = await Promise.all([subscriptions.list(), subscriptions.progress()]);
        sendJson(response, { subscriptions: all.map((one) => subscriptionView(one, state)) });
      },
    }),

    post('/api/subscriptions/:id/remove', {
      action: 'administer',
      id: 'removeSubscription',
      tag: 'notifications',
      summary: 'Ends a subscription',
      description: 'Its callback is informed that it is denied, and can subscribe again.',
      query: NO_PARAMETERS,
      answers: [
        json(subscriptionSchema, 'The subscription, which ends within a second or so.'),
        { status: 404, description: 'There is no such subscription.' },
      ],
      async handle(request, response) {
        const removed = await subscriptions.remove(param(request, 'id'));
        sendJson(response, { ...subscriptionView(removed, await subscriptions.progress()), state: 'ending' });
      },
    }),
  ];
}
