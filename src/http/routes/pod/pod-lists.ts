import type { StreamDumpView } from '../../../api/stream-dump-view.ts';
import { escapeXml } from '../../../lib/escape-xml.ts';
import { currentDumps, filesInForm } from '../../../records/dumps/current-dumps.ts';

/**
 * The XML of the POD aggregator, as of July 2026: Resource Lists of whole files, an index of them with one for each
 * organization, and the Capability Lists above it. URIs of links are absolute; a time is a W3C datetime.
 */

/** The formats in which records are listed; the first one where the address names none. */
export const FLAVORS = ['marcxml', 'marc21'] as const;
export type Flavor = (typeof FLAVORS)[number];

interface Head {
  readonly root: 'urlset' | 'sitemapindex';
  readonly capability: 'capabilitylist' | 'resourcelist';
  readonly at?: string;
  readonly up: string;
  readonly index?: string;
}

export interface ListedList {
  readonly uri: string;
  readonly at: string;
}

export function capabilityList(list: string, up: string): string {
  const head = headOf({ root: 'urlset', capability: 'capabilitylist', up });
  return `${head}<url><loc>${escapeXml(list)}</loc><rs:md capability="resourcelist"/></url>\n</urlset>\n`;
}

/**
 * The index is as old as the oldest of its lists (ResourceSync 1.1, 10.2).
 * @param now the time of an index that lists nothing
 */
export function resourceListIndex(lists: readonly ListedList[], up: string, now: string): string {
  const at = lists.reduce((oldest, list) => (list.at < oldest ? list.at : oldest), now);
  const entries = lists.map(({ uri, at }) => `<sitemap><loc>${escapeXml(uri)}</loc><rs:md at="${at}"/></sitemap>\n`);
  const head = headOf({ root: 'sitemapindex', capability: 'resourcelist', at, up });
  return `${head}${entries.join('')}</sitemapindex>\n`;
}

interface NormalizedList extends Pick<Head, 'up' | 'index'> {
  readonly flavor: Flavor;
  /** Oldest first. */
  readonly dumps: readonly StreamDumpView[];
  /** When the set of dumps last changed. */
  readonly at: string;
}

/**
 * The last full dump whose files are published, the deltas after it, and of each delta the ids to delete behind its
 * records. `hash` has one digest: known clients read it as one.
 */
export function normalizedList({ flavor, dumps, at, ...links }: NormalizedList): string {
  const published = dumps.filter(({ files }) => files.every(({ uri }) => uri !== undefined));
  const entries = currentDumps(published).flatMap((dump) => filesInForm(dump, flavor).map((file) => entry(file, dump)));
  const head = headOf({ root: 'urlset', capability: 'resourcelist', at, ...links });
  return `${head}${entries.join('')}</urlset>\n`;
}

function entry(
  { uri = '', sha256, md5, length, type }: StreamDumpView['files'][number],
  { at }: Pick<StreamDumpView, 'at'>,
): string {
  const hash = md5 === undefined ? `sha-256:${sha256}` : `md5:${md5}`;
  // A client takes a text for ids to delete by its bare type.
  const [bareType] = type.split(';');
  const lastmod = `${at.slice(0, 19)}Z`;
  return `<url><loc>${escapeXml(uri)}</loc><lastmod>${lastmod}</lastmod><rs:md hash="${hash}" length="${length}" type="${bareType}"/></url>\n`;
}

function headOf({ root, capability, at, up, index }: Head): string {
  const links = Object.entries({ up, index }).flatMap(([rel, href]) =>
    href === undefined ? [] : `<rs:ln rel="${rel}" href="${escapeXml(href)}"/>\n`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    `<${root} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:rs="http://www.openarchives.org/rs/terms/">\n` +
    `${links.join('')}<rs:md capability="${capability}"${at === undefined ? '' : ` at="${at}"`}/>\n`
  );
}
