import type { HubSetting } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import type { Stamp } from '../core/stamp.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan, SetInput, SourceInput } from './document-plan.ts';
import { documentName } from './pages/document-name.ts';
import { renderTopic } from './render/documents/notification.ts';
import type { NotificationCapability } from './render/documents/sitemap.ts';

/** Where subscribers of this source go; undefined where there are no notifications. */
export function hubUri(hub: HubSetting, baseUrl: string): string | undefined {
  switch (hub.kind) {
    case 'none':
      return undefined;
    case 'inside':
      return `${baseUrl}/hub`;
    case 'elsewhere':
      return hub.url;
  }
}

/** The header Link of a topic, and of what is sent to subscribers (WebSub, 4 and 7). */
export function topicLinks(hub: string, topic: string): string {
  return `<${hub}>; rel="hub", <${topic}>; rel="self"`;
}

/** What an address is the topic of, if it is one. @param baseUrl ends without a slash */
export function topicOf(uri: string, baseUrl: string): { readonly slug: string } | 'framework' | undefined {
  if (uri === `${baseUrl}/notifications.xml`) return 'framework';
  const [, slug] = /^\/sets\/([^/]+)\/notifications\.xml$/.exec(uri.slice(baseUrl.length)) ?? [];
  return slug === undefined || !uri.startsWith(baseUrl) ? undefined : { slug };
}

/** @throws TidemarkError `not-found` where there are no notifications */
export function planFrameworkTopic({ shown, uri, uris, hub }: SourceInput): DocumentPlan {
  const newest = shown.reduce((latest, { epochStart }) => Math.max(latest, epochStart), 0);
  const up = uris.sourceDescription;
  return plan({ folder: 'source', uri, hub, capability: 'framework-notification', up, newest });
}

/** @throws TidemarkError `not-found` where there are no notifications */
export function planChangeTopic({ published: { set, folder, uris, hub }, uri }: SetInput): DocumentPlan {
  const up = uris.capabilityList;
  return plan({ folder, uri, hub, capability: 'change-notification', up, newest: set.epochStart });
}

interface Topic {
  readonly folder: string;
  readonly uri: string;
  readonly hub: string | undefined;
  readonly capability: NotificationCapability;
  readonly up: string;
  readonly newest: Stamp;
}

function plan({ folder, uri, hub, capability, up, newest }: Topic): DocumentPlan {
  if (hub === undefined) {
    throw new TidemarkError('not-found', 'this source sends no notifications: its administrator can set "hub"');
  }
  const reference = { folder, name: documentName(uri), version: newest, fingerprint: fingerprint(capability, up) };
  return { reference, making: () => ({ newest, job: { kind: 'text', text: renderTopic(capability, up) } }) };
}
