/** By name; `{namespace}name` for one in a namespace. Declarations of namespaces are left out. */
export type Attributes = Readonly<Record<string, string>>;

/** An `rs:md` or `rs:ln`, of a document or of an entry. */
export interface Extension {
  readonly name: 'rs:md' | 'rs:ln';
  readonly attributes: Attributes;
  readonly line: number;
}

/** A `url` or `sitemap` of a document. */
export interface Entry {
  /** The line of its start tag, from 1. */
  readonly line: number;
  /** Its position among the entries of the document, from 0. */
  readonly index: number;
  readonly attributes: Attributes;
  /**
   * The names of its children, in their order: `rs:` is the prefix of ResourceSync, `{namespace}` that of any namespace
   * other than those of ResourceSync and Sitemaps.
   */
  readonly names: readonly string[];
  /** Of the first `loc`; empty when there is none. */
  readonly loc: string;
  readonly lastmod: string | undefined;
  readonly changefreq: string | undefined;
  readonly extensions: readonly Extension[];
  /** The attributes of the first `rs:md`. */
  readonly md: Attributes;
}

/** What is known of a document while it is read, and after. Entries are kept where they lead to other documents. */
export interface Document {
  /** Where it was requested, whatever redirects said. */
  readonly uri: string;
  /** The capability that the entry that led to it promised. */
  readonly expected: string | undefined;
  /** Why it could not be read, or not to its end. */
  readonly failure: string | undefined;
  /** `urlset`, `sitemapindex`, or the name of another element; empty when nothing was read. */
  readonly root: string;
  readonly attributes: Attributes;
  /** The `rs:md` and `rs:ln` of the document itself, those behind its first entry included. */
  readonly extensions: readonly Extension[];
  /** How many of its own `rs:md` and `rs:ln` came behind its first entry. */
  readonly misplaced: number;
  /** Names of its children that are neither entries nor extensions of ResourceSync, at most ten. */
  readonly otherChildren: readonly string[];
  /** The first `rs:md`. */
  readonly md: Attributes;
  readonly mdLine: number;
  /** How many entries were read. */
  readonly count: number;
  /** At most as many as a document may have; empty for lists of resources and of changes. */
  readonly entries: readonly Entry[];
  /** The first and the last `datetime` of its entries. */
  readonly firstTime: string | undefined;
  readonly lastTime: string | undefined;
  /** Uncompressed. */
  readonly bytes: number;
  /** When it was requested, milliseconds since 1970. */
  readonly requestedAt: number;
  /** Digest of the locations and `rs:md` of all entries, in their order. */
  readonly content: string;
}

export const NO_ATTRIBUTES: Attributes = {};

export const isIndex = ({ root }: Pick<Document, 'root'>): boolean => root === 'sitemapindex';

/** What the document says of itself, else what led to it. */
export const capabilityOf = ({ md, expected }: Pick<Document, 'md' | 'expected'>): string =>
  md.capability ?? expected ?? '';

/** Where the links of a relation lead. */
export function linksOf({ extensions }: Pick<Document | Entry, 'extensions'>, rel: string): readonly string[] {
  return extensions
    .filter(({ name, attributes }) => name === 'rs:ln' && attributes.rel === rel)
    .map(({ attributes }) => attributes.href ?? '');
}

/** `urlset` of resources or changes: of these, entries are many, and lead to no documents. */
export function isListOfResources(document: Pick<Document, 'root' | 'md' | 'expected'>): boolean {
  return !isIndex(document) && LISTS_OF_RESOURCES.has(capabilityOf(document));
}

const LISTS_OF_RESOURCES = new Set([
  'resourcelist',
  'changelist',
  'resourcedump-manifest',
  'changedump-manifest',
  // A sitemap that says nothing of ResourceSync.
  '',
]);
