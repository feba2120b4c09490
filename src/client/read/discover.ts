import { TidemarkError } from '../../core/errors.ts';
import { capabilityOf, type Document, linksOf } from './document.ts';
import { DocumentParser } from './document-parser.ts';
import { FetchFailure } from './fetcher.ts';
import { sitemapsInRobots } from './page-links.ts';
import { ReadFailure } from './read-failure.ts';
import { type ReadPage, readPage } from './read-page.ts';
import type { Reader } from './source-reader.ts';
import { unpacked, unpackedFile } from './unpacked.ts';

/** The address and capability of a list, an index or a dump. */
export interface NamedList {
  readonly loc: string;
  readonly capability: string;
}

/** The documents with which reading a source begins. */
export interface Start {
  /** The URI where the Source Description is, or should be. */
  readonly description: string;
  /** The Capability Lists to read; `all` for those of the Source Description. */
  readonly capabilityLists: readonly string[] | 'all';
  /** Read only these lists and dumps of the Capability Lists, instead of all. */
  readonly only: readonly NamedList[];
  /** Pages that may link to Capability Lists. */
  readonly pages: readonly ReadPage[];
  readonly sitemaps: readonly string[];
  /** Why the URL itself could not be read, when its server does not respond with 200. */
  readonly failure?: string | undefined;
  /** Why the URL itself is not a document; undefined when it is one. */
  readonly noDocument?: string | undefined;
}

/** A page may describe many resources. */
const MOST_DESCRIBED = 10;
const WELL_KNOWN = '/.well-known/resourcesync';

/**
 * Finds a source by any URL of it: a document, a page or resource that links to its Capability List, or a host.
 * @throws TidemarkError `unavailable` when the URL does not respond
 */
export async function discover(reader: Reader, url: string): Promise<Start> {
  const head = await tryHead(reader, url);
  if (typeof head !== 'string') return above(reader, head);
  const page = await readPage(reader, url);
  if (page.status === 0) {
    throw new TidemarkError('unavailable', `${url} cannot be read: ${page.failure}`, { url });
  }
  const { failure } = page;
  return { ...(await besides(reader, page)), failure, noDocument: failure ?? head };
}

/** Finds the Capability List and the Source Description of a document. */
async function above(reader: Reader, document: Document): Promise<Start> {
  const { uri } = document;
  const isList = !['description', 'capabilitylist'].includes(capabilityOf(document));
  const start = { only: [], pages: [] };
  if (capabilityOf(document) === 'description')
    return withRobots(reader, { ...start, description: uri, capabilityLists: 'all' });
  const list = isList ? await readUp(reader, document, 'capabilitylist') : document;
  const description = list === undefined ? undefined : await readUp(reader, list, 'description');
  return withRobots(reader, {
    ...start,
    description: description?.uri ?? new URL(WELL_KNOWN, uri).href,
    capabilityLists: list === undefined ? [] : [list.uri],
    only: isList ? [{ loc: uri, capability: capabilityOf(document) || 'resourcelist' }] : [],
  });
}

