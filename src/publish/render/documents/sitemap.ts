import { escapeXml } from '../../../lib/escape-xml.ts';

export const SITEMAP_NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
export const RS_NAMESPACE = 'http://www.openarchives.org/rs/terms/';

export const URLSET_END = '</urlset>\n';
export const SITEMAPINDEX_END = '</sitemapindex>\n';

/** Capabilities of documents that are published (ResourceSync 1.1, 7). */
export type Capability =
  | 'description'
  | 'capabilitylist'
  | 'resourcelist'
  | 'changelist'
  | 'resourcedump'
  | 'resourcedump-manifest'
  | NotificationCapability
  | 'changedump'
  | 'changedump-manifest'
  | ArchiveCapability;

/** Capabilities of channels, and of notifications (Change Notification 1.0.1, 3; Framework Notification 1.0.1, 3). */
export type NotificationCapability = 'change-notification' | 'framework-notification';

/** Capabilities of the lists of finished documents (ResourceSync Archives). */
export type ArchiveCapability =
  | 'resourcelist-archive'
  | 'changelist-archive'
  | 'resourcedump-archive'
  | 'changedump-archive';

/** How another document is related to one. */
export type Relation = 'alternate' | 'describedby' | 'up' | 'index' | 'archives';

interface DocumentHead {
  readonly root: 'urlset' | 'sitemapindex';
  /** Targets by relation, in the order in which they are written; an undefined one is left out. */
  readonly links: Readonly<Partial<Record<Relation, string | undefined>>>;
  readonly md: { readonly capability: Capability } & Readonly<Record<string, string | undefined>>;
}

/**
 * A document up to its first entry: its own links and metadata come before all entries (ResourceSync 1.1, 7). The root
 * is left open.
 */
export function documentHead({ root, links, md }: DocumentHead): string {
  const linkLines = present(links).map(([rel, href]) => `<rs:ln rel="${rel}" href="${escapeXml(href)}"/>\n`);
  const attributes = present(md).map(([name, value]) => ` ${name}="${escapeXml(value)}"`);
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<${root} xmlns="${SITEMAP_NAMESPACE}" xmlns:rs="${RS_NAMESPACE}">\n` +
    `${linkLines.join('')}<rs:md${attributes.join('')}/>\n`
  );
}

function present(values: Readonly<Record<string, string | undefined>>): readonly (readonly [string, string])[] {
  return Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
