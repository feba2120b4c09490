import { createCB } from 'xmlbuilder2';
import type { XMLBuilderCB } from 'xmlbuilder2/lib/interfaces.js';
import { builderText } from './markup.ts';

export const SITEMAP_NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';
export const RS_NAMESPACE = 'http://www.openarchives.org/rs/terms/';

export const URLSET_END = '</urlset>\n';
export const SITEMAPINDEX_END = '</sitemapindex>\n';

/** Capabilities of documents that are published (ResourceSync 1.1, 7). */
export type Capability = 'description' | 'capabilitylist' | 'resourcelist' | 'changelist';

export interface DocumentHead {
  readonly root: 'urlset' | 'sitemapindex';
  /** Targets by relation, in the order in which they are written; an undefined one is left out. */
  readonly links: Readonly<Partial<Record<'describedby' | 'up' | 'index', string | undefined>>>;
  readonly md: { readonly capability: Capability } & Readonly<Record<string, string | undefined>>;
}

/** A document up to its first entry: its own links and metadata stand before all entries (ResourceSync 1.1, 7). */
export function documentHead(head: DocumentHead): string {
  return withDocument(head, () => undefined);
}

/** Begins a document, hands it over to be written on, and returns all that was written; the root is left open. */
export function withDocument({ root, links, md }: DocumentHead, write: (document: XMLBuilderCB) => void): string {
  let text = '';
  const document = createCB({
    prettyPrint: true,
    indent: '',
    data: (chunk: string) => {
      text += chunk;
    },
  });
  document.dec({ version: '1.0', encoding: 'UTF-8' }).ele(SITEMAP_NAMESPACE, root);
  document.att('http://www.w3.org/2000/xmlns/', 'xmlns:rs', RS_NAMESPACE);
  for (const [rel, href] of Object.entries(links)) {
    if (href !== undefined) document.ele('rs:ln', { rel, href: builderText(href) }).up();
  }
  document.ele('rs:md', present(md)).up();
  write(document);
  return `${text}\n`;
}

function present(attributes: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) all[name] = value;
  return all;
}
