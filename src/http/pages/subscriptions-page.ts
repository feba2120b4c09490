import type { SubscriptionView } from '../../api/subscription-view.ts';
import { subscriptionView } from '../../api/subscription-view.ts';
import { hubUri } from '../../publish/topics.ts';
import { param } from '../request/admitted.ts';
import { pageOperation } from '../request/operation.ts';
import { get, post, type Route } from '../request/route.ts';
import type { ServedApp } from '../request/served-app.ts';
import { confirmed } from './parts/confirmed.ts';
import type { Frame } from './parts/frame.ts';
import { frameOf } from './parts/frame.ts';
import { html } from './parts/html.ts';
import { renderPage } from './parts/layout.ts';
import { sendPage } from './parts/send-page.ts';
import { stackingTable } from './parts/tables.ts';
import { counted, timeOf } from './parts/words.ts';

const AGAIN = 5;

/** The page of subscriptions, for administrators. */
export function subscriptionPageRoutes(app: ServedApp): readonly Route[] {
  const { subscriptions } = app.notifications;
  const { configuration } = app;
  return [
    get('/subscriptions', {
      action: 'administer',
      ...pageOperation('subscriptionsPage', 'Who is sent changes, how far they have come, and what fails'),
      async handle(request, response) {
        const [frame, all, state] = await Promise.all([
          frameOf(app, request, response),
          subscriptions.list(),
          subscriptions.progress(),
        ]);
        const hub = hubUri(configuration.hub, configuration.baseUrl);
        const shown = all.map((one) => subscriptionView(one, state));
        sendPage(response, renderSubscriptionsPage({ frame, hub, subscriptions: shown }));
      },
    }),

    post('/subscriptions/:id/remove', {
      action: 'administer',
      id: 'removeSubscriptionByForm',
      tag: 'pages',
      summary: 'Ends a subscription, and shows the others',
      answers: [
        { status: 303, description: 'It ends; the page shows the others.', headers: ['Location'] },
        { status: 404, description: 'There is no such subscription.' },
      ],
      async handle(request, response) {
        await subscriptions.remove(param(request, 'id'));
        response.redirect(303, '../../subscriptions');
      },
    }),
  ];
}

interface SubscriptionsPage {
  readonly frame: Frame;
  readonly hub: string | undefined;
  readonly subscriptions: readonly SubscriptionView[];
}

function renderSubscriptionsPage({ frame, hub, subscriptions }: SubscriptionsPage): string {
  const { now } = frame;
  const where =
    hub === undefined
      ? html`This source sends no notifications: see the setting <code>hub</code>.`
      : html`${counted(subscriptions.length, 'subscription')}. Programs subscribe at <code>${hub}</code>.`;
  const rows = stackingTable('Subscriptions', subscriptions, [
    { name: 'Callback', style: 'name', isHead: true, cell: ({ callback }) => callback },
    { name: 'Topic', style: 'name', cell: ({ topic }) => topic },
    { name: 'State', style: 'short', cell: ({ state, signed }) => (signed ? `${state}, signed` : state) },
    { name: 'Lease ends', style: 'short', cell: ({ ends }) => timeOf(ends, now) },
    { name: 'Sent', style: 'short', cell: ({ sent }) => timeOf(sent, now) },
    { name: 'Problem', style: 'name', cell: problemOf },
    { name: 'End', cell: ({ id, callback, state }) => state !== 'ending' && removeButton(id, callback) },
  ]);
  const main = html`<h1>Subscriptions</h1>
<p class="lead">${where}</p>
${subscriptions.length > 0 && rows}
${subscriptions.length === 0 && hub !== undefined && html`<p class="quiet">No program has subscribed yet. <a href="./api/reference/notifications#askHub">The API</a> says how to; each set names its topic in its Capability List.</p>`}`;
  return renderPage({ frame, title: 'Subscriptions', main, part: 'subscriptions', again: AGAIN });
}

function problemOf({ failures, problem }: SubscriptionView): string | undefined {
  return failures === undefined ? undefined : `${counted(failures, 'failure')}: ${problem}`;
}

function removeButton(id: string, callback: string) {
  return confirmed({
    text: 'End',
    of: `the subscription of ${callback}`,
    consequence: 'It is sent no more changes, and has to subscribe again.',
    confirm: 'End it',
    action: `./subscriptions/${id}/remove`,
  });
}
