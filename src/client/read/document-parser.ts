import { createHash, type Hash } from 'node:crypto';
import { SaxesParser, type SaxesTagNS } from 'saxes';
import {
  type Attributes,
  type Document,
  type Entry,
  type Extension,
  isListOfResources,
  NO_ATTRIBUTES,
} from './document.ts';
import { ReadFailure } from './read-failure.ts';
import { UsualEntries } from './usual-entries.ts';

const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';
const RESOURCESYNC = 'http://www.openarchives.org/rs/terms/';

/** Most characters of a tag or a text: saxes keeps them in memory until its end. */
const MOST_CHARACTERS_OF_A_TOKEN = 1_000_000;
const DEEPEST = 100;
const MOST_CHILDREN_OF_AN_ENTRY = 1_000;
const MOST_EXTENSIONS_OF_A_DOCUMENT = 1_000;
const MOST_CHARACTERS_OF_A_TEXT = 10_000;
const MOST_KEPT_ENTRIES = 50_000;
const MOST_OTHER_CHILDREN = 10;
/** The beginning of an entry that has more characters is not kept until the rest arrives. */
const MOST_KEPT_CHARACTERS = 8_000;
const END_OF_ENTRY = '</url>';

type Draft<Type> = { -readonly [Name in keyof Type]: Type[Name] };
type DraftEntry = Draft<Omit<Entry, 'attributesOf'>> & {
  readonly names: string[];
  readonly extensions: Extension[];
  attributesOf?: NonNullable<Entry['attributesOf']>;
};
type DraftDocument = Draft<Document> & {
  readonly extensions: Extension[];
  readonly entries: Entry[];
  readonly otherChildren: string[];
};

interface ParserOptions {
  /** Milliseconds since 1970. */
  readonly requestedAt?: number;
  /** Whether a manifest gets its digest, `content`, which takes a fifth of the time. */
  readonly digests?: boolean;
}

/** Thrown for a document that cannot be parsed, or that would need too much memory. */
export class UnreadableDocument extends ReadFailure {}

/**
 * Parses a document as it arrives. Memory does not grow with its length. Entities that it declares are not expanded,
 * and nothing that it refers to is loaded.
 */
export class DocumentParser {
  readonly document: DraftDocument;
  readonly #sax = new SaxesParser({ xmlns: true });
  readonly #content: Hash | undefined;
  #depth = 0;
  #entry: DraftEntry | undefined;
  #text = '';
  /** Positions in characters: of the end of the last tag, text or comment, and of the end of the input so far. */
  #lastToken = 0;
  #written = 0;
  #finished: Entry[] = [];
  /** Whether the prefixes are the usual ones, so that `UsualEntries` can read entries. */
  #hasUsualPrefixes = false;
  /** Where the last element below the root ended, in characters of what saxes was given. */
  #endOfChild = -1;
  /** The beginning of an entry, which saxes was not given yet. */
  #kept = '';

