import { capabilityOf, type Document, isIndex, isNotification, linksOf } from '../../read/document.ts';
import { at, atEntry, lesser, ofDocuments, type Problems, type Rules, repeated, type Source, wrong } from './rule.ts';

const WITH_UP = [
  ...['resourcelist', 'changelist', 'resourcedump', 'changedump', 'resourcedump-manifest', 'changedump-manifest'],
  ...['resourcelist-archive', 'changelist-archive', 'resourcedump-archive', 'changedump-archive'],
];
const MOST_STEPS = 4;
const NONE: Problems = [];

const capabilityListsOf = ({ documents }: Source) =>
  [...documents.values()].filter((document) => capabilityOf(document) === 'capabilitylist');

/** The distinct descriptions: one document may have been read by two names of its host. */
const descriptionsOf = ({ documents }: Source): readonly Document[] => {
  const all = [...documents.values()].filter(
    (document) => capabilityOf(document) === 'description' && document.failure === undefined,
  );
  return [...new Map(all.map((document) => [document.entries.map(({ loc }) => loc).join(), document])).values()];
};

/** True also for a document whose server did not answer: nothing is known of it. */
const isOf = (source: Source, uri: string | undefined, capability: string) => {
  const document = source.documents.get(uri ?? '');
  return document !== undefined && (document.isUnanswered || document.md.capability === capability);
};

