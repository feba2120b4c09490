import { capabilityOf, type Document, type Entry, type Extension, isIndex } from '../../read/document.ts';
import type { Difference } from '../model/resource-table.ts';

export type Level = 'MUST' | 'SHOULD' | 'MAY' | 'note';

/** What breaks a rule, where it is something else than the rule's hook was called for. */
export interface Located {
  readonly message: string;
  /** Of the finding, when it weighs less than the rule. */
  readonly level?: Level;
  readonly document?: string;
  readonly line?: number;
}

export type Problem = string | Located;
export type Problems = readonly Problem[];

/** What a rule can know of an entry besides itself. */
export interface EntryContext {
  readonly document: Document;
  /** The entry before it in the same document. */
  readonly previous: Entry | undefined;
  /** Whether the Resource List that it belongs to has listed its `loc` before. */
  readonly isRepeated: boolean;
}

/** What a server answered for a resource. */
export interface ResourceAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of the bytes, without Content-Encoding. */
  readonly length: number;
  /** Hexadecimal digests by algorithm, of those that the entry gives. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Why it could not be read, or not to its end. */
  readonly failure: string | undefined;
  /** Whether it was answered at another address, after a redirect. */
  readonly redirected: boolean;
  /** Whether it was modified after the list says what it was. */
  readonly changedLater: boolean;
}

/** What a Capability List leads to: a list, or an index and its parts. */
export interface List {
  readonly capability: string;
  /** Undefined for a list that was found without one. */
  readonly capabilityList: Document | undefined;
  readonly head: Document;
  /** The list itself, or what was read of the parts of the index, in its order. */
  readonly parts: readonly Document[];
  /** Of a Resource List: where it differs from the Change List of the set. */
  readonly differences: readonly (Difference & { readonly in: Document })[];
  /** Of a Change List: the flat list of the last changes beside it, when there is one, and where both differ. */
  readonly recent: Document | undefined;
  readonly contradictions: readonly Contradiction[];
}

/** A change that one of two lists of the same set lacks, or describes otherwise. */
export interface Contradiction {
  readonly kind: 'lacking' | 'different';
  readonly document: string;
  readonly line: number;
  readonly loc: string;
}

/** A package of a dump. */
export interface Package {
  readonly uri: string;
  /** The dump, and its entry that names the package. */
  readonly dump: Document;
  readonly entry: Entry;
  /** Why it could not be read. */
  readonly failure: string | undefined;
  readonly length: number;
  readonly hashes: Readonly<Record<string, string>>;
  readonly isZip: boolean;
  /** Undefined when there is none at the top level. */
  readonly manifest: Document | undefined;
  /** The copy that the dump links to, when it does. */
  readonly contents: Document | undefined;
  readonly bitstreams: readonly Bitstream[];
  /** Locations of entries of the manifest, of which neither the Resource List nor the Change List knows. */
  readonly unknown: readonly Entry[];
}

/** What an entry of a manifest names in its package. */
export interface Bitstream {
  readonly entry: Entry;
  /** Undefined when the package has no such file, or when it was not read. */
  readonly found: { readonly length: number; readonly hashes: Readonly<Record<string, string>> } | undefined;
  readonly isMissing: boolean;
}

/** A page, a resource or a topic that was requested, with the links of its head and of its header `Link`. */
export interface Page {
  readonly uri: string;
  readonly status: number;
  readonly failure: string | undefined;
  readonly hasAdvertised: 'page' | 'header';
  /** The Capability List that it links to. */
  readonly capabilityList: string;
  /** Whether the Resource List of that Capability List has it. */
  readonly isCovered: boolean;
}

/** What the entry of a notification channel leads to. */
export interface Channel {
  readonly entry: Entry;
  readonly document: Document;
  readonly topic: string;
  readonly failure: string | undefined;
  /** Of the header `Link`, by relation. */
  readonly links: Readonly<Record<string, readonly string[]>>;
}

