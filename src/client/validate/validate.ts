import { discover, type NamedList, type Start } from '../read/discover.ts';
import { capabilityOf, type Document, isIndex, isNotification, linksOf } from '../read/document.ts';
import { readPage } from '../read/read-page.ts';
import { checkEncodings } from './read/check-encodings.ts';
import { checkResources } from './read/check-resources.ts';
import { type Advertised, coverageOf } from './read/coverage.ts';
import { readDocument } from './read/read-document.ts';
import { readPackage } from './read/read-package.ts';
import { SetReading } from './read/read-set.ts';
import { LimitReached, Session, type ValidateOptions } from './read/session.ts';
import type { Report } from './report.ts';
import type { Channel, List, Located, Package, Source } from './rules/rule.ts';

const MOST_PAGES = 20;
const MOST_ABOVE = 20;
/** The order in which lists are read: see SetReading. */
const ORDER = ['resourcelist', 'changelist'];

/** What was read of a source besides its documents. */
interface Gathered {
  readonly lists: List[];
  readonly packages: Package[];
  readonly advertised: Advertised[];
  readonly unlisted: Located[];
  /** The number of sets that the Source Description names. */
  sets: number;
}

/**
 * Reads a source, from any URL of it, and checks it by the rules of ResourceSync.
 * @throws TidemarkError `unavailable` when the URL does not respond
 */
export async function validate(url: string, options: ValidateOptions): Promise<Report> {
  const session = new Session(options);
  try {
    const start = await discover(session, url);
    if (isNothing(start)) session.incomplete.push(nothingAt(url, start, options));
    const gathered: Gathered = { lists: [], packages: [], advertised: [], unlisted: [], sets: 0 };
    try {
      await readSource(session, start, gathered);
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      session.incomplete.push(error.message);
      session.isOver = true;
    }
    const source = await sourceOf(session, start, gathered);
    check(session, source, gathered);
    const { log, counts } = session;
    const { description, failure } = start;
    const hasDescription = isRead(session.documents.get(description));
    const found = { description, hasDescription, ...(failure !== undefined && { failure }) };
    const documents = options.isAlone ? 1 : counts.documents;
    const incomplete = session.allIncomplete();
    return { url, ...found, ...counts, documents, incomplete, findings: log.findings, broken: log.broken };
  } finally {
    session.close();
  }
}

const isRead = (document?: Document) => document !== undefined && (document.root === 'urlset' || isIndex(document));

const isNothing = ({ capabilityLists, only }: Start) => capabilityLists.length === 0 && only.length === 0;

const nothingAt = (url: string, { noDocument }: Start, { isAlone }: ValidateOptions) =>
  isAlone
    ? `${url} is neither a ResourceSync document nor a sitemap (${noDocument})`
    : `nothing of ResourceSync was found by ${url}, which is neither a ResourceSync document nor a sitemap (${noDocument}), ` +
      'and links to no Capability List; its host has no Source Description, and names no sitemap in robots.txt';

async function readSource(session: Session, start: Start, gathered: Gathered): Promise<void> {
  const descriptions = await readDescriptions(session, start.description);
  const all = descriptions.flatMap(({ entries }) => entries.filter(({ md }) => !isNotification(md.capability)));
  gathered.sets = all.length;
  const lists = start.capabilityLists === 'all' ? all.map(({ loc }) => loc) : start.capabilityLists;
  session.expect(new Set(lists).size);
  for (const uri of new Set(lists)) {
    if (uri === '' || session.documents.has(uri)) continue;
    const capabilityList = await readDocument(session, uri, { expected: 'capabilitylist' });
    const named = start.only.length > 0 ? start.only : listsOf(capabilityList);
    await readSet(session, { capabilityList, named }, gathered);
  }
  if (lists.length === 0) await readSet(session, { capabilityList: undefined, named: start.only }, gathered);
  await readAbove(session);
}

/** Reads the Source Description, or all of its index. */
async function readDescriptions(session: Session, uri: string): Promise<readonly Document[]> {
  session.expect(1);
  const head = await readDocument(session, uri, { expected: 'description' });
  if (!isIndex(head)) return [head];
  const parts: Document[] = [];
  for (const part of new Set(head.entries.map(({ loc }) => loc))) {
    if (part !== uri) parts.push(await readDocument(session, part, { expected: 'description' }));
  }
  return parts;
}

const listsOf = (capabilityList: Document): readonly NamedList[] =>
  capabilityList.entries
    .filter(({ loc, md }) => loc !== '' && !isNotification(md.capability))
    .map(({ loc, md: { capability = '' } }) => ({ loc, capability }));

interface SetToRead {
  readonly capabilityList: Document | undefined;
  readonly named: readonly NamedList[];
}

async function readSet(session: Session, { capabilityList, named }: SetToRead, gathered: Gathered): Promise<void> {
  const set = new SetReading(session, capabilityList);
  session.expect(named.length);
  const inOrder = named.toSorted((one, other) => rankOf(one.capability) - rankOf(other.capability));
  for (const { loc, capability } of inOrder) {
    if (session.documents.has(loc)) continue;
    if (capability === 'resourcelist') await set.readResourceList(loc);
    else if (capability === 'changelist') await set.readChangeList(loc);
    else await readOther(session, set, { loc, capability }, gathered);
  }
  set.compareLists();
  gathered.lists.push(...set.lists);
  gathered.unlisted.push(...set.unlisted());
  if (session.options.sample !== 0) gathered.advertised.push(...(await checkResources(session, set)));
}

