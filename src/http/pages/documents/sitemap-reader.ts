import { SaxesParser } from 'saxes';

const SITEMAP = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const RS = 'http://www.openarchives.org/rs/terms/';

type Attributes = Readonly<Record<string, string>>;

/** An entry: a resource, a change, or another document. */
export interface SitemapEntry {
  readonly loc: string;
  readonly lastmod: string | undefined;
  /** The attributes of rs:md. */
  readonly md: Attributes;
  /** The attributes of each rs:ln. */
  readonly links: readonly Attributes[];
}

/** A parsed document of ResourceSync. */
export interface Sitemap {
  readonly root: 'urlset' | 'sitemapindex';
  readonly md: Attributes;
  readonly links: readonly Attributes[];
  readonly entries: readonly SitemapEntry[];
}

type Draft = { loc: string; lastmod: string | undefined; md: Attributes; links: Attributes[] };

/** Parses a document. Throws when it is not well-formed. */
export function readSitemap(xml: string): Sitemap {
  const head: Draft = emptyDraft();
  const entries: Draft[] = [];
  let root = '';
  let text = '';
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    text = '';
    const current = entries.at(-1) ?? head;
    if (uri === RS && local === 'md') current.md = plain(attributes);
    if (uri === RS && local === 'ln') current.links.push(plain(attributes));
    if (uri !== SITEMAP) return;
    if (root === '') root = local;
    else if (local === 'url' || local === 'sitemap') entries.push(emptyDraft());
  });
  parser.on('text', (piece) => {
    text += piece;
  });
  parser.on('closetag', ({ uri, local }) => {
    const current = entries.at(-1);
    if (uri !== SITEMAP || current === undefined) return;
    if (local === 'loc') current.loc = text;
    if (local === 'lastmod') current.lastmod = text;
  });
  parser.write(xml).close();
  if (root !== 'urlset' && root !== 'sitemapindex') throw new Error(`a document with the root ${root}`);
  return { root, md: head.md, links: head.links, entries };
}

function emptyDraft(): Draft {
  return { loc: '', lastmod: undefined, md: {}, links: [] };
}

function plain(attributes: Readonly<Record<string, { readonly value: string }>>): Attributes {
  return Object.fromEntries(Object.entries(attributes).map(([name, { value }]) => [name, value]));
}
