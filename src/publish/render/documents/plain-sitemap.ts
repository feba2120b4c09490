import { type ResourceKey, uriOf } from '../../../core/key.ts';
import type { ResourceState } from '../../../core/resource.ts';
import { formatSeconds } from '../../../core/w3c-datetime.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import type { ResourceListIndex } from './resource-list-index.ts';
import { SITEMAP_NAMESPACE, SITEMAPINDEX_END } from './sitemap.ts';

/** A sitemap up to its first entry, without any element of ResourceSync: search engines report these as errors. */
export function plainSitemapHead(root: 'urlset' | 'sitemapindex' = 'urlset'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${SITEMAP_NAMESPACE}">\n`;
}

export function plainEntries(
  resources: readonly { readonly key: ResourceKey; readonly state: Pick<ResourceState, 'lastmod'> }[],
  urlPrefix: string,
): string {
  return joinTexts(resources, ({ key, state: { lastmod } }) => {
    const modified = lastmod === undefined ? '' : `<lastmod>${formatSeconds(lastmod)}</lastmod>`;
    return `<url><loc>${escapeXml(uriOf(urlPrefix, key))}</loc>${modified}</url>\n`;
  });
}

export function renderPlainIndex({ pages }: Pick<ResourceListIndex, 'pages'>): string {
  const entries = joinTexts(pages, ({ uri, at }) => {
    const lastmod = formatSeconds(Math.floor(at / 1_000_000));
    return `<sitemap><loc>${escapeXml(uri)}</loc><lastmod>${lastmod}</lastmod></sitemap>\n`;
  });
  return plainSitemapHead('sitemapindex') + entries + SITEMAPINDEX_END;
}