/** A document that came with gzip, and without. */
export interface TwoEncodings {
  readonly uri: string;
  readonly areEqual: boolean;
}

/** Everything that was read of a source. */
export interface Source {
  /** Where its Source Description is, or would be. */
  readonly description: string;
  readonly documents: ReadonlyMap<string, Document>;
  /** Whether all Capability Lists of the Source Description were read. */
  readonly isWhole: boolean;
  readonly lists: readonly List[];
  readonly pages: readonly Page[];
  readonly channels: readonly Channel[];
  readonly encodings: readonly TwoEncodings[];
  /** URIs that `Sitemap:` lines of robots.txt name. */
  readonly sitemaps: readonly { readonly uri: string; readonly failure: string | undefined }[];
  /** Links of entries to other entries (`describedby`, `describes`), where the set does not list what they name. */
  readonly unlisted: readonly Located[];
  /** When reading began, milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * A rule of ResourceSync, as functions that return what breaks it. Each is called for what its name says; a finding is
 * reported where that is, unless the problem has a place of its own.
 */
export interface Rule {
  /** Each `url` and `sitemap`, as it is read. */
  readonly entry?: (entry: Entry, context: EntryContext) => Problems;
  /** Each `rs:md` and `rs:ln`, wherever it is. */
  readonly extension?: (extension: Extension, document: Document, entry: Entry | undefined) => Problems;
  /** Each document that could be read to its end. */
  readonly document?: (document: Document, source: Source) => Problems;
  /** Each entry whose resource was requested, and is expected to be as the entry says. */
  readonly answered?: (entry: Entry, answer: ResourceAnswer, document: Document) => Problems;
  readonly list?: (list: List, source: Source) => Problems;
  readonly package?: (read: Package, source: Source) => Problems;
  /** Once, at the end. */
  readonly source?: (source: Source) => Problems;
}

export type Rules = Readonly<Record<number, Rule>>;

const NONE: Problems = [];

/** A message when something is wrong. */
export const wrong = (is: boolean, message: () => string): Problems => (is ? [message()] : NONE);

/** The same for a finding that weighs less than its rule. */
export const lesser = (is: boolean, level: Level, message: () => string): Problems =>
  is ? [{ level, message: message() }] : NONE;

/** A problem of a document. */
export const at = ({ uri, mdLine }: Document, message: string): Located => ({ document: uri, line: mdLine, message });

/** A problem of an entry of a document. */
export const atEntry = ({ uri }: Document, { line }: Entry, message: string): Located => ({
  ...{ document: uri, line },
  message,
});

/** A rule about documents of some capabilities. */
export const ofDocuments = (
  capabilities: readonly string[],
  check: (document: Document, source: Source) => Problems,
): Rule => ({
  document: (document, source) => (capabilities.includes(capabilityOf(document)) ? check(document, source) : NONE),
});

/** A rule about entries of lists, not of their indexes, of some capabilities. */
export const ofEntries = (
  capabilities: readonly string[],
  check: (entry: Entry, context: EntryContext) => Problems,
): Rule => ({
  entry: (entry, context) =>
    !isIndex(context.document) && capabilities.includes(capabilityOf(context.document)) ? check(entry, context) : NONE,
});

/** A rule about the lists that Capability Lists lead to, of some capabilities. */
export const ofLists = (capabilities: readonly string[], check: (list: List, source: Source) => Problems): Rule => ({
  list: (list, source) => (capabilities.includes(list.capability) ? check(list, source) : NONE),
});

/** A rule about packages of a kind of dump. */
export const ofPackages = (capability: string, check: (read: Package, source: Source) => Problems): Rule => ({
  package: (read, source) => (capabilityOf(read.dump) === capability ? check(read, source) : NONE),
});

/** Texts that have appeared before. */
export function repeated(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}

/** The entry of another document that names this one. */
export const entryOf = (document: Document, uri: string): Entry | undefined =>
  document.entries.find(({ loc }) => loc === uri);
