/** Attributes by name; `{namespace}name` for one in a namespace. Namespace declarations are left out. */
export type Attributes = Readonly<Record<string, string>>;

/** An `rs:md` or `rs:ln` of a document or of an entry. */
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
   * The names of its children in order. The prefix `rs:` is for ResourceSync, `{namespace}` for any namespace other
   * than those of ResourceSync and Sitemaps.
   */
  readonly names: readonly string[];
  /** The first `loc`; empty when there is none. */
  readonly loc: string;
  readonly lastmod: string | undefined;
  readonly changefreq: string | undefined;
  readonly extensions: readonly Extension[];
  /** The attributes of the first `rs:md`. */
  readonly md: Attributes;
  /** The attributes of its elements of Sitemaps, of those that have some: none should. */
  readonly attributesOf?: readonly (readonly [name: string, attributes: Attributes])[];
}

/**
 * The properties of a document, while it is read and afterwards. Entries are kept only if they lead to other
 * documents.
 */
export interface Document {
  /** The requested URI, even if it was redirected. */
  readonly uri: string;
  /** The capability that the entry that led to it states. */
  readonly expected: string | undefined;
  /** Why it could not be read completely. */
  readonly failure: string | undefined;
  /** Whether nothing is known of it, since its server did not answer. */
  readonly isUnanswered: boolean;
  /** `urlset`, `sitemapindex`, or the name of another element; empty when nothing was read. */
  readonly root: string;
  readonly attributes: Attributes;
  /** All `rs:md` and `rs:ln` of the document itself, including those after its first entry. */
  readonly extensions: readonly Extension[];
  /** Number of its own `rs:md` and `rs:ln` after its first entry. */
  readonly misplaced: number;
  /** Names of its children that are neither entries nor extensions of ResourceSync, at most ten. */
  readonly otherChildren: readonly string[];
  /** The first `rs:md`. */
  readonly md: Attributes;
  readonly mdLine: number;
  /** Number of entries that were read. */
  readonly count: number;
  /** The first entries, up to a limit; empty for lists of resources and of changes. */
  readonly entries: readonly Entry[];
  /** The first and the last `datetime` of its entries. */
  readonly firstTime: string | undefined;
  readonly lastTime: string | undefined;
  /** Bytes, uncompressed. */
  readonly bytes: number;
  /** When it was requested, milliseconds since 1970. */
  readonly requestedAt: number;
  /** Of a manifest, if asked for: digest of the locations and `rs:md` of all entries, in order. */
  readonly content: string;
}

export const NO_ATTRIBUTES: Attributes = {};

export const isIndex = ({ root }: Pick<Document, 'root'>): boolean => root === 'sitemapindex';

/** The capability that the document states, otherwise the one that the entry that led to it states. */
export const capabilityOf = ({ md, expected }: Pick<Document, 'md' | 'expected'>): string =>
  md.capability ?? expected ?? '';

/** Whether a capability is that of a topic for notifications, which is not a document of the source. */
export const isNotification = (capability = ''): boolean => capability.includes('notification');

/** Targets of the links with a relation. */
export function linksOf({ extensions }: Pick<Document | Entry, 'extensions'>, rel: string): readonly string[] {
  return extensions
    .filter(({ name, attributes }) => name === 'rs:ln' && attributes.rel === rel)
    .map(({ attributes }) => attributes.href ?? '');
}

/** Whether a document is a `urlset` of resources or changes: its entries are many, and lead to no documents. */
export function isListOfResources(document: Pick<Document, 'root' | 'md' | 'expected'>): boolean {
  return !isIndex(document) && LISTS_OF_RESOURCES.has(capabilityOf(document));
}

const LISTS_OF_RESOURCES = new Set([
  'resourcelist',
  'changelist',
  'resourcedump-manifest',
  'changedump-manifest',
  // A sitemap without ResourceSync elements.
  '',
]);
