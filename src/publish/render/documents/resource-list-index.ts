import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { formatSeconds } from '../../../core/w3c-datetime.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead, SITEMAPINDEX_END } from './sitemap.ts';

export interface ResourceListIndex {
  /** Every change up to this boundary is included. */
  readonly at: Stamp;
  readonly capabilityList: string;
  readonly archives?: string | undefined;
  /** In the order of their keys; at most 50,000. */
  readonly pages: readonly { readonly uri: string; readonly at: Stamp }[];
}

/** ResourceSync 1.1, 10.2. Written as text, like the entries of a page, since it may have as many. */
export function renderResourceListIndex({ at, capabilityList, archives, pages }: ResourceListIndex): string {
  const head = documentHead({
    root: 'sitemapindex',
    links: { up: capabilityList, archives },
    md: { capability: 'resourcelist', at: formatStamp(at) },
  });
  const entries = joinTexts(pages, (page) => {
    const lastmod = formatSeconds(Math.floor(page.at / 1_000_000));
    return `<sitemap><loc>${escapeXml(page.uri)}</loc><lastmod>${lastmod}</lastmod><rs:md at="${formatStamp(page.at)}"/></sitemap>\n`;
  });
  return head + entries + SITEMAPINDEX_END;
}
