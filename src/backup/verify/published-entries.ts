import type { Change, ChangeKind } from '../../core/change.ts';
import { keyOfUri, URI_LENGTH, unfetchable, uriOf } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import { formatStamp, type Stamp } from '../../core/stamp.ts';
import { unescapeXml } from '../../lib/escape-xml.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { DifferenceList } from './differences.ts';

/** The URIs of the entries of a document, in order. */
export function* locsOf(text: string, element: 'url' | 'sitemap'): Iterable<string> {
  for (const [, loc] of text.matchAll(new RegExp(`<${element}><loc>([^<]*)</loc>`, 'g'))) yield unescapeXml(loc!);
}

export interface EntriesInput {
  readonly set: ResourceSet;
  readonly index: Pick<ResourceStates, 'read' | 'lookup'> & Pick<ChangeLog, 'changes'>;
  readonly differences: DifferenceList;
  /** The watermark before the first document was read: a list may or may not contain later changes. */
  readonly start: Stamp;
}

/** Steps through a sequence to compare it with another one. */
class Cursor<Item> {
  readonly #items: AsyncIterator<readonly Item[]>;
  #batch: readonly Item[] = [];
  #at = 0;

  constructor(batches: AsyncIterable<readonly Item[]>) {
    this.#items = batches[Symbol.asyncIterator]();
  }

  async peek(): Promise<Item | undefined> {
    while (this.#at === this.#batch.length) {
      const { done, value } = await this.#items.next();
      if (done) return undefined;
      this.#batch = value;
      this.#at = 0;
    }
    return this.#batch[this.#at];
  }

  skip(): void {
    this.#at += 1;
  }
}

/**
 * Compares the entries of all pages, in the order of the index, with the state: each resource must be listed exactly
 * once.
 */
export class PublishedResources {
  readonly #input: EntriesInput;
  readonly #state: Cursor<Resource>;
  #last = '';
  count = 0;

  constructor(input: EntriesInput) {
    this.#input = input;
    this.#state = new Cursor(input.index.read(input.set.id, {}));
  }

  async take(document: string, text: string): Promise<void> {
    const { differences } = this.#input;
    for (const uri of locsOf(text, 'url')) {
      this.count += 1;
      const problem = uriProblem(uri);
      if (problem !== undefined) differences.add({ kind: 'uri', document, message: `${uri} ${problem}` });
      await this.#takeUri(document, uri);
    }
  }

  async end(): Promise<void> {
    for (let next = await this.#state.peek(); next !== undefined; next = await this.#state.peek()) this.#missing(next);
  }

  async #takeUri(document: string, uri: string): Promise<void> {
    const { urlPrefix } = this.#input.set;
    const key = keyOfUri(urlPrefix, uri) ?? uri;
    for (let next = await this.#state.peek(); next !== undefined; next = await this.#state.peek()) {
      if (uriOf(urlPrefix, next.key) === uri) {
        this.#state.skip();
        this.#last = next.key;
        return;
      }
      if (next.key > key) break;
      this.#missing(next);
    }
    const [known] = await this.#input.index.lookup(this.#input.set.id, [key]);
    if (known !== undefined && known.stamp >= this.#input.start) return;
    const what = key <= this.#last ? 'is listed twice, or behind greater ones' : 'is listed, and is not in the state';
    this.#input.differences.add({ kind: 'extra', document, key, message: `${uri} ${what}` });
  }

  #missing({ key, stamp }: Resource): void {
    this.#state.skip();
    if (stamp >= this.#input.start) return;
    this.#input.differences.add({
      kind: 'missing',
      key,
      message: 'is in the state, and in no page of the Resource List',
    });
  }
}

/** Compares the entries of all windows with the changes in the log, one by one. */
export class PublishedChanges {
  readonly #input: EntriesInput;
  readonly #log: Cursor<Change>;
  count = 0;

  /** @param after the boundary at which the list begins */
  constructor(input: EntriesInput, after: Stamp) {
    this.#input = input;
    this.#log = new Cursor(input.index.changes(input.set.id, { after }));
  }

  async take(document: string, text: string): Promise<void> {
    const { set, differences, start } = this.#input;
    for (const entry of text.matchAll(CHANGE)) {
      this.count += 1;
      const [, loc = '', kind = '', datetime = ''] = entry;
      const listed = { uri: unescapeXml(loc), kind: kind as ChangeKind, datetime };
      await this.#missingBefore(datetime);
      const next = await this.#log.peek();
      if (next !== undefined && isSame(listed, next, set)) this.#log.skip();
      else if (datetime < formatStamp(start))
        differences.add({ kind: 'extra', document, message: `${describe(listed)} is listed, and is not in the log` });
    }
  }

  async end(): Promise<void> {
    await this.#missingBefore('~');
  }

  async #missingBefore(datetime: string): Promise<void> {
    const { start, differences } = this.#input;
    for (let next = await this.#log.peek(); next !== undefined; next = await this.#log.peek()) {
      const { key, kind, stamp } = next;
      if (formatStamp(stamp) >= datetime) return;
      this.#log.skip();
      if (stamp >= start) continue;
      const message = `its change of ${formatStamp(stamp)} (${kind}) is in the log, and in no Change List`;
      differences.add({ kind: 'missing', key, message });
    }
  }
}

const CHANGE = /<url><loc>([^<]*)<\/loc>(?:<lastmod>[^<]*<\/lastmod>)?<rs:md change="([^"]*)" datetime="([^"]*)"/g;

interface ListedChange {
  readonly uri: string;
  readonly kind: ChangeKind;
  readonly datetime: string;
}

function isSame({ uri, kind, datetime }: ListedChange, change: Change, { urlPrefix }: ResourceSet): boolean {
  return datetime === formatStamp(change.stamp) && kind === change.kind && uri === uriOf(urlPrefix, change.key);
}

function describe({ uri, kind, datetime }: ListedChange): string {
  return `the change of ${uri} of ${datetime} (${kind})`;
}

function uriProblem(uri: string): string | undefined {
  if (unfetchable(uri) !== undefined) return 'is not an http or https URI without a fragment: no client can fetch it';
  if (uri.length > URI_LENGTH.most) return `has ${uri.length} characters; a list may have 2,048`;
  return uri.length < URI_LENGTH.least ? `has ${uri.length} characters; a list needs 12` : undefined;
}
