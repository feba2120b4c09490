import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { type Channel, channelEntry } from './notification.ts';
import { type Capability, documentHead, URLSET_END } from './sitemap.ts';

interface CapabilityList {
  readonly sourceDescription: string;
  /** A document about the set. */
  readonly describedBy?: string | undefined;
  /** The base URL of the set as a repository of OAI-PMH. */
  readonly oai?: string | undefined;
  /** One document for each capability (ResourceSync 1.1, 9). */
  readonly capabilities: readonly { readonly uri: string; readonly capability: Capability }[];
  /** The channels of notifications. */
  readonly channels?: readonly Channel[];
}

export function renderCapabilityList({
  sourceDescription,
  describedBy,
  oai,
  capabilities,
  channels = [],
}: CapabilityList): string {
  const head = documentHead({
    root: 'urlset',
    links: { up: sourceDescription, describedby: describedBy, alternate: oai },
    md: { capability: 'capabilitylist' },
  });
  const entries = joinTexts(
    capabilities,
    ({ uri, capability }) => `<url>\n<loc>${escapeXml(uri)}</loc>\n<rs:md capability="${capability}"/>\n</url>\n`,
  );
  return head + entries + joinTexts(channels, channelEntry) + URLSET_END;
}
