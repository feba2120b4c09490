import type { Change } from '../../../core/change.ts';
import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { changeEntries } from './change-list.ts';
import type { EntryStyle } from './entry.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead, type NotificationCapability, URLSET_END } from './sitemap.ts';

/** A channel in a Capability List (Change Notification 1.0.1, 5; Framework Notification 1.0.1, 5). */
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

/**
 * The response to a request for the topic itself: an initial notification without changes. Later changes are sent to
 * subscribers, and are in the Change List.
 */
export function renderTopic(
  capability: NotificationCapability,
  { up, at }: { readonly up: string; readonly at: string },
): string {
  return documentHead({ root: 'urlset', links: { up }, md: { capability, from: at, until: at } }) + URLSET_END;
}

interface ChangeNotification {
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

/** An event of a ResourceSync document. */
export interface FrameworkEvent {
  readonly uri: string;
  /** The index that it belongs to. */
  readonly index?: string | undefined;
  readonly capability: string;
  readonly change: 'created' | 'updated' | 'deleted';
  readonly stamp: Stamp;
}

interface Above {
  readonly capabilityList: string;
  readonly sourceDescription: string;
}

/** Documents that were created, updated and deleted (Framework Notification 1.0.1, 3). */
export function renderFrameworkNotification(above: Above, events: readonly FrameworkEvent[]): string {
  const ups = new Set(events.map(({ capability }) => upOf(capability, above)));
  const head = documentHead({
    root: 'urlset',
    links: { up: ups.size === 1 ? [...ups][0] : undefined },
    md: { capability: 'framework-notification' },
  });
  const entries = joinTexts(events, ({ uri, index, capability, change, stamp }) => {
    const md = `change="${change}" datetime="${formatStamp(stamp)}" capability="${escapeXml(capability)}"`;
    const link = index === undefined ? '' : `<rs:ln rel="index" href="${escapeXml(index)}"/>`;
    return `<url><loc>${escapeXml(uri)}</loc><rs:md ${md}/>${link}</url>\n`;
  });
  return head + entries + URLSET_END;
}

function upOf(capability: string, { capabilityList, sourceDescription }: Above): string | undefined {
  if (capability === 'description') return undefined;
  return capability === 'capabilitylist' ? sourceDescription : capabilityList;
}