/** Sections C to E of the rules: navigation between documents, Source Descriptions and Capability Lists. */
export const NAVIGATION: Rules = {
  29: ofDocuments(['capabilitylist'], (document, source) => {
    const up = linksOf(document, 'up');
    return wrong(up.length !== 1 || !isOf(source, up[0], 'description'), () => upProblem(up, 'a Source Description'));
  }),
  30: ofDocuments(WITH_UP, (document, source) => {
    const up = linksOf(document, 'up');
    return wrong(up.length !== 1 || !isOf(source, up[0], 'capabilitylist'), () => upProblem(up, 'a Capability List'));
  }),
  31: {
    source: (source) => {
      const { description } = source;
      if (descriptionsOf(source).length === 0) {
        const { failure = 'there is none', isUnanswered = false } = source.documents.get(description) ?? {};
        if (isUnanswered) return NONE;
        return [{ document: description, message: `no Source Description: ${failure}` }];
      }
      return lesser(
        !description.endsWith('/.well-known/resourcesync'),
        'SHOULD',
        () => `the Source Description is at ${description}, not at /.well-known/resourcesync`,
      );
    },
  },
  32: { source: ({ pages }) => uncovered(pages, 'page') },
  33: { source: ({ pages }) => uncovered(pages, 'header') },
  34: {
    source: ({ sitemaps }) =>
      sitemaps
        .filter(({ failure }) => failure !== undefined)
        .map(({ uri, failure }) => ({
          document: uri,
          message: `robots.txt names it, but it cannot be read: ${failure}`,
        })),
  },
  35: {
    document: (document, source) => {
      let found: Document | undefined = document;
      for (let steps = 0; steps < MOST_STEPS && found !== undefined; steps++) {
        const capability = capabilityOf(found);
        if (capability === 'description' || found.isUnanswered) return NONE;
        const up = linksOf(found, 'up');
        // That is one fault, of the rules 29 and 30.
        if (up.length !== 1 && (capability === 'capabilitylist' || WITH_UP.includes(capability))) return NONE;
        found = source.documents.get(up[0] ?? '');
      }
      return ['following up does not lead to the Source Description'];
    },
  },
  36: {
    source: (source) => {
      const description = source.documents.get(source.description);
      if (description === undefined || description.failure !== undefined) return NONE;
      const is = description.md.capability === 'description';
      return wrong(!is, () => `${description.uri} has the capability ${description.md.capability}, not description`);
    },
  },
  37: ofDocuments(['description'], (document) =>
    wrong(linksOf(document, 'describedby').length === 0, () => 'it has no link with rel describedby'),
  ),
  38: {
    entry: ({ loc, md: { capability = 'capabilitylist' } }, { document }) => {
      if (capabilityOf(document) !== 'description' || isIndex(document)) return NONE;
      if (loc === '') return ['the entry has no loc'];
      if (capability === 'capabilitylist' || isNotification(capability)) return NONE;
      return [{ level: 'MUST', message: `the entry has the capability ${capability}, not capabilitylist` }];
    },
    source: (source) => {
      const lists = new Set(descriptionsOf(source).flatMap(({ entries }) => entries.map(({ loc }) => loc)));
      return descriptionsOf(source).length === 0
        ? NONE
        : capabilityListsOf(source)
            .filter(({ uri }) => !lists.has(uri))
            .map((list) => at(list, 'the Source Description has no entry for this Capability List'));
    },
  },
  39: ofDocuments(['description'], (document) =>
    isIndex(document)
      ? NONE
      : document.entries
          .filter((entry) => !isNotification(entry.md.capability) && linksOf(entry, 'describedby').length === 0)
          .map((entry) => atEntry(document, entry, `the set of ${entry.loc} has no link with rel describedby`)),
  ),
  40: ofDocuments(['description'], (document) => lastmods(document)),
  41: {
    source: (source) => {
      const all = descriptionsOf(source);
      const head = source.documents.get(source.description);
      return wrong(
        all.length > 1 && head !== undefined && !isIndex(head),
        () => `there are ${all.length} Source Descriptions without an index`,
      );
    },
  },
  42: ofDocuments(['description'], (document) =>
    wrong(linksOf(document, 'up').length > 0, () => 'it has a link with rel up'),
  ),
  43: {
    source: (source) =>
      descriptionsOf(source)
        .filter((description) => !isIndex(description))
        .flatMap((description) =>
          description.entries
            .filter(({ md }) => !isNotification(md.capability))
            .flatMap((entry) => {
              const list = source.documents.get(entry.loc);
              if (list === undefined || list.isUnanswered) return [];
              const problem = list.failure ?? capabilityListProblem(list);
              return problem === undefined
                ? []
                : [atEntry(description, entry, `${entry.loc} is not a Capability List: ${problem}`)];
            }),
        ),
  },
  44: ofDocuments(['capabilitylist'], (document) =>
    wrong(linksOf(document, 'describedby').length === 0, () => 'it has no link with rel describedby'),
  ),
  45: ofDocuments(['capabilitylist'], (document) =>
    document.entries
      .filter(({ loc, md }) => loc === '' || md.capability === undefined)
      .map((entry) => atEntry(document, entry, 'the entry has no loc or no capability')),
  ),
  46: ofDocuments(['capabilitylist'], (document) =>
    repeated(document.entries.map(({ md }) => md.capability ?? '')).map(
      (capability) => `several entries have the capability ${capability}`,
    ),
  ),
  47: {
    source: (source) => {
      const named = descriptionsOf(source).flatMap(({ entries }) => entries.map(({ loc }) => loc));
      const lists = capabilityListsOf(source).flatMap(({ entries }) => [...new Set(entries.map(({ loc }) => loc))]);
      return [
        ...repeated(named).map((uri) => `two sets have the Capability List ${uri}`),
        ...repeated(lists).map((uri) => `two sets have the list ${uri}`),
      ];
    },
  },
  49: ofDocuments(['capabilitylist'], (document) => lastmods(document)),
  50: ofDocuments(['capabilitylist'], (document) =>
    wrong(isIndex(document), () => 'it is an index of Capability Lists'),
  ),
};

const upProblem = (up: readonly string[], wanted: string) =>
  up.length === 1
    ? `its link with rel up leads to ${up[0]}, which is not ${wanted}`
    : `it has ${up.length} links with rel up`;

const lastmods = (document: Document): Problems =>
  document.entries
    .filter(({ lastmod }) => lastmod !== undefined)
    .slice(0, 1)
    .map((entry) => atEntry(document, entry, 'the entry has lastmod'));

const uncovered = (pages: Source['pages'], kind: 'page' | 'header'): Problems =>
  pages
    .filter(({ hasAdvertised, isCovered }) => hasAdvertised === kind && !isCovered)
    .map(({ uri, capabilityList }) => ({
      document: uri,
      level: 'MUST',
      message: `it links to ${capabilityList}, whose Resource List does not have it`,
    }));

const capabilityListProblem = (list: Document): string | undefined => {
  if (list.md.capability !== 'capabilitylist') return `its capability is ${list.md.capability}`;
  return list.root === 'urlset' ? undefined : `its root is ${list.root}`;
};
