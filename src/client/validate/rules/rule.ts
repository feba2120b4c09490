import { capabilityOf, type Document, type Entry, type Extension, isIndex } from '../../read/document.ts';
import type { Difference } from '../model/resource-table.ts';

export type Level = 'MUST' | 'SHOULD' | 'MAY' | 'note';

/** A problem whose place, level or document differs from that of the checked object. */
export interface Located {
  readonly message: string;
  /** The level of the finding, when it is not that of the rule. */
  readonly level?: Level;
  readonly document?: string;
  readonly line?: number;
}

export type Problem = string | Located;
export type Problems = readonly Problem[];

/** The context in which a rule checks an entry. */
export interface EntryContext {
  readonly document: Document;
  /** The previous entry of the same document. */
  readonly previous: Entry | undefined;
  /** Whether its Resource List has named the same `loc` before. */
  readonly isRepeated: boolean;
}

/** The response of a server to the request of a resource. */
export interface ResourceAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, without Content-Encoding. */
  readonly length: number;
  /** Hexadecimal digests by algorithm, for the algorithms of the entry. */
  readonly hashes: Readonly<Record<string, string>>;
  /** Why it could not be read completely. */
  readonly failure: string | undefined;
  /** Whether the response came from another URI, after a redirect. */
  readonly redirected: boolean;
  /** Whether the resource was modified after the time of the list. */
  readonly changedLater: boolean;
}

/** A list of a Capability List, or an index and its parts. */
export interface List {
  readonly capability: string;
  /** Undefined for a list that was found without a Capability List. */
  readonly capabilityList: Document | undefined;
  readonly head: Document;
  /** The list itself, or the parts of the index that were read, in order. */
  readonly parts: readonly Document[];
  /** For a Resource List: differences from the Change List of the set. */
  readonly differences: readonly (Difference & { readonly in: Document })[];
  /** For a Change List: the flat list of the last changes beside it, if there is one, and where the two differ. */
  readonly recent: Document | undefined;
  readonly contradictions: readonly Contradiction[];
}

/** A change that is missing in one of two lists of the same set, or differs there. */
export interface Contradiction {
  readonly kind: 'lacking' | 'different';
  readonly document: string;
  readonly line: number;
  readonly loc: string;
}

/** A package of a dump. */
export interface Package {
  readonly uri: string;
  /** The dump, and its entry for the package. */
  readonly dump: Document;
  readonly entry: Entry;
  /** Why it could not be read. */
  readonly failure: string | undefined;
  readonly length: number;
  readonly hashes: Readonly<Record<string, string>>;
  readonly isZip: boolean;
  /** Undefined when the package has none at its top level. */
  readonly manifest: Document | undefined;
  /** The separate manifest that the dump links to, if any. */
  readonly contents: Document | undefined;
  readonly bitstreams: readonly Bitstream[];
  /** Entries of the manifest that neither the Resource List nor the Change List contains. */
  readonly unknown: readonly Entry[];
}

/** A file of a package, by an entry of the manifest. */
export interface Bitstream {
  readonly entry: Entry;
  /** Undefined when the package has no such file, or when the file was not read. */
  readonly found: { readonly length: number; readonly hashes: Readonly<Record<string, string>> } | undefined;
  readonly isMissing: boolean;
}

/** A page, a resource or a topic that was requested, with the links of its HTML head and of its header `Link`. */
export interface Page {
  readonly uri: string;
  readonly status: number;
  readonly failure: string | undefined;
  readonly hasAdvertised: 'page' | 'header';
  /** The Capability List that it links to. */
  readonly capabilityList: string;
  /** Whether the Resource List of that Capability List contains it. */
  readonly isCovered: boolean;
}

/** An entry for a notification channel, and the response of its URI. */
export interface Channel {
  readonly entry: Entry;
  readonly document: Document;
  readonly topic: string;
  readonly failure: string | undefined;
  /** URIs in the header `Link`, by relation. */
  readonly links: Readonly<Record<string, readonly string[]>>;
}