  constructor(uri: string, expected?: string, { requestedAt = Date.now(), digests = false }: ParserOptions = {}) {
    if (digests) this.#content = createHash('sha1');
    this.document = {
      uri,
      expected,
      requestedAt,
      failure: undefined,
      isUnanswered: false,
      root: '',
      attributes: NO_ATTRIBUTES,
      extensions: [],
      ...{
        misplaced: 0,
        otherChildren: [],
        md: NO_ATTRIBUTES,
        mdLine: 1,
        count: 0,
        entries: [],
        bytes: 0,
        content: '',
        firstTime: undefined,
        lastTime: undefined,
      },
    };
    this.#sax.on('error', (error) => {
      throw new UnreadableDocument(`it is not well-formed: ${error.message}`);
    });
    this.#sax.on('opentag', (tag) => this.#open(tag));
    this.#sax.on('text', (text) => this.#addText(text));
    this.#sax.on('cdata', (text) => this.#addText(text));
    this.#sax.on('comment', () => {
      this.#lastToken = this.#sax.position;
    });
    this.#sax.on('closetag', ({ uri: namespace, local }) => this.#close(nameOf(namespace, local)));
  }

  /**
   * Parses a piece of the text, and returns the entries that ended in it.
   * @throws UnreadableDocument
   */
  write(piece: string): readonly Entry[] {
    this.#finished = [];
    const text = this.#kept + piece;
    this.#kept = '';
    for (let at = 0; at < text.length; ) {
      if (this.#isBetweenChildren) at = this.#takeUsual(text, at);
      const end = text.indexOf(END_OF_ENTRY, at);
      if (end < 0 && this.#isBetweenChildren && isBeginOfEntry(text, at)) {
        this.#kept = text.slice(at);
        break;
      }
      const next = end < 0 ? text.length : end + END_OF_ENTRY.length;
      this.#parse(text.slice(at, next));
      at = next;
    }
    return this.#finished;
  }

  /** @throws UnreadableDocument when the document is not complete */
  end(): void {
    this.#parse(this.#kept);
    this.#sax.close();
    this.document.content = this.#content?.digest('hex') ?? '';
  }

  get #isBetweenChildren(): boolean {
    return this.#hasUsualPrefixes && this.#endOfChild === this.#written;
  }

  /** Takes entries of the usual form, of which saxes gets only the lines and columns. Returns where they end. */
  #takeUsual(text: string, from: number): number {
    const usual = new UsualEntries(text, from, { line: this.#sax.line, index: this.document.count });
    for (let entry = usual.next(); entry !== undefined; entry = usual.next()) this.#finish(entry);
    if (usual.end === from) return from;
    const lines = text.slice(from, usual.end).split('\n');
    this.#sax.line += lines.length - 1;
    this.#sax.column = (lines.length === 1 ? this.#sax.column : 0) + lines.at(-1)!.length;
    return usual.end;
  }

  #parse(text: string): void {
    this.#sax.write(text);
    this.#written += text.length;
    if (this.#written - this.#lastToken > MOST_CHARACTERS_OF_A_TOKEN) {
      throw new UnreadableDocument('a tag, an attribute or a text in it has more than a million characters');
    }
  }

  #open({ uri, local, attributes, ns }: SaxesTagNS): void {
    this.#lastToken = this.#sax.position;
    const depth = ++this.#depth;
    if (depth > DEEPEST) throw new UnreadableDocument(`its elements are nested more than ${DEEPEST} deep`);
    const name = nameOf(uri, local);
    this.#text = '';
    if (depth === 1) {
      this.document.root = name;
      this.document.attributes = plain(attributes);
      this.#hasUsualPrefixes = ns[''] === SITEMAPS && ns.rs === RESOURCESYNC;
    } else if (depth === 2) this.#openChild(name, attributes);
    else if (depth === 3 && this.#entry !== undefined) this.#openChildOfEntry(this.#entry, name, attributes);
  }

  #openChild(name: string, attributes: SaxesTagNS['attributes']): void {
    const { document } = this;
    if (name === 'url' || name === 'sitemap') {
      this.#entry = {
        line: this.#sax.line,
        index: document.count,
        attributes: plain(attributes),
        names: [],
        loc: '',
        lastmod: undefined,
        changefreq: undefined,
        extensions: [],
        md: NO_ATTRIBUTES,
      };
    } else if (isExtension(name)) {
      if (document.extensions.length >= MOST_EXTENSIONS_OF_A_DOCUMENT) {
        throw new UnreadableDocument(`it has more than ${MOST_EXTENSIONS_OF_A_DOCUMENT} rs:md and rs:ln of its own`);
      }
      const extension = { name, attributes: plain(attributes), line: this.#sax.line };
      if (name === 'rs:md' && !document.extensions.some((other) => other.name === name)) {
        document.md = extension.attributes;
        document.mdLine = extension.line;
      }
      document.extensions.push(extension);
      if (document.count > 0) document.misplaced++;
    } else if (document.otherChildren.length < MOST_OTHER_CHILDREN) document.otherChildren.push(name);
  }

  #openChildOfEntry(entry: DraftEntry, name: string, attributes: SaxesTagNS['attributes']): void {
    if (entry.names.length >= MOST_CHILDREN_OF_AN_ENTRY) {
      throw new UnreadableDocument(
        `the entry of line ${entry.line} has more than ${MOST_CHILDREN_OF_AN_ENTRY} elements`,
      );
    }
    if (isExtension(name)) {
      const extension = { name, attributes: plain(attributes), line: this.#sax.line };
      if (name === 'rs:md' && !entry.names.includes(name)) entry.md = extension.attributes;
      entry.extensions.push(extension);
    } else if (!/^(?:\{|rs:)/.test(name)) {
      const own = plain(attributes);
      if (own !== NO_ATTRIBUTES) entry.attributesOf = [...(entry.attributesOf ?? []), [name, own]];
    }
    entry.names.push(name);
  }

  #addText(text: string): void {
    this.#lastToken = this.#sax.position;
    if (this.#depth !== 3 || this.#entry === undefined) return;
    if (this.#text.length + text.length > MOST_CHARACTERS_OF_A_TEXT) {
      throw new UnreadableDocument(
        `a text of line ${this.#sax.line} has more than ${MOST_CHARACTERS_OF_A_TEXT} characters`,
      );
    }
    this.#text += text;
  }

  #close(name: string): void {
    this.#lastToken = this.#sax.position;
    const depth = this.#depth--;
    if (depth === 2) this.#endOfChild = this.#sax.position;
    const entry = this.#entry;
    if (entry === undefined) return;
    if (depth === 3) {
      if (name === 'loc' && entry.loc === '') entry.loc = this.#text;
      else if (name === 'lastmod') entry.lastmod ??= this.#text;
      else if (name === 'changefreq') entry.changefreq ??= this.#text;
    } else if (depth === 2) this.#finish(entry);
  }

  #finish(entry: Entry): void {
    const { document } = this;
    this.#entry = undefined;
    document.count++;
    document.firstTime ??= entry.md.datetime;
    document.lastTime = entry.md.datetime ?? document.lastTime;
    if (!isListOfResources(document) && document.entries.length < MOST_KEPT_ENTRIES) document.entries.push(entry);
    if (document.md.capability?.endsWith('-manifest')) this.#content?.update(JSON.stringify([entry.loc, entry.md]));
    this.#finished.push(entry);
  }
}

