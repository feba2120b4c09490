import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { type ArchiveCapability, documentHead, SITEMAPINDEX_END, URLSET_END } from './sitemap.ts';

interface ArchiveHead {
  readonly capability: ArchiveCapability;
  readonly capabilityList: string;
}

export interface Archive extends ArchiveHead {
  /** The index that it belongs to. */
  readonly index?: string | undefined;
  /** The oldest first; at most 50,000. */
  readonly entries: readonly ArchivedDocument[];
}

/** A finished document: of the changes between two boundaries, or of the resources at one. */
export type ArchivedDocument = { readonly uri: string } & ArchivedTime;
type ArchivedTime = { readonly from: Stamp; readonly until: Stamp } | { readonly at: Stamp; readonly completed: Stamp };

export interface ArchiveIndex extends ArchiveHead {
  /** The URIs of archives; at most 50,000. */
  readonly parts: readonly string[];
}

/** ResourceSync Archives, 3 to 6. An archive has no time of its own: more documents may always be added. */
export function renderArchive({ capability, capabilityList, index, entries }: Archive): string {
  const head = documentHead({ root: 'urlset', links: { up: capabilityList, index }, md: { capability } });
  const lines = joinTexts(entries, ({ uri, ...times }) => {
    const md = Object.entries(times).map(([name, stamp]) => ` ${name}="${formatStamp(stamp)}"`);
    return `<url><loc>${escapeXml(uri)}</loc><rs:md${md.join('')}/></url>\n`;
  });
  return head + lines + URLSET_END;
}

/** For more documents than one archive may list. */
export function renderArchiveIndex({ capability, capabilityList, parts }: ArchiveIndex): string {
  const head = documentHead({ root: 'sitemapindex', links: { up: capabilityList }, md: { capability } });
  return head + joinTexts(parts, (uri) => `<sitemap><loc>${escapeXml(uri)}</loc></sitemap>\n`) + SITEMAPINDEX_END;
}
