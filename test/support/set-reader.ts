import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from './ask.ts';
import { type ParsedDocument, parseDocument, type XmlElement } from './parse-document.ts';

/**
 * Milliseconds that a document may be "being made" before it counts as missing: longer than a process is made to sleep.
 */
const TIMEOUT_MS = 120_000;

export interface ListedResource {
  readonly uri: string;
  readonly length: number | undefined;
}

export interface ListedChange extends ListedResource {
  readonly change: string;
  readonly datetime: string;
}

export interface ReadResourceList {
  readonly at: string;
  /** By URI, in the order of the documents. */
  readonly resources: ReadonlyMap<string, ListedResource>;
  readonly pages: number;
}

export interface ReadWindow {
  readonly uri: string;
  readonly from: string;
  /** Undefined while it is open. */
  readonly until: string | undefined;
  readonly changes: readonly ListedChange[];
}

/**
 * Reads the lists of one set as a harvester does, and checks what every document promises: it is whole, its stamps
 * ascend and are between its bounds, windows tile, and what was closed once never has other bytes.
 */
export class SetReader {
  readonly #setUrl: string;
  readonly #servers: readonly string[];
  #asked = 0;
  /** Digests of closed windows, by their URI. */
  readonly closed = new Map<string, string>();
  /** Every change that was ever listed, by its datetime. */
  readonly changes = new Map<string, ListedChange>();
  /** Milliseconds for which a document may be refused. */
  timeoutMs = TIMEOUT_MS;
  /** The ETag of each document, as it was last read. */
  readonly etags = new Map<string, string>();

  /**
   * @param setUrl as it is published, with a slash at its end
   * @param servers the origins to ask instead of the published one: each document is asked of another one, as behind a
   *   balancer
   */
  constructor(setUrl: string, ...servers: readonly string[]) {
    this.#setUrl = setUrl;
    this.#servers = servers.length > 0 ? servers : [new URL(setUrl).origin];
  }

  /** The whole Resource List: the index as it is now, and then each of its pages. */
  async resourceList(): Promise<ReadResourceList> {
    const list = await this.document('resourcelist.xml');
    const uris = partsOf(list);
    const resources = new Map<string, ListedResource>();
    for (const document of uris === undefined ? [list] : await this.#each(uris)) {
      for (const entry of childrenOf(document.root, 'url')) {
        const resource = toResource(entry);
        const second = `${resource.uri} is listed twice, the second time in ${document.uri} of the list of ${attributesOf(list).at}`;
        assert.ok(!resources.has(resource.uri), second);
        resources.set(resource.uri, resource);
      }
    }
    return { at: attributesOf(list).at!, resources, pages: uris?.length ?? 1 };
  }

  /**
   * The windows that may hold a change after a time, of which the first reaches back at least so far; all without one.
   */
  async changeWindows(after = ''): Promise<readonly ReadWindow[]> {
    const list = await this.document('changelist.xml');
    if (partsOf(list) === undefined) return [this.#toWindow(list)];
    const listed = childrenOf(list.root, 'sitemap').map((entry) => ({ uri: textOf(entry, 'loc'), ...mdOf(entry) }));
    assertTiled(listed, attributesOf(list).from);
    const windows: ReadWindow[] = [];
    for (const { uri, from, until } of listed) {
      if (until !== undefined && until <= after) continue;
      const document = await this.document(uri);
      const window = this.#toWindow(document);
      assert.equal(window.from, from, `${uri} does not begin where its index says`);
      if (until !== undefined) assert.equal(window.until, until, `${uri} does not end where its index says`);
      windows.push(window);
    }
    return windows;
  }

  /** One Change List. */
  async changeList(name: string): Promise<ReadWindow> {
    return this.#toWindow(await this.document(name));
  }

  /** One document, whole. It is asked for again while it is being made. */
  async document(name: string): Promise<ParsedDocument> {
    const uri = new URL(name, this.#setUrl);
    const timeout = AbortSignal.timeout(this.timeoutMs);
    for (;;) {
      const server = this.#servers[this.#asked++ % this.#servers.length];
      const { status, headers, bytes, text } = await ask(server + uri.pathname + uri.search);
      // 408: it slept since before the head of this request came.
      const isLater = status === 408 || (status === 503 && headers['retry-after'] !== undefined);
      if (isLater && !timeout.aborted) {
        await wait(50);
        continue;
      }
      assert.equal(status, 200, `${uri} on ${server}: ${text}`);
      assert.equal(String(bytes.length), headers['content-length'], `${uri} is not whole`);
      this.etags.set(uri.pathname, headers.etag!);
      return parseDocument(uri.href, text);
    }
  }

  /** Reads every window that was seen closed again: it has the bytes that it had. */
  async requireClosedUnchanged(): Promise<void> {
    for (const uri of [...this.closed.keys()]) this.#toWindow(await this.document(uri));
  }

  async #each(uris: readonly string[]): Promise<readonly ParsedDocument[]> {
    const documents: ParsedDocument[] = [];
    for (const uri of uris) documents.push(await this.document(uri));
    return documents;
  }

  #toWindow(document: ParsedDocument): ReadWindow {
    const { uri, root, text } = document;
    const { from, until } = attributesOf(document);
    const changes = childrenOf(root, 'url').map(toChange);
    let last = from!;
    for (const { datetime, uri: resource } of changes) {
      assert.ok(datetime > last, `${uri}: the change of ${resource} at ${datetime} comes after one of ${last}`);
      last = datetime;
    }
    for (const change of changes) {
      assert.deepEqual(
        change,
        this.changes.get(change.datetime) ?? change,
        `${uri} lists a change as it was not before`,
      );
      this.changes.set(change.datetime, change);
    }
    if (until !== undefined) {
      assert.ok(last < until, `${uri} has a change of ${last}, and ends at ${until}`);
      const digest = createHash('sha256').update(text).digest('hex');
      assert.equal(digest, this.closed.get(uri) ?? digest, `${uri} was closed, and has other bytes now`);
      this.closed.set(uri, digest);
    }
    return { uri, from: from!, until, changes };
  }
}

function assertTiled(windows: readonly { from?: string; until?: string }[], from: string | undefined): void {
  for (const [at, { until }] of windows.entries()) {
    assert.equal(until, windows[at + 1]?.from, 'a window ends where the next one begins, and the last one is open');
  }
  assert.equal(windows[0]?.from, from, 'the first window begins where the index does');
}

/** The URIs of an index's documents; undefined for a list. */
function partsOf({ root }: ParsedDocument): readonly string[] | undefined {
  if (root.name !== 'sitemapindex') return undefined;
  return childrenOf(root, 'sitemap').map((entry) => textOf(entry, 'loc'));
}

function toResource(entry: XmlElement): ListedResource {
  const { length } = mdOf(entry);
  return { uri: textOf(entry, 'loc'), length: length === undefined ? undefined : Number(length) };
}

function toChange(entry: XmlElement): ListedChange {
  const { change, datetime } = mdOf(entry);
  return { ...toResource(entry), change: change!, datetime: datetime! };
}

function attributesOf({ root }: ParsedDocument): Attributes {
  return mdOf(root);
}

type Attributes = Partial<Record<'at' | 'from' | 'until' | 'length' | 'change' | 'datetime', string>>;

function mdOf(element: XmlElement): Attributes {
  return childrenOf(element, 'rs:md')[0]?.attributes ?? {};
}

function textOf(element: XmlElement, name: string): string {
  return childrenOf(element, name)[0]!.text;
}

function childrenOf({ children }: XmlElement, name: string): readonly XmlElement[] {
  return children.filter((child) => child.name === name);
}
