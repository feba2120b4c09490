import { hash } from 'node:crypto';
import { SAXParser, type StartTag, type Text } from 'parse5-sax-parser';
import { decodePage } from './decode-page.ts';
import { MOST_SIGNPOSTS, type Signpost, signpostsOf } from './signposts.ts';

export interface PageToRead {
  readonly url: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the header Content-Type. */
  readonly charset: string | undefined;
}

/** What a landing page says of itself. */
export interface ReadPage {
  /** 40 digits, of the bytes. */
  readonly sha1hex: string;
  /** Whether the end of the head was found. */
  readonly isHeadWhole: boolean;
  readonly title: string;
  readonly meta: Readonly<Record<string, readonly string[]>>;
  /** Links of the head. */
  readonly signposts: readonly Signpost[];
  readonly jsonLd: readonly string[];
  /** Objects in `jsonLd`. */
  readonly objects: number;
}

const MOST_NAMES = 200;
const MOST_VALUES = 200;
const LONGEST_NAME = 200;
const LONGEST_TEXT = 2_000;
const MOST_SCRIPTS = 50;

/** Reads a page; any bytes are one. It may take long for a page that is made for that: parse-html.ts limits it. */
export function readPage({ url, bytes, charset }: PageToRead): ReadPage {
  const reader = new PageReader(url);
  reader.read(decodePage(bytes, charset));
  return { sha1hex: hash('sha1', bytes), ...reader.found() };
}

class PageReader {
  #base: string;
  #hasBase = false;
  #isInHead = true;
  #title: string | undefined;
  /** The element whose text is collected. */
  #open: 'title' | 'script' | undefined;
  readonly #meta = new Map<string, string[]>();
  readonly #signposts: Signpost[] = [];
  readonly #jsonLd: string[] = [];

  constructor(url: string) {
    this.#base = url;
  }

  read(html: string): void {
    const parser = new SAXParser();
    parser.on('startTag', (tag) => this.#start(tag));
    parser.on('text', (text) => this.#text(text));
    parser.on('endTag', ({ tagName }) => {
      this.#open = undefined;
      if (tagName === 'head') this.#isInHead = false;
    });
    // Texts are parsed as they are written: all is found when this returns.
    parser.end(html);
  }

  found(): Omit<ReadPage, 'sha1hex'> {
    return {
      isHeadWhole: !this.#isInHead,
      title: cleaned(this.#title ?? ''),
      meta: Object.fromEntries(this.#meta),
      signposts: this.#signposts,
      jsonLd: this.#jsonLd,
      objects: this.#jsonLd.reduce((count, text) => count + text.split('{').length - 1, 0),
    };
  }

  #start({ tagName, attrs }: StartTag): void {
    this.#open = undefined;
    const attribute = (name: string) => attrs.find((each) => each.name === name)?.value;
    if (tagName === 'body') this.#isInHead = false;
    else if (tagName === 'script' && isJsonLd(attribute('type')) && this.#jsonLd.length < MOST_SCRIPTS) {
      this.#open = 'script';
    }
    if (!this.#isInHead) return;
    if (tagName === 'title' && this.#title === undefined) this.#open = 'title';
    else if (tagName === 'meta') this.#addMeta(attribute);
    else if (tagName === 'link') this.#addLink(attribute);
    else if (tagName === 'base') this.#setBase(attribute('href'));
  }

  #text({ text }: Text): void {
    if (this.#open === 'title') this.#title = text.slice(0, LONGEST_TEXT);
    else if (this.#open === 'script') this.#jsonLd.push(text);
  }

  #addMeta(attribute: (name: string) => string | undefined): void {
    if (attribute('http-equiv')?.trim().toLowerCase() === 'refresh') this.#addRefresh(attribute('content'));
    const name = (attribute('name') ?? attribute('property') ?? attribute('itemprop'))?.trim().toLowerCase() ?? '';
    const value = cleaned(attribute('content') ?? '');
    if (name === '' || name === '__proto__' || name.length > LONGEST_NAME || value === '') return;
    const values = this.#meta.get(name);
    if (values === undefined && this.#meta.size < MOST_NAMES) this.#meta.set(name, [value]);
    else if (values !== undefined && values.length < MOST_VALUES) values.push(value);
  }

  #addLink(attribute: (name: string) => string | undefined): void {
    const rels = (attribute('rel') ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, 20);
    const link = { href: attribute('href') ?? '', rels, type: attribute('type') };
    if (this.#signposts.length >= MOST_SIGNPOSTS || link.href === '') return;
    this.#signposts.push(...signpostsOf(link, { base: this.#base, from: 'html' }));
  }

  /** Where a page leads on by itself (HTML, 4.2.5.3), as a signpost of the relation `refresh`: it is not followed. */
  #addRefresh(content = ''): void {
    const [, href] = /^[\s\d.]*[;,]\s*(?:url\s*=\s*)?["']?([^"'\s]+)/i.exec(content) ?? [];
    if (href === undefined || this.#signposts.length >= MOST_SIGNPOSTS) return;
    const link = { href, rels: ['refresh'], type: undefined };
    this.#signposts.push(...signpostsOf(link, { base: this.#base, from: 'html' }));
  }

  /** Only the first one counts (HTML, 4.2.3). */
  #setBase(href: string | undefined): void {
    if (href === undefined || this.#hasBase) return;
    this.#hasBase = true;
    this.#base = URL.parse(href, this.#base)?.href ?? this.#base;
  }
}

const isJsonLd = (type = ''): boolean => /^\s*application\/ld\+json\s*(?:;|$)/i.test(type);

/** A text in one line, without control characters. */
const cleaned = (text: string): string =>
  text
    .slice(0, LONGEST_TEXT)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .toWellFormed();
