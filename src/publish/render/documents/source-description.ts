import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead, URLSET_END } from './sitemap.ts';

export interface SourceDescription {
  /** A document about the source. */
  readonly describedBy?: string | undefined;
  /** The index that it belongs to. */
  readonly index?: string | undefined;
  /** One for each set; at most 50,000. `describedBy` is a document about the set. */
  readonly capabilityLists: readonly { readonly uri: string; readonly describedBy?: string | undefined }[];
}

/** ResourceSync 1.1, 8. It is the top document, so it has no link `up`. */
export function renderSourceDescription({ describedBy, index, capabilityLists }: SourceDescription): string {
  const head = documentHead({
    root: 'urlset',
    links: { describedby: describedBy, index },
    md: { capability: 'description' },
  });
  const entries = joinTexts(capabilityLists, (list) => {
    const link =
      list.describedBy === undefined ? '' : `<rs:ln rel="describedby" href="${escapeXml(list.describedBy)}"/>`;
    return `<url><loc>${escapeXml(list.uri)}</loc><rs:md capability="capabilitylist"/>${link}</url>\n`;
  });
  return head + entries + URLSET_END;
}