/** A document that was requested with gzip and without. */
export interface TwoEncodings {
  readonly uri: string;
  readonly areEqual: boolean;
}

/** Everything that was read of a source. */
export interface Source {
  /** The URI where its Source Description is, or should be. */
  readonly description: string;
  readonly documents: ReadonlyMap<string, Document>;
  /** Whether all Capability Lists of the Source Description were read. */
  readonly isWhole: boolean;
  readonly lists: readonly List[];
  readonly pages: readonly Page[];
  readonly channels: readonly Channel[];
  readonly encodings: readonly TwoEncodings[];
  /** URIs of the `Sitemap:` lines in robots.txt. */
  readonly sitemaps: readonly { readonly uri: string; readonly failure: string | undefined }[];
  /** Links of entries to other entries (`describedby`, `describes`) that the set does not list. */
  readonly unlisted: readonly Located[];
  /** Whether its description names several sets. */
  readonly hasOtherSets: boolean;
  /** When reading began, milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * A rule of ResourceSync, as functions that return its violations. Each function is called for what its name says. A
 * finding is reported at that place, unless the problem has its own.
 */
export interface Rule {
  /** Checks each `url` and `sitemap`, as it is read. */
  readonly entry?: (entry: Entry, context: EntryContext) => Problems;
  /** Checks each `rs:md` and `rs:ln`, wherever it is. */
  readonly extension?: (extension: Extension, document: Document, entry: Entry | undefined) => Problems;
  /** Checks each document that could be read completely. */
  readonly document?: (document: Document, source: Source) => Problems;
  /** Checks each entry whose resource was requested, and should be as the entry says. */
  readonly answered?: (entry: Entry, answer: ResourceAnswer, document: Document) => Problems;
  readonly list?: (list: List, source: Source) => Problems;
  readonly package?: (read: Package, source: Source) => Problems;
  /** Called once, at the end. */
  readonly source?: (source: Source) => Problems;
}

export type Rules = Readonly<Record<number, Rule>>;

const NONE: Problems = [];

/** Returns a problem with this message if the condition holds. */
export const wrong = (is: boolean, message: () => string): Problems => (is ? [message()] : NONE);

/** As `wrong`, for a finding at a lower level than its rule. */
export const lesser = (is: boolean, level: Level, message: () => string): Problems =>
  is ? [{ level, message: message() }] : NONE;

/** Makes a problem of a document. */
export const at = ({ uri, mdLine }: Document, message: string): Located => ({ document: uri, line: mdLine, message });

/** Makes a problem of an entry. */
export const atEntry = ({ uri }: Document, { line }: Entry, message: string): Located => ({
  document: uri,
  line,
  message,
});

/** Makes a rule about documents with one of these capabilities. */
export const ofDocuments = (
  capabilities: readonly string[],
  check: (document: Document, source: Source) => Problems,
): Rule => ({
  document: (document, source) => (capabilities.includes(capabilityOf(document)) ? check(document, source) : NONE),
});

/** Makes a rule about entries of lists, not of indexes, with one of these capabilities. */
export const ofEntries = (
  capabilities: readonly string[],
  check: (entry: Entry, context: EntryContext) => Problems,
): Rule => ({
  entry: (entry, context) =>
    !isIndex(context.document) && capabilities.includes(capabilityOf(context.document)) ? check(entry, context) : NONE,
});

/** Makes a rule about the lists of Capability Lists, with one of these capabilities. */
export const ofLists = (capabilities: readonly string[], check: (list: List, source: Source) => Problems): Rule => ({
  list: (list, source) => (capabilities.includes(list.capability) ? check(list, source) : NONE),
});

/** Makes a rule about the packages of one kind of dump. */
export const ofPackages = (capability: string, check: (read: Package, source: Source) => Problems): Rule => ({
  package: (read, source) => (capabilityOf(read.dump) === capability ? check(read, source) : NONE),
});

/** The texts that occur more than once. */
export function repeated(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}

/** The entry of a document for this URI. */
export const entryOf = (document: Document, uri: string): Entry | undefined =>
  document.entries.find(({ loc }) => loc === uri);
