import { capabilityOf, type Document, type Entry, isIndex, linksOf } from '../../read/document.ts';
import { type Difference, ResourceTable } from '../model/resource-table.ts';
import type { List, Located } from '../rules/rule.ts';
import { instantOf } from '../rules/times.ts';
import { EntrySample } from './entry-sample.ts';
import { readDocument } from './read-document.ts';
import { RecentChanges } from './recent-changes.ts';
import type { Session } from './session.ts';

const MOST_DIFFERENCES = 1_000;
const MOST_LINKS = 1_000;
const MOST_UNREAD_PARTS = 20;
/** The flat list for clients that cannot read an index of Change Lists, if the source publishes one. */
const RECENT = 'changelist-recent.xml';

/** The documents of one set, for rules that concern several of them. */
export class SetReading {
  readonly capabilityList: Document | undefined;
  readonly table: ResourceTable;
  readonly lists: List[] = [];
  readonly listed: EntrySample;
  readonly changed: EntrySample;
  /** The documents of the table's entries, by number. */
  readonly #documents: Document[] = [];
  readonly #session: Session;
  readonly #recent = new RecentChanges();
  readonly #links: {
    readonly href: string;
    readonly rel: string;
    readonly document: Document;
    readonly line: number;
  }[] = [];

  constructor(session: Session, capabilityList: Document | undefined) {
    const { sample } = session.options;
    this.capabilityList = capabilityList;
    this.#session = session;
    this.table = new ResourceTable();
    this.listed = new EntrySample(sample === 'all' ? 0 : sample);
    this.changed = new EntrySample(sample === 'all' ? 1_000 : sample);
  }

  /**
   * Reads a Resource List. Read the Change List afterwards: it then has every change that is visible in the Resource
   * List.
   */
  async readResourceList(uri: string): Promise<void> {
    const capability = 'resourcelist';
    const { head, parts } = await this.#readList(uri, capability, (entry, document) => {
      this.listed.offer(entry, document, 0);
      this.#gatherLinks(entry, document);
      const place = { document: this.#numberOf(document), line: entry.line };
      return this.table.list(entry.loc, { hash: entry.md.hash, modified: instantOf(entry.lastmod), place });
    });
    this.#add({ capability, head, parts });
  }

  async readChangeList(uri: string): Promise<void> {
    const capability = 'changelist';
    const at = instantOf(this.#resourceList?.head.md.at);
    await this.#readRecent(uri);
    const { head, parts } = await this.#readList(uri, capability, (entry, document) => {
      const { hash, change, datetime } = entry.md;
      const place = { document: this.#numberOf(document), line: entry.line };
      // A change without a time may have been before or after.
      const isLater = !(instantOf(datetime) < at);
      this.table.change(entry.loc, { hash, isDeleted: change === 'deleted', isLater, place });
      if (change !== 'deleted') this.changed.offer(entry, document, place.document);
      this.#recent.compare(entry, document);
      return false;
    });
    const isWhole = [head, ...parts].every(({ failure }) => failure === undefined);
    const last = parts.at(-1) ?? head;
    const contradictions = isWhole ? this.#recent.contradictions(head.md.from, last.md.until) : [];
    this.#add({ capability, head, parts, contradictions });
  }

  /** Reads a dump, an archive, or any other document of a Capability List. */
  async readOther(uri: string, capability: string): Promise<List> {
    const { head, parts } = await this.#readList(uri, capability);
    return this.#add({ capability, head, parts });
  }

  /** Compares the Resource List with the state of each resource by the changes before its time. */
  compareLists(): void {
    const list = this.#resourceList;
    const changes = this.lists.find(({ capability }) => capability === 'changelist');
    if (list === undefined || changes === undefined) return;
    const isWhole = [list, changes].every(({ head, parts }) =>
      [head, ...parts].every(({ failure }) => failure === undefined),
    );
    const { until } = (changes.parts.at(-1) ?? changes.head).md;
    // A list that ended before does not cover the time until then.
    if (!isWhole || instantOf(until) < instantOf(list.head.md.at)) return;
    const found: (Difference & { in: Document })[] = [];
    for (const difference of this.table.differences(instantOf(changes.head.md.from))) {
      if (found.length >= MOST_DIFFERENCES) break;
      found.push({ ...difference, in: this.#documents[difference.document]! });
    }
    this.lists[this.lists.indexOf(list)] = { ...list, differences: found };
  }

  /** Links of entries to other entries that the set should list, but does not. */
  unlisted(): readonly Located[] {
    const isWhole = this.#resourceList?.parts.every(({ failure }) => failure === undefined) ?? false;
    if (!isWhole) return [];
    return this.#links
      .filter(({ href }) => !this.table.knows(href))
      .map(({ href, rel, document, line }) => ({
        document: document.uri,
        line,
        message: `the link with rel ${rel} leads to ${href}, of which the set has no entry`,
      }));
  }

  /** Whether Resource List and Change List together name every resource that the dump may contain. */
  knowsAll(dump: Document): boolean {
    const isRead = (list: List | undefined) =>
      list !== undefined && [list.head, ...list.parts].every(({ failure }) => failure === undefined);
    const changes = this.lists.find(({ capability }) => capability === 'changelist');
    if (!isRead(this.#resourceList)) return false;
    const [listed, dumped] = [instantOf(this.#resourceList!.head.md.at), instantOf(dump.md.at)];
    return listed === dumped || (isRead(changes) && instantOf(changes!.head.md.from) <= Math.min(listed, dumped));
  }

  get #resourceList(): List | undefined {
    return this.lists.find(({ capability }) => capability === 'resourcelist');
  }

  async #readRecent(uri: string): Promise<void> {
    // A relative address, which is a fault of its own, leads nowhere.
    const recent = URL.parse(RECENT, uri)?.href;
    if (recent === undefined || recent === uri) return;
    const document = await readDocument(this.#session, recent, {
      only: 'changelist',
      onEntry: (entry) => {
        this.#recent.add(entry);
        return undefined;
      },
    });
    // The list is optional: it is not a fault if it does not exist, or if another document is there.
    const isThere = document.root !== '' && capabilityOf(document) === 'changelist';
    if (isThere || document.isUnanswered) this.#recent.document = document;
    else this.#session.documents.delete(recent);
  }

  async #readList(uri: string, expected: string, onEntry?: (entry: Entry, document: Document) => boolean) {
    const ofList = (entry: Entry, document: Document) =>
      !isIndex(document) && capabilityOf(document) === expected && onEntry !== undefined
        ? onEntry(entry, document)
        : false;
    const read = (part: string) =>
      this.#session.documents.get(part) ?? readDocument(this.#session, part, { expected, onEntry: ofList });
    const head = await read(uri);
    if (!isIndex(head)) return { head, parts: [head] };
    const parts: Document[] = [];
    let unread = 0;
    const locs = new Set(head.entries.map(({ loc }) => loc));
    this.#session.expect(locs.size);
    for (const part of locs) {
      if (part === '') continue;
      parts.push(await read(part));
      if (parts.at(-1)!.failure !== undefined && ++unread === MOST_UNREAD_PARTS) {
        this.#session.incomplete.push(`${MOST_UNREAD_PARTS} parts of ${uri} cannot be read: no more were tried`);
        break;
      }
    }
    return { head, parts };
  }

  #numberOf(document: Document): number {
    if (this.#documents.at(-1) !== document) this.#documents.push(document);
    return this.#documents.length - 1;
  }

  #gatherLinks(entry: Entry, document: Document): void {
    if (entry.extensions.length < 2 || this.#links.length >= MOST_LINKS) return;
    for (const rel of ['describedby', 'describes']) {
      for (const href of linksOf(entry, rel)) this.#links.push({ href: copyOf(href), rel, document, line: entry.line });
    }
  }

  #add(list: Pick<List, 'capability' | 'head' | 'parts'> & { readonly contradictions?: List['contradictions'] }): List {
    const { capabilityList } = this;
    const recent = list.capability === 'changelist' ? this.#recent.document : undefined;
    const added = { capabilityList, recent, differences: [], contradictions: [], ...list };
    this.lists.push(added);
    return added;
  }
}

/** Copies a string: a substring of a document would keep a part of the document in memory. */
const copyOf = (text: string) => Buffer.from(text).toString();