function nameOf(namespace: string, local: string): string {
  if (namespace === SITEMAPS) return local;
  if (namespace !== RESOURCESYNC) return `{${namespace}}${local}`;
  // Each entry has one or two of these. A concatenated string would have to be flattened before each comparison.
  return local === 'md' ? 'rs:md' : local === 'ln' ? 'rs:ln' : `rs:${local}`;
}

/** Whether the rest of a text is short, and may be the beginning of a `url` that does not end in it. */
function isBeginOfEntry(text: string, at: number): boolean {
  if (text.length - at > MOST_KEPT_CHARACTERS) return false;
  const rest = text.slice(at).trimStart();
  return rest.startsWith('<url>') ? !rest.includes('</url') : '<url>'.startsWith(rest);
}

const isExtension = (name: string): name is Extension['name'] => name === 'rs:md' || name === 'rs:ln';

function plain(attributes: SaxesTagNS['attributes']): Attributes {
  let result: Record<string, string> | undefined;
  for (const key in attributes) {
    const { uri, local, prefix, value } = attributes[key]!;
    if (prefix === 'xmlns' || local === 'xmlns') continue;
    result ??= Object.create(null) as Record<string, string>;
    result[uri === '' ? local : `{${uri}}${local}`] = value;
  }
  return result ?? NO_ATTRIBUTES;
}
