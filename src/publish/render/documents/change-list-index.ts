import { formatStamp, type Stamp } from '../../../core/stamp.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { joinTexts } from './join-texts.ts';
import { documentHead, SITEMAPINDEX_END } from './sitemap.ts';

export interface ChangeListIndex {
  /** The boundary below the first change of the first window. */
  readonly from: Stamp;
  readonly capabilityList: string;
  readonly archives?: string | undefined;
  /** In the order of time; only the last one has no `until`; at most 50,000. */
  readonly windows: readonly { readonly uri: string; readonly from: Stamp; readonly until?: Stamp | undefined }[];
}

/** ResourceSync 1.1, 12.2. The index has no `until` of its own: more windows may always be added. */
export function renderChangeListIndex({ from, capabilityList, archives, windows }: ChangeListIndex): string {
  const head = documentHead({
    root: 'sitemapindex',
    links: { up: capabilityList, archives },
    md: { capability: 'changelist', from: formatStamp(from) },
  });
  const entries = joinTexts(windows, (window) => {
    const until = window.until === undefined ? '' : ` until="${formatStamp(window.until)}"`;
    return `<sitemap><loc>${escapeXml(window.uri)}</loc><rs:md from="${formatStamp(window.from)}"${until}/></sitemap>\n`;
  });
  return head + entries + SITEMAPINDEX_END;
}
