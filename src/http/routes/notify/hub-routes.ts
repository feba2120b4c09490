import type { Response } from 'express';
import { may } from '../../../access/may.ts';
import type { Principal } from '../../../access/principal.ts';
import { TidemarkError } from '../../../core/errors.ts';
import { isRefusedHost } from '../../../lib/http/private-host.ts';
import type { Subscriber } from '../../../publish/notify/subscriptions.ts';
import { topicOf } from '../../../publish/topics.ts';
import { senderOf } from '../../request/admitted.ts';
import { readBody, requestBody } from '../../request/request-body.ts';
import { post, type Route } from '../../request/route.ts';
import type { ServedApp } from '../../request/served-app.ts';
import { setCaching } from '../../response/caching.ts';
import { type HubRequest, parseHubRequest } from './hub-request.ts';

const MOST_BODY_BYTES = 16 * 1024;

/** The hub of WebSub. @param stopping ends bodies that are being read when the server stops */
export function hubRoutes(app: ServedApp, stopping: AbortSignal): readonly Route[] {
  const { subscriptions } = app.notifications;
  const { configuration } = app;

  return [
    post('/hub', {
      action: 'read-source',
      id: 'askHub',
      tag: 'notifications',
      summary: 'Subscribes to a topic, or unsubscribes',
      description: `The hub of WebSub. A form with \`hub.mode\` (\`subscribe\` or \`unsubscribe\`), \`hub.topic\`, \`hub.callback\`, and for a subscription
\`hub.lease_seconds\` and \`hub.secret\` if wanted. The hub then asks the callback whether it wants that, and sends it what changes.`,
      body: { 'application/x-www-form-urlencoded': 'text' },
      answers: [
        { status: 202, description: 'It is recorded, and the callback will be asked.' },
        {
          status: 400,
          description: 'The request is wrong, or its callback is in a private network that is not reached.',
        },
        { status: 404, description: 'There is no such topic, or no hub.' },
      ],
      async handle(request, response) {
        const { hub, idleTimeoutMs } = configuration;
        if (hub.kind !== 'inside')
          throw new TidemarkError('not-found', 'there is no hub here: see the links of the topic');
        const body = await readBody(requestBody(request, { idleTimeoutMs, stopping }), MOST_BODY_BYTES);
        const asked = parseHubRequest(body.toString('utf8'));
        requireCallback(asked, configuration);
        await requireTopic(app, asked, response);
        await subscriptions.request(asked, pendingOf(asked, senderOf(response)));
        setCaching(response, 'no-store');
        response.status(202).end();
      },
    }),
  ];
}

/** @throws TidemarkError `invalid` for a callback that would never be asked */
function requireCallback({ callback }: HubRequest, { subscriberNetworks }: ServedApp['configuration']): void {
  const { hostname } = new URL(callback);
  if (!isRefusedHost(hostname, subscriberNetworks)) return;
  const message = `hub.callback leads to ${hostname}, in a private network: the setting subscriberNetworks (TIDEMARK_SUBSCRIBER_NETWORKS) of this server says which of them its hub may reach`;
  throw new TidemarkError('invalid', message, { code: 'bad-hub-request', field: 'hub.callback' });
}

/** @throws TidemarkError `not-found` when it is not a topic, or one that the sender may not read */
async function requireTopic({ sets, configuration }: ServedApp, { topic }: HubRequest, response: Response) {
  const { baseUrl } = configuration;
  const found = topicOf(topic, baseUrl);
  const sender = senderOf(response);
  if (found === undefined) throw noSuchTopic(topic);
  await sets.bySlug(found.slug, (set) => may(sender, 'read-documents', set));
}

function noSuchTopic(topic: string): TidemarkError {
  const message = `there is no topic ${topic}: use the link with rel="self" of a topic of this source`;
  return new TidemarkError('not-found', message, { field: 'hub.topic' });
}

function pendingOf({ mode, leaseSeconds, secret }: HubRequest, sender: Principal) {
  const asked = Date.now();
  if (mode === 'unsubscribe') return { mode, asked } as const;
  const subscriber: Subscriber = sender.kind === 'token' ? { kind: 'token', id: sender.id } : sender;
  return { mode, asked, subscriber, leaseSeconds, secret } as const;
}
