import type { HubSetting } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import { formatStamp } from '../core/stamp.ts';
import { fingerprint } from './cache/document-reference.ts';
import type { DocumentPlan, SetInput } from './document-plan.ts';
import { documentName } from './pages/document-name.ts';
import { renderTopic } from './render/documents/notification.ts';
import type { NotificationCapability } from './render/documents/sitemap.ts';

/** The address of the hub for this source; undefined where there are no notifications. */
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

/** The header Link of a topic, and of notifications (WebSub, 4 and 7). */
export function topicLinks(hub: string, topic: string): string {
  return `<${hub}>; rel="hub", <${topic}>; rel="self"`;
}

/** The subject of a topic: the changes of a set, or the events of its documents. */
export type TopicKind = 'changes' | 'framework';

/** The topic at an address, if there is one. @param baseUrl ends without a slash */
export function topicOf(uri: string, baseUrl: string): { readonly kind: TopicKind; readonly slug: string } | undefined {
  if (!uri.startsWith(baseUrl)) return undefined;
  const [, slug, file] = /^\/sets\/([^/]+)\/((?:framework-)?notifications)\.xml$/.exec(uri.slice(baseUrl.length)) ?? [];
  return slug === undefined ? undefined : { kind: file === 'notifications' ? 'changes' : 'framework', slug };
}

/** @throws TidemarkError `not-found` where there are no notifications */
export function planFrameworkTopic(input: SetInput): DocumentPlan {
  return planTopic('framework-notification', input);
}

/** @throws TidemarkError `not-found` where there are no notifications */
export function planChangeTopic(input: SetInput): DocumentPlan {
  return planTopic('change-notification', input);
}

function planTopic(capability: NotificationCapability, { published, uri }: SetInput): DocumentPlan {
  const { set, folder, hub } = published;
  if (hub === undefined) {
    throw new TidemarkError('not-found', 'this source sends no notifications: its administrator can set "hub"');
  }
  const newest = set.epochStart;
  const text = renderTopic(capability, { up: published.uris.capabilityList, at: formatStamp(newest) });
  const reference = { folder, name: documentName(uri), version: newest, fingerprint: fingerprint(text) };
  return { reference, task: () => ({ newest, job: { kind: 'text', text } }) };
}