const rankOf = (capability: string) => (ORDER.includes(capability) ? ORDER.indexOf(capability) : ORDER.length);

/** Reads a dump with some of its packages, or all; or any other document. */
async function readOther(
  session: Session,
  set: SetReading,
  { loc, capability }: { readonly loc: string; readonly capability: string },
  gathered: Gathered,
): Promise<void> {
  const list = await set.readOther(loc, capability);
  if (capability !== 'resourcedump' && capability !== 'changedump') return;
  const packages = list.parts.flatMap((dump) => dump.entries.map((entry) => ({ dump, entry })));
  const chosen = spread(packages, session.options.sample);
  session.expect(chosen.length);
  for (const { dump, entry } of chosen) {
    const read = entry.loc === '' ? undefined : await readPackage(session, set, dump, entry);
    if (read !== undefined) gathered.packages.push(read);
  }
}

/** At most this number of items, evenly spread, including the first and the last one. */
function spread<Item>(items: readonly Item[], most: number | 'all'): readonly Item[] {
  if (most === 'all' || items.length <= most) return items;
  const step = (items.length - 1) / Math.max(1, most - 1);
  return Array.from({ length: most }, (_, number) => items[Math.round(number * step)]!);
}

/** Reads the targets of links with rel `up` that were not read yet: rules check what they are. */
async function readAbove(session: Session): Promise<void> {
  const ups = [...session.documents.values()].flatMap((document) => linksOf(document, 'up'));
  const unread = [...new Set(ups)].filter((uri) => !session.documents.has(uri) && URL.canParse(uri));
  for (const uri of unread.slice(0, MOST_ABOVE)) await readDocument(session, uri);
}

/**
 * Gathers everything that rules about the whole source need. After a limit was reached, what was read before is
 * checked.
 */
async function sourceOf(session: Session, start: Start, gathered: Gathered): Promise<Source> {
  const { lists, advertised, unlisted, sets } = gathered;
  const { documents, startedAt } = session;
  const source = { description: start.description, documents, isWhole: start.capabilityLists === 'all', startedAt };
  const known = { ...source, lists, unlisted, hasOtherSets: sets > 1 };
  if (session.isOver) return { ...known, pages: [], channels: [], encodings: [], sitemaps: [] };
  const onPages = await pagesOf(session, start);
  return {
    ...known,
    pages: await coverageOf(session, [...advertised, ...onPages]),
    channels: await channelsOf(session),
    encodings: await checkEncodings(session),
    sitemaps: await sitemapsOf(session, start),
  };
}

/** Reads pages about the source and its sets, with the Capability Lists that they link to. */
async function pagesOf(session: Session, { description, pages }: Start): Promise<readonly Advertised[]> {
  const home = description.replace(/\.well-known\/resourcesync$/, '');
  const described = [...session.documents.values()]
    .filter((document) => ['description', 'capabilitylist'].includes(capabilityOf(document)))
    .flatMap((document) => linksOf(document, 'describedby'));
  const known = new Set(pages.map(({ uri }) => uri));
  const others = [...new Set([...(home === description ? [] : [home]), ...described])].filter((uri) => !known.has(uri));
  const read = [...pages];
  for (const uri of others.slice(0, MOST_PAGES)) read.push(await readPage(session, uri));
  return read.flatMap(({ uri, capabilityLists, links }) => [
    ...[...new Set(capabilityLists)].map((capabilityList) => ({ uri, hasAdvertised: 'page' as const, capabilityList })),
    ...(links.resourcesync ?? []).map((capabilityList) => ({ uri, hasAdvertised: 'header' as const, capabilityList })),
  ]);
}

async function sitemapsOf(session: Session, { sitemaps }: Start): Promise<Source['sitemaps']> {
  const read: { uri: string; failure: string | undefined }[] = [];
  for (const uri of sitemaps.slice(0, MOST_PAGES)) {
    const { failure, isUnanswered } = session.documents.get(uri) ?? (await readPage(session, uri));
    if (isUnanswered) session.addUnanswered(uri, failure!);
    else read.push({ uri, failure });
  }
  return read;
}

async function channelsOf(session: Session): Promise<readonly Channel[]> {
  const entries = [...session.documents.values()].flatMap((document) =>
    document.entries
      .filter(({ loc, md }) => loc !== '' && isNotification(md.capability))
      .map((entry) => ({ document, entry })),
  );
  const channels: Channel[] = [];
  for (const { document, entry } of entries.slice(0, MOST_PAGES)) {
    const { failure, links, isUnanswered } = await readPage(session, entry.loc);
    if (isUnanswered) session.addUnanswered(entry.loc, failure!);
    else channels.push({ document, entry, topic: entry.loc, failure, links });
  }
  return channels;
}

function check({ checker, documents, options }: Session, source: Source, { packages }: Gathered): void {
  for (const document of documents.values()) if (document.failure === undefined) checker.document(document, source);
  for (const list of source.lists) checker.list(list, source);
  for (const read of packages) checker.package(read, source);
  // A single file is not a source.
  if (!options.isAlone) checker.source(source);
}
