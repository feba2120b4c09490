import { TidemarkError } from '../../core/errors.ts';
import { capabilityOf, type Document, linksOf } from '../model/document.ts';
import { DocumentParser, UnreadableDocument } from '../model/document-parser.ts';
import { FetchFailure } from './fetcher.ts';
import { sitemapsInRobots } from './page-links.ts';
import { type ReadPage, readPage } from './read-page.ts';
import type { Session } from './session.ts';
import { TooLarge, unpacked, unpackedFile } from './unpacked.ts';

/** A list, an index or a dump, and what it is. */
export interface NamedList {
  readonly loc: string;
  readonly capability: string;
}

/** What a validation begins with. */
export interface Start {
  /** Where the Source Description is, or should be. */
  readonly description: string;
  /** The Capability Lists to validate; `all` of the Source Description. */
  readonly capabilityLists: readonly string[] | 'all';
  /** Lists and dumps of these, instead of all that their Capability Lists name. */
  readonly only: readonly NamedList[];
  /** Pages that may link to Capability Lists. */
  readonly pages: readonly ReadPage[];
  readonly sitemaps: readonly string[];
}

/** A page may describe many things. */
const MOST_DESCRIBED = 10;
const WELL_KNOWN = '/.well-known/resourcesync';

/**
 * Finds a source by any URL of it: a document, a page or resource that links to its Capability List, or a host.
 * @throws TidemarkError `unavailable` when the URL does not answer
 */
export async function discover(session: Session, url: string): Promise<Start> {
  const head = await readHead(session, url);
  if (head !== undefined) return above(session, head);
  const page = await readPage(session, url);
  if (page.status === 0) {
    throw new TidemarkError('unavailable', `${url} cannot be read: ${page.failure}`, { url });
  }
  return besides(session, page);
}

/** What is above a document: its Capability List, and its Source Description. */
async function above(session: Session, document: Document): Promise<Start> {
  const { uri } = document;
  const isList = !['description', 'capabilitylist'].includes(capabilityOf(document));
  const start = { only: [], pages: [] };
  if (capabilityOf(document) === 'description')
    return withRobots(session, { ...start, description: uri, capabilityLists: 'all' });
  const list = isList ? await readUp(session, document, 'capabilitylist') : document;
  const description = list === undefined ? undefined : await readUp(session, list, 'description');
  return withRobots(session, {
    ...start,
    description: description?.uri ?? new URL(WELL_KNOWN, uri).href,
    capabilityLists: list === undefined ? [] : [list.uri],
    only: isList ? [{ loc: uri, capability: capabilityOf(document) || 'resourcelist' }] : [],
  });
}

/** What a page leads to: the source at its address, Capability Lists that it links to, or lists in robots.txt. */
async function besides(session: Session, page: ReadPage): Promise<Start> {
  const { uri } = page;
  const advertised = [...new Set([...page.capabilityLists, ...(page.links.resourcesync ?? [])])];
  const linked = advertised.length > 0 ? advertised : await describedBy(session, page);
  const isHome = new URL(uri).pathname === '/';
  if (linked.length > 0 && !isHome) return besidesLinks(session, page, linked);
  const below = new URL(uri.replace(/[?#].*$/, '').replace(/\/?$/, WELL_KNOWN)).href;
  for (const candidate of new Set([below, new URL(WELL_KNOWN, uri).href])) {
    const head = await readHead(session, candidate);
    if (head === undefined || capabilityOf(head) !== 'description') continue;
    return withRobots(session, { description: candidate, capabilityLists: 'all', only: [], pages: [page] });
  }
  if (linked.length > 0) return besidesLinks(session, page, linked);
  const start = { description: new URL(WELL_KNOWN, uri).href, capabilityLists: [], only: [], pages: [page] };
  const withSitemaps = await withRobots(session, start);
  const [first] = withSitemaps.sitemaps;
  const head = first === undefined ? undefined : await readHead(session, first);
  if (head === undefined) return withSitemaps;
  return {
    ...(await above(session, head)),
    only: withSitemaps.sitemaps.map((loc) => ({ loc, capability: 'resourcelist' })),
    sitemaps: withSitemaps.sitemaps,
  };
}

/** The Capability Lists of the sets that a page describes, by its header Link. */
async function describedBy(session: Session, { links }: ReadPage): Promise<readonly string[]> {
  const found: string[] = [];
  for (const uri of new Set((links.describes ?? []).slice(0, MOST_DESCRIBED))) {
    const head = await readHead(session, uri);
    if (head !== undefined && capabilityOf(head) === 'capabilitylist') found.push(uri);
  }
  return found;
}

async function besidesLinks(session: Session, page: ReadPage, linked: readonly string[]): Promise<Start> {
  const heads = (await Promise.all(linked.map((uri) => readHead(session, uri)))).filter((head) => head !== undefined);
  const up = heads[0] === undefined ? undefined : linksOf(heads[0], 'up')[0];
  const description = up ?? new URL(WELL_KNOWN, linked[0]!).href;
  return withRobots(session, { description, capabilityLists: linked, only: [], pages: [page] });
}

async function withRobots(session: Session, start: Omit<Start, 'sitemaps'>): Promise<Start> {
  const { status, text } = await readPage(session, new URL('/robots.txt', start.description).href);
  return { ...start, sitemaps: status === 200 ? sitemapsInRobots(text).slice(0, 100) : [] };
}

async function readUp(session: Session, document: Document, capability: string): Promise<Document | undefined> {
  const [up] = linksOf(document, 'up');
  const head = up === undefined ? undefined : await readHead(session, up);
  return head !== undefined && capabilityOf(head) === capability ? head : undefined;
}

/** Reads a document up to its first entry. Undefined when it is no document of ResourceSync, nor a sitemap. */
async function readHead(session: Session, uri: string): Promise<Document | undefined> {
  const parser = new DocumentParser(uri);
  const decoder = new TextDecoder();
  try {
    const fetched = await session.options.fetcher.get(uri, 'gzip', session.signal);
    if (fetched.status !== 200 || /^text\/html/i.test(fetched.headers['content-type'] ?? '')) {
      fetched.discard();
      return undefined;
    }
    const { documentBytes } = session.limits;
    for await (const chunk of unpackedFile(unpacked(fetched, documentBytes), documentBytes)) {
      if (parser.write(decoder.decode(chunk, { stream: true })).length > 0) break;
    }
  } catch (error) {
    session.signal.throwIfAborted();
    if (error instanceof UnreadableDocument || error instanceof TooLarge)
      return isDocument(parser) ? parser.document : undefined;
    if (!(error instanceof FetchFailure)) throw error;
    return undefined;
  }
  return isDocument(parser) ? parser.document : undefined;
}

const isDocument = ({ document }: DocumentParser) =>
  document.root === 'urlset' || document.root === 'sitemapindex' || document.extensions.length > 0;
