import type { ParsedDocument, XmlElement } from '../parse-document.ts';

/** What was read of a source: its documents, and what it answered. Rules judge this alone. */
export interface Source {
  /** Where its Source Description is. */
  readonly description: string;
  /** By URI. */
  readonly documents: ReadonlyMap<string, ParsedDocument>;
  /** By URI: of documents and resources, and of pages and robots.txt where they were asked for. */
  readonly answers: ReadonlyMap<string, Answer>;
  /** When reading began, milliseconds since 1970. */
  readonly readAt: number;
  /** The same source some time ago. */
  readonly before?: Source;
  /** What its owner knows, by the URI of each Capability List. */
  readonly truth: ReadonlyMap<string, Truth>;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** What came, unpacked, when gzip was asked for. */
  readonly unpacked?: Buffer;
}

export interface Truth {
  /** URIs of live resources. */
  readonly resources: readonly string[];
  /** What changed since the history of the set began, in order. */
  readonly changes: readonly TrueChange[];
  /** URIs of the resources that the set had when its history began, as it does after a move. */
  readonly before?: readonly string[];
}

export interface TrueChange {
  readonly uri: string;
  /** What the resource was after it; undefined when it was deleted. */
  readonly state: TrueState | undefined;
}

/** As the attributes of a document have it. */
export interface TrueState {
  readonly hash: string;
  readonly length: string;
  readonly type: string;
  readonly lastmod: string;
}

/** Returns what is wrong, nothing when the rule is kept. */
export type Rule = (source: Source) => readonly string[];

/** The rule holds for each document by itself. */
export function each(check: (document: ParsedDocument, source: Source) => readonly string[]): Rule {
  return (source) =>
    [...source.documents.values()].flatMap((document) =>
      check(document, source).map((message) => `${document.uri}: ${message}`),
    );
}

/** The rule holds for each document of a capability; `description`, `capabilitylist` and so on. */
export function eachOf(
  capability: string,
  check: (document: ParsedDocument, source: Source) => readonly string[],
): Rule {
  return each((document, source) => (capabilityOf(document) === capability ? check(document, source) : []));
}

/** The rule holds for each `url` and `sitemap`. */
export function eachEntry(check: (entry: XmlElement, document: ParsedDocument) => readonly string[]): Rule {
  return each((document) =>
    entriesOf(document).flatMap((entry) => check(entry, document).map((message) => `${locOf(entry)} ${message}`)),
  );
}

/** The rule holds for each rs:md and rs:ln, wherever it is. */
export function eachExtension(name: 'rs:md' | 'rs:ln', check: (element: XmlElement) => readonly string[]): Rule {
  return each(({ root }) =>
    everyElement(root)
      .filter((element) => element.name === name)
      .flatMap(check),
  );
}

/**
 * The rule holds for each entry that describes a resource as it is now, where the resource was read: an entry of a
 * Resource List, and the last change of a resource in each Change List.
 */
export function eachAnswered(
  check: (entry: XmlElement, answer: Answer, document: ParsedDocument) => readonly string[],
): Rule {
  return (source) => {
    const lastChanges = lastChangesOf(source);
    return eachEntry((entry, document) => {
      const answer = source.answers.get(locOf(entry));
      const { change, datetime } = md(entry);
      const isNow =
        capabilityOf(document) === 'resourcelist' ||
        (change !== undefined && change !== 'deleted' && datetime === lastChanges.get(locOf(entry)));
      return answer === undefined || isIndex(document) || !isNow ? [] : check(entry, answer, document);
    })(source);
  };
}

/** The datetime of the last change of each resource, by its URI. */
function lastChangesOf({ documents }: Source): ReadonlyMap<string, string> {
  const last = new Map<string, string>();
  for (const document of documents.values()) {
    if (capabilityOf(document) !== 'changelist' || isIndex(document)) continue;
    for (const entry of entriesOf(document)) {
      const { datetime = '' } = md(entry);
      if (datetime > (last.get(locOf(entry)) ?? '')) last.set(locOf(entry), datetime);
    }
  }
  return last;
}

/** The rule holds for what each Capability List leads to: a list, or an index and its parts. */
export function eachList(capability: string, check: (list: List, source: Source) => readonly string[]): Rule {
  return (source) => listsOf(source, capability).flatMap((list) => check(list, source));
}

export interface List {
  readonly capabilityList: ParsedDocument;
  readonly head: ParsedDocument;
  /** The list itself, or the parts of the index in its order. */
  readonly parts: readonly ParsedDocument[];
}

function listsOf(source: Source, capability: string): readonly List[] {
  return [...source.documents.values()]
    .filter((document) => capabilityOf(document) === 'capabilitylist')
    .flatMap((capabilityList) =>
      entriesOf(capabilityList)
        .filter((entry) => md(entry).capability === capability)
        .flatMap((entry) => source.documents.get(locOf(entry)) ?? [])
        .map((head) => ({ capabilityList, head, parts: isIndex(head) ? partsOf(source, head) : [head] })),
    );
}

export function partsOf(source: Source, index: ParsedDocument): readonly ParsedDocument[] {
  return entriesOf(index).flatMap((entry) => source.documents.get(locOf(entry)) ?? []);
}

export const isIndex = ({ root }: ParsedDocument): boolean => root.name === 'sitemapindex';

export const capabilityOf = ({ root }: ParsedDocument): string | undefined => md(root).capability;

export const entriesOf = ({ root }: ParsedDocument): readonly XmlElement[] =>
  root.children.filter(({ name }) => name === 'url' || name === 'sitemap');

export const named = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

export const md = (element: XmlElement): Readonly<Record<string, string>> =>
  named(element, 'rs:md')[0]?.attributes ?? {};

export const locOf = (entry: XmlElement): string => named(entry, 'loc')[0]?.text ?? '';

export const textOf = (entry: XmlElement, name: string): string | undefined => named(entry, name)[0]?.text;

/** Where the links of a relation lead. */
export const linksOf = (element: XmlElement, rel: string): readonly (string | undefined)[] =>
  named(element, 'rs:ln')
    .filter(({ attributes }) => attributes.rel === rel)
    .map(({ attributes }) => attributes.href);

export const everyElement = (element: XmlElement): readonly XmlElement[] => [
  element,
  ...element.children.flatMap(everyElement),
];

/** A message when something is wrong. */
export const wrong = (is: boolean, message: string): readonly string[] => (is ? [message] : []);

/** Texts that have appeared before. */
export function repeated(texts: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return texts.filter((text) => seen.size === seen.add(text).size);
}

export const datetimeOf = (entry: XmlElement): string => md(entry).datetime ?? '';

export const entriesOfAll = ({ parts }: List): readonly XmlElement[] => parts.flatMap(entriesOf);

export const hasLastmod = (entry: XmlElement): boolean => named(entry, 'lastmod').length > 0;

export const isAscending = (texts: readonly string[]): boolean =>
  texts.every((text, at) => at === 0 || texts[at - 1]! <= text);
