import type { Change } from '../../../core/change.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { changeEntries } from './change-list.ts';
import type { EntryStyle } from './entry.ts';
import { escapeXml, joinTexts } from './markup.ts';
import { documentHead, type NotificationCapability, URLSET_END } from './sitemap.ts';

/** A channel as a Capability List or the Source Description names it (Notification 1.0.1, 5). */
export interface Channel {
  readonly topic: string;
  readonly capability: NotificationCapability;
  readonly hub: string;
}

export function channelEntry({ topic, capability, hub }: Channel): string {
  return `<url>
<loc>${escapeXml(topic)}</loc>
<rs:md capability="${capability}"/>
<rs:ln rel="hub" href="${escapeXml(hub)}"/>
</url>
`;
}

/** What the topic itself answers: what has happened is sent to subscribers, and stays in the Change List. */
export function renderTopic(capability: NotificationCapability, up: string): string {
  return documentHead({ root: 'urlset', links: { up }, md: { capability } }) + URLSET_END;
}

export interface ChangeNotification {
  /** The boundaries of the changes. */
  readonly from: Stamp;
  readonly until: Stamp;
  readonly capabilityList: string;
  /** Ascending by stamp. */
  readonly changes: readonly Change[];
}

/** Changes of resources, with entries as in a Change List (Change Notification 1.0.1, 3). */
export function renderChangeNotification(
  { from, until, capabilityList, changes }: ChangeNotification,
  style: EntryStyle,
): string {
  const md = { capability: 'change-notification', from: formatStamp(from), until: formatStamp(until) } as const;
  return (
    documentHead({ root: 'urlset', links: { up: capabilityList }, md }) + changeEntries(changes, style) + URLSET_END
  );
}

/** What happened to a document of ResourceSync. */
export interface FrameworkEvent {
  readonly uri: string;
  readonly capability: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly stamp: Stamp;
}

/** Documents that were created, updated and deleted (Framework Notification 1.0.1, 3). */
export function renderFrameworkNotification(sourceDescription: string, events: readonly FrameworkEvent[]): string {
  const head = documentHead({
    root: 'urlset',
    links: { up: sourceDescription },
    md: { capability: 'framework-notification' },
  });
  const entries = joinTexts(events, ({ uri, capability, change, stamp }) => {
    const md = `change="${change}" datetime="${formatStamp(stamp)}" capability="${escapeXml(capability)}"`;
    return `<url><loc>${escapeXml(uri)}</loc><rs:md ${md}/></url>\n`;
  });
  return head + entries + URLSET_END;
}
