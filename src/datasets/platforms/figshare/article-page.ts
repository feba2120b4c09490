import type { HtmlBiblio } from '../../landing/html-biblio.ts';
import type { Landing } from '../../landing/landing.ts';

/** The URL of the API by the host of a site and its subdomains: `{ 'figshare.com': 'https://api.figshare.com' }`. */
export type FigshareHosts = Readonly<Record<string, string>>;

/** What a page of figshare shows. */
export type ArticlePage =
  | {
      readonly kind: 'article';
      /** Of the API, without a slash at its end. */
      readonly api: string;
      readonly id: string;
      /** As the URL has it; undefined for the latest. */
      readonly version: string | undefined;
    }
  | { readonly kind: 'part' | 'group' | 'private' };

/**
 * Recognizes pages of figshare: by their host, also of portals such as `monash.figshare.com`; and portals with hosts of
 * their own by their URL and by what the page says (site name, or a DOI of figshare). The API of these is that of the
 * first known host.
 */
export function articlePage(hosts: FigshareHosts, landing: Landing, biblio: HtmlBiblio | undefined) {
  for (const hop of landing.hops.toReversed()) {
    const { host, pathname } = new URL(hop);
    const known = Object.keys(hosts).find((one) => host === one || host.endsWith(`.${one}`));
    const isPart = /^\/(?:files\/\d+|ndownloader\/|v2\/)/.test(pathname);
    if (known !== undefined && isPart) return { kind: 'part' } satisfies ArticlePage;
  }
  const { host, pathname } = new URL(landing.url);
  const known = Object.keys(hosts).find((one) => host === one || host.endsWith(`.${one}`));
  if (known === undefined && !saysFigshare(biblio)) return undefined;
  const page = pageOf(pathname, hosts[known ?? Object.keys(hosts)[0]!]!, known !== undefined);
  if (page?.kind !== 'article' || page.version !== undefined) return page;
  return { ...page, version: versionIn(landing.hops, page.id) };
}

/** The version that was requested, which a redirect may have dropped: of a page, or of a DOI (d12). */
function versionIn(hops: readonly string[], id: string): string | undefined {
  const versioned = new RegExp(`(?:\\.${id}\\.v|/${id}/)(\\d{1,3})/?$`);
  return hops.map((hop) => versioned.exec(new URL(hop).pathname)?.[1]).findLast((version) => version !== undefined);
}

function pageOf(pathname: string, api: string, isKnown: boolean): ArticlePage | undefined {
  const [section, ...names] = pathname.split('/').filter((name) => name !== '');
  if (section === 'articles') {
    const found = idAndVersion(names);
    return found && { kind: 'article', api, ...found };
  }
  if (isKnown && (section === 'collections' || section === 'projects')) return { kind: 'group' };
  return isKnown && section === 's' ? { kind: 'private' } : undefined;
}

/** Of `TYPE/TITLE/ID/VERSION`, where type and version may be missing, and a title may be a number. */
function idAndVersion(names: readonly string[]): { id: string; version: string | undefined } | undefined {
  const last = names.at(-1) ?? '';
  const before = names.at(-2) ?? '';
  const hasVersion = names.length === 4 || (names.length === 3 && /^\d+$/.test(before) && /^\d{1,3}$/.test(last));
  const id = hasVersion ? before : last;
  return /^\d+$/.test(id) && names.length >= 2 && (!hasVersion || /^\d+$/.test(last))
    ? { id, version: hasVersion ? last : undefined }
    : undefined;
}

function saysFigshare(biblio: HtmlBiblio | undefined): boolean {
  return /\bfigshare\b/i.test(
    `${biblio?.siteName ?? ''} ${biblio?.meta['twitter:site']?.[0] ?? ''} ${biblio?.doi ?? ''}`,
  );
}
