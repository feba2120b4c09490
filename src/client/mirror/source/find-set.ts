import { TidemarkError } from '../../../core/errors.ts';
import { discover } from '../../read/discover.ts';
import { type Entry, isIndex } from '../../read/document.ts';
import type { Reader } from '../../read/source-reader.ts';
import { adviceFor, CREDENTIAL_OPTIONS, DocumentFailure, readEntries } from '../lists/read-entries.ts';
import { requireList } from '../lists/read-resource-list.ts';

/** The documents of the set to copy. */
export interface MirroredSet {
  /** The Capability List; the Resource List if the source has no Capability List. */
  readonly uri: string;
  /** The Resource Lists. There are several if the source has its list in parts without an index. */
  readonly resourceLists: readonly string[];
  /** The Change List. Undefined also when there are several, because their order is unknown. */
  readonly changeList: string | undefined;
  readonly resourceDump: string | undefined;
  /** The ETag or Last-Modified of the document at `uri`. */
  readonly validator: string | undefined;
}

interface FoundSet extends MirroredSet {
  /** The Source Description, when the URL is neither the address of its source nor a document of it. */
  readonly source: string | undefined;
}

/**
 * Finds the set by any URL of its source.
 * @param name of the set, or a part of its URI; needed if the source has several
 * @param option of the command line that gives the name, for messages
 * @throws TidemarkError `invalid` when there is no such set, or several, and `unavailable` when the URL does not
 * respond
 */
export async function findSet(reader: Reader, url: string, name?: string, option = '--set'): Promise<FoundSet> {
  const start = await discover(reader, url);
  const lists = start.capabilityLists === 'all' ? await setsOf(reader, start.description) : start.capabilityLists;
  if (lists.length > 0) {
    const set = await readSet(reader, chosen(lists, { url, name, option }));
    const home = start.description.replace(/\.well-known\/resourcesync$/, '');
    const own = [start.description, home, home.replace(/\/$/, ''), set.uri, ...start.only.map(({ loc }) => loc)];
    return { ...set, source: own.includes(url) ? undefined : start.description };
  }
  const only = start.only.filter(({ capability }) => capability === 'resourcelist').map(({ loc }) => loc);
  if (only.length > 0) return { ...singleList(chosen(only, { url, name, option }), undefined), source: undefined };
  if (start.capabilityLists === 'all') {
    const message = `${start.description} names no set: a private one needs credentials (${CREDENTIAL_OPTIONS})`;
    throw new TidemarkError('invalid', message, { url });
  }
  const { failure, pages } = start;
  const reason = failure === undefined ? '' : ` (${failure}${adviceFor(pages[0]?.status ?? 0)})`;
  const message = `nothing of ResourceSync was found by ${url}${reason}: give the URL of a Source Description, a Capability List or a Resource List`;
  throw new TidemarkError('invalid', message, { url });
}

/**
 * Reads the documents that a Capability List names.
 * @throws DocumentFailure
 */
export async function readSet(reader: Reader, uri: string): Promise<MirroredSet> {
  return (await readSetSince(reader, uri, undefined))!;
}

/**
 * Reads the Capability List of a set again: it may name other lists now, such as a new Change List.
 * @throws DocumentFailure also when it is no Capability List any more: nothing may be deleted for that
 */
export async function readSetAgain(reader: Reader, before: MirroredSet): Promise<MirroredSet> {
  const { uri } = before;
  const set = (await readSetSince(reader, uri, before.validator)) ?? before;
  requireSameKind(set, before.resourceLists);
  return set;
}

/**
 * A page for people, or an empty document, must not be taken for a Resource List where the Capability List was.
 * @param listsBefore the Resource Lists that were read before
 * @throws DocumentFailure
 */
export function requireSameKind({ uri, resourceLists }: MirroredSet, listsBefore: readonly string[]): void {
  if (!resourceLists.includes(uri) || listsBefore.length === 0 || listsBefore.includes(uri)) return;
  throw new DocumentFailure(uri, 'it was a Capability List, and is none any more');
}

/** Returns undefined when the document has not changed. */
async function readSetSince(reader: Reader, uri: string, before: string | undefined): Promise<MirroredSet | undefined> {
  const found = new Map<string, readonly string[]>();
  const take = ({ loc, md: { capability } }: Entry) => {
    if (capability === undefined) return;
    found.set(capability, [...new Set([...(found.get(capability) ?? []), absolute(loc, uri)])]);
  };
  const read = await readEntries(reader, uri, take, before);
  if (read === undefined) return undefined;
  const { document, validator } = read;
  if (document.md.capability !== 'capabilitylist' && !found.has('resourcelist')) {
    requireList(document, 'resourcelist');
    return singleList(uri, validator);
  }
  const changeLists = found.get('changelist') ?? [];
  return {
    uri,
    resourceLists: found.get('resourcelist') ?? [],
    changeList: changeLists.length === 1 ? changeLists[0] : undefined,
    // Several dumps have the same bytes: one is enough.
    resourceDump: found.get('resourcedump')?.[0],
    validator,
  };
}

/** A source without a Capability List. */
const singleList = (uri: string, validator: string | undefined): MirroredSet => ({
  uri,
  resourceLists: [uri],
  changeList: undefined,
  resourceDump: undefined,
  validator,
});

/** The Capability Lists of a Source Description, or of all descriptions in an index. */
async function setsOf(reader: Reader, description: string): Promise<readonly string[]> {
  const found: string[] = [];
  const parts: string[] = [];
  const take = (base: string) => (entry: Entry, document: Parameters<typeof isIndex>[0]) => {
    const { loc, md } = entry;
    if (md.capability === 'description' || (isIndex(document) && md.capability === undefined)) {
      parts.push(absolute(loc, base));
    } else if (md.capability === undefined || md.capability === 'capabilitylist') found.push(absolute(loc, base));
  };
  await readEntries(reader, description, take(description));
  for (const part of parts.splice(0)) await readEntries(reader, part, take(part));
  return [...new Set(found)];
}

interface Choice {
  readonly url: string;
  readonly name: string | undefined;
  readonly option: string;
}

function chosen(lists: readonly string[], { url, name, option }: Choice): string {
  const matching = name === undefined ? lists : lists.filter((uri) => uri === name || partsOf(uri).includes(name));
  const [only, ...others] = matching;
  if (only !== undefined && others.length === 0) return only;
  const found = (matching.length > 0 ? matching : lists).slice(0, 50);
  const problem =
    name === undefined
      ? 'has several sets'
      : only === undefined
        ? `has no set "${name}" (a private one needs a token)`
        : `has several sets "${name}"`;
  throw new TidemarkError(
    'invalid',
    `${url} ${problem}: choose one with ${option}, by a part of its path or by its URL:\n${found.map((uri) => `  ${uri}`).join('\n')}`,
    { sets: found },
  );
}

/** Whether a name means a set: its URI, or a part of the path of its URI. */
export const isNamed = (uri: string, name: string): boolean => uri === name || partsOf(uri).includes(name);

const partsOf = (uri: string): readonly string[] =>
  (URL.canParse(uri) ? new URL(uri).pathname : uri).split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });

const absolute = (loc: string, base: string): string =>
  URL.canParse(loc.trim(), base) ? new URL(loc.trim(), base).href : loc.trim();
