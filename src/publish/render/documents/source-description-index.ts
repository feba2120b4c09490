import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead, SITEMAPINDEX_END } from './sitemap.ts';

export interface SourceDescriptionIndex {
  /** A document about the source. */
  readonly describedBy: string;
  /** The URIs of Source Descriptions; at most 50,000. */
  readonly parts: readonly string[];
}

/** ResourceSync 1.1, 8: for more sets than one Source Description may list. */
export function renderSourceDescriptionIndex({ describedBy, parts }: SourceDescriptionIndex): string {
  const head = documentHead({
    root: 'sitemapindex',
    links: { describedby: describedBy },
    md: { capability: 'description' },
  });
  return head + joinTexts(parts, (uri) => `<sitemap><loc>${escapeXml(uri)}</loc></sitemap>\n`) + SITEMAPINDEX_END;
}