/** Finds a source by a page: the source at its address, Capability Lists that it links to, or lists in robots.txt. */
async function besides(reader: Reader, page: ReadPage): Promise<Start> {
  const { uri } = page;
  const advertised = [...new Set([...page.capabilityLists, ...(page.links.resourcesync ?? [])])];
  const linked = advertised.length > 0 ? advertised : await describedBy(reader, page);
  const isHome = new URL(uri).pathname === '/';
  if (linked.length > 0 && !isHome) return besidesLinks(reader, page, linked);
  const below = new URL(uri.replace(/[?#].*$/, '').replace(/\/?$/, WELL_KNOWN)).href;
  for (const candidate of new Set([below, new URL(WELL_KNOWN, uri).href])) {
    const head = await readHead(reader, candidate);
    if (head === undefined || capabilityOf(head) !== 'description') continue;
    return withRobots(reader, { description: candidate, capabilityLists: 'all', only: [], pages: [page] });
  }
  if (linked.length > 0) return besidesLinks(reader, page, linked);
  const start = { description: new URL(WELL_KNOWN, uri).href, capabilityLists: [], only: [], pages: [page] };
  const withSitemaps = await withRobots(reader, start);
  const [first] = withSitemaps.sitemaps;
  const head = first === undefined ? undefined : await readHead(reader, first);
  if (head === undefined) return withSitemaps;
  return {
    ...(await above(reader, head)),
    only: withSitemaps.sitemaps.map((loc) => ({ loc, capability: 'resourcelist' })),
    sitemaps: withSitemaps.sitemaps,
  };
}

/** The Capability Lists of sets that a page describes by its header Link. */
async function describedBy(reader: Reader, { links }: ReadPage): Promise<readonly string[]> {
  const found: string[] = [];
  for (const uri of new Set((links.describes ?? []).slice(0, MOST_DESCRIBED))) {
    const head = await readHead(reader, uri);
    if (head !== undefined && capabilityOf(head) === 'capabilitylist') found.push(uri);
  }
  return found;
}

async function besidesLinks(reader: Reader, page: ReadPage, linked: readonly string[]): Promise<Start> {
  const heads = (await Promise.all(linked.map((uri) => readHead(reader, uri)))).filter((head) => head !== undefined);
  const up = heads[0] === undefined ? undefined : upOf(heads[0]);
  const description = up ?? new URL(WELL_KNOWN, linked[0]!).href;
  return withRobots(reader, { description, capabilityLists: linked, only: [], pages: [page] });
}

async function withRobots(reader: Reader, start: Omit<Start, 'sitemaps'>): Promise<Start> {
  const { status, text } = await readPage(reader, new URL('/robots.txt', start.description).href);
  return { ...start, sitemaps: status === 200 ? sitemapsInRobots(text).slice(0, 100) : [] };
}

/** The URI above a document; undefined when it names none, or no URI. It should be absolute, but may not be. */
function upOf(document: Document): string | undefined {
  const [up] = linksOf(document, 'up');
  return up === undefined ? undefined : URL.parse(up, document.uri)?.href;
}

async function readUp(reader: Reader, document: Document, capability: string): Promise<Document | undefined> {
  const up = upOf(document);
  const head = up === undefined ? undefined : await readHead(reader, up);
  return head !== undefined && capabilityOf(head) === capability ? head : undefined;
}

/**
 * Reads a document up to its first entry. Returns undefined when it is neither a ResourceSync document nor a
 * sitemap.
 */
async function readHead(reader: Reader, uri: string): Promise<Document | undefined> {
  const head = await tryHead(reader, uri);
  return typeof head === 'string' ? undefined : head;
}

/** As readHead, but returns the reason when it is none. */
async function tryHead(reader: Reader, uri: string): Promise<Document | string> {
  const parser = new DocumentParser(uri);
  const decoder = new TextDecoder();
  let isUtf8 = true;
  try {
    const fetched = await reader.fetcher.get(uri, 'gzip', reader.signal);
    if (fetched.status !== 200 || /^text\/html/i.test(fetched.headers['content-type'] ?? '')) {
      fetched.discard();
      return fetched.status === 200 ? 'it is a page (text/html)' : `the server answers ${fetched.status}`;
    }
    const { documentBytes } = reader.limits;
    let isEnded = true;
    for await (const chunk of unpackedFile(unpacked(fetched, documentBytes), documentBytes)) {
      const text = decoder.decode(chunk, { stream: true });
      isUtf8 &&= !text.includes('\ufffd');
      if (parser.write(text).length === 0) continue;
      isEnded = false;
      break;
    }
    if (isEnded && !isDocument(parser)) parser.end();
  } catch (error) {
    reader.signal.throwIfAborted();
    if (error instanceof FetchFailure) return error.message;
    if (!(error instanceof ReadFailure)) throw error;
    if (!isDocument(parser)) return isUtf8 ? error.message : 'it is not encoded in UTF-8';
  }
  return isDocument(parser) ? parser.document : `its root element is ${parser.document.root.replace(/^\{\}/, '')}`;
}

const isDocument = ({ document }: DocumentParser) =>
  document.root === 'urlset' || document.root === 'sitemapindex' || document.extensions.length > 0;
