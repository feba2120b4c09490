import { type Document, type Entry, isIndex } from '../../read/document.ts';
import type { Reader } from '../../read/source-reader.ts';
import { DocumentFailure, readEntries } from './read-entries.ts';
import { timeOf } from './wanted-resource.ts';

export interface ListRead {
  /**
   * The list contains every change until this time, in microseconds since 1970; undefined when it does not state
   * it.
   */
  readonly at: number | undefined;
  /** When it was complete, in microseconds since 1970; undefined when it does not state it. */
  readonly completed: number | undefined;
}

/** An index may change while its pages are read. */
const ATTEMPTS = 3;

interface ListReading {
  readonly capability: 'resourcelist' | 'resourcedump';
  /** Called before the first entry, and again when the list is read again from the beginning. */
  readonly onStart: () => void;
  readonly onEntry: (entry: Entry) => void;
}

/**
 * Reads a Resource List or a Resource Dump, or all pages of its index.
 * @param uris one; several if the source has a list in parts without an index
 * @throws DocumentFailure when the list could not be read completely: then no missing resource may be deleted
 */
export async function readResourceList(
  reader: Reader,
  uris: readonly string[],
  reading: ListReading,
): Promise<ListRead> {
  for (let attempt = 1; ; attempt++) {
    try {
      reading.onStart();
      const [uri, ...others] = uris as readonly [string, ...string[]];
      if (others.length === 0) return await readOnce(reader, uri, reading);
      return await readParts(reader, uris, reading);
    } catch (error) {
      // A page was split, or a new history has begun: the current index has other names for its pages.
      const isOfIndex = error instanceof DocumentFailure && !uris.includes(error.uri) && error.isMissing;
      if (!isOfIndex || attempt === ATTEMPTS) throw error;
    }
  }
}

/** The parts together are only as recent as the oldest of them. */
async function readParts(reader: Reader, uris: readonly string[], reading: ListReading): Promise<ListRead> {
  const parts: ListRead[] = [];
  for (const uri of uris) parts.push(await readOnce(reader, uri, reading));
  return { at: earliest(parts.map(({ at }) => at)), completed: earliest(parts.map(({ completed }) => completed)) };
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === times.length ? Math.min(...known) : undefined;
}

async function readOnce(reader: Reader, uri: string, { capability, onEntry }: ListReading): Promise<ListRead> {
  const pages: string[] = [];
  const take = (entry: Entry, document: Document) => {
    if (leadsToPage(entry, document)) pages.push(entry.loc.trim());
    else onEntry(entry);
  };
  const read = await readEntries(reader, uri, take);
  requireList(read.document, capability);
  if (isIndex(read.document) && pages.length === 0) throw new DocumentFailure(uri, 'it is an index without lists');
  for (const page of new Set(pages)) {
    if (page === uri) throw new DocumentFailure(uri, 'it is an index that leads to itself');
    const { document } = await readEntries(reader, page, (entry, document) => {
      if (leadsToPage(entry, document))
        throw new DocumentFailure(page, 'it is an index, in the index that leads to it');
      onEntry(entry);
    });
    requireList(document, capability);
  }
  const { at, completed } = read.document.md;
  return { at: timeOf(at), completed: timeOf(completed) };
}

/** Some sources write `urlset` for an index, too. */
export function leadsToPage({ md }: Entry, document: Document): boolean {
  return isIndex(document) || (md.capability !== undefined && md.capability === document.md.capability);
}

/** A list of another kind must not be taken for a short one: what it lacks would be deleted. @throws DocumentFailure */
export function requireList(document: Document, capability: ListReading['capability']): void {
  requireRoot(document);
  const found = document.md.capability;
  if (found === undefined || found === capability) return;
  throw new DocumentFailure(document.uri, `it is not a ${capability}: its capability is ${found.slice(0, 100)}`);
}

/** A page for people, or an error page, must not be taken for an empty list. */
export function requireRoot({ uri, root }: Document): void {
  if (root === 'urlset' || root === 'sitemapindex') return;
  throw new DocumentFailure(uri, `it is not a list: its root is ${root.slice(0, 100)}`);
}
