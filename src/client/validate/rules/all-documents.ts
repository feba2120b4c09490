import { parseRelation } from '../../../core/link-relations.ts';
import { type Attributes, capabilityOf, isIndex } from '../../read/document.ts';
import { at, atEntry, type Problems, type Rules, wrong } from './rule.ts';
import { datetimeKind } from './times.ts';

const RS = '{http://www.openarchives.org/rs/terms/}';
const LISTS = ['resourcelist', 'resourcedump', 'changelist', 'changedump'];
const CAPABILITIES = new Set([
  ...['description', 'capabilitylist', 'resourcedump-manifest', 'changedump-manifest'],
  ...LISTS,
  ...LISTS.map((list) => `${list}-archive`),
]);
const FREQUENCIES = new Set(['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never']);
const TIMES = ['at', 'completed', 'from', 'until', 'datetime', 'modified'];
const ATTRIBUTES: Readonly<Record<string, ReadonlySet<string>>> = {
  'rs:md': new Set([...TIMES, 'capability', 'change', 'encoding', 'hash', 'length', 'path', 'type']),
  'rs:ln': new Set(['rel', 'href', 'pri', 'modified', 'encoding', 'hash', 'length', 'path', 'type']),
  ...Object.fromEntries(
    ['urlset', 'sitemapindex', 'loc', 'lastmod', 'changefreq', 'priority'].map((name) => [name, new Set()]),
  ),
};
/** The order of the elements of an entry; those of other namespaces may be anywhere after `loc`. */
const RANKS: Readonly<Record<string, number>> = {
  loc: 1,
  lastmod: 2,
  changefreq: 3,
  priority: 4,
  'rs:md': 5,
  'rs:ln': 6,
};
const ABSOLUTE_URI = /^[a-z][a-z0-9+.-]*:[^\s<>"]+$/i;
export const MOST_ENTRIES = 50_000;
export const MOST_BYTES = 52_428_800;

const NONE: Problems = [];

function isOrdered(names: readonly string[]): boolean {
  let highest = 0;
  for (const name of names) {
    const rank = RANKS[name] ?? (name.startsWith('{') ? highest : -1);
    if (rank < highest) return false;
    highest = rank;
  }
  return true;
}

const foreignAttributes = (name: string, attributes: Attributes): Problems => {
  const known = ATTRIBUTES[name];
  const wrongOnes = Object.keys(attributes).filter(
    (attribute) =>
      attribute.startsWith(RS) || (known !== undefined && !attribute.startsWith('{') && !known.has(attribute)),
  );
  return wrongOnes.length === 0 ? NONE : wrongOnes.map((attribute) => `${name} has the attribute ${attribute}`);
};

const isUnknownExtension = (name: string) => name.startsWith('{') && /\}(?:md|ln)$/.test(name);

/** `at` and `completed` belong to lists of resources, `from` and `until` to lists of changes. */
const foreignTimes = (capability: string, attributes: Attributes): readonly string[] => {
  const [family] = capability.split('-');
  const isOfResources = family === 'resourcelist' || family === 'resourcedump';
  const isOfChanges = family === 'changelist' || family === 'changedump';
  const isForeign = (name: string) =>
    ((name === 'at' || name === 'completed') && !isOfResources) ||
    ((name === 'from' || name === 'until') && !isOfChanges);
  return Object.keys(attributes).filter(isForeign);
};

/** Sections A and B of the rules: form and size of every document. */
export const ALL_DOCUMENTS: Rules = {
  1: {
    document: (document) => [
      ...wrong(document.root !== 'urlset' && document.root !== 'sitemapindex', () => `the root is ${document.root}`),
      ...document.otherChildren.filter(isUnknownExtension).map((name) => `${name} is not an element of ResourceSync`),
    ],
    entry: ({ names }) =>
      names.some(isUnknownExtension) ? ['an rs:md or rs:ln is of another namespace than that of ResourceSync'] : NONE,
  },
  2: {
    document: (document) => {
      const count = document.extensions.filter(({ name }) => name === 'rs:md').length;
      if (count !== 1) return [`${count} rs:md below the root, not one`];
      return wrong(document.md.capability === undefined, () => 'its rs:md has no capability');
    },
  },
  3: {
    document: ({ md: { capability } }) =>
      wrong(capability !== undefined && !CAPABILITIES.has(capability), () => `there is no capability ${capability}`),
    list: ({ head, parts }) =>
      isIndex(head)
        ? parts
            .filter((part) => part.failure === undefined && capabilityOf(part) !== capabilityOf(head))
            .map((part) =>
              at(part, `the capability is ${part.md.capability}, and that of its index ${head.md.capability}`),
            )
        : NONE,
  },
  4: {
    document: ({ root, attributes }) => foreignAttributes(root, attributes),
    extension: ({ name, attributes }) => foreignAttributes(name, attributes),
    entry: ({ attributes, attributesOf }) => {
      const own = foreignAttributes('url', attributes);
      if (attributesOf === undefined) return own;
      return [...own, ...attributesOf.flatMap(([name, found]) => foreignAttributes(name, found))];
    },
  },
  5: {
    entry: ({ names, attributes }) => {
      if (names[0] !== 'loc' || names.lastIndexOf('loc') > 0) {
        const count = names.filter((name) => name === 'loc').length;
        if (count !== 1) return [`the entry has ${count} loc, not one`];
      }
      return wrong(Object.keys(attributes).length > 0, () => 'the entry has attributes');
    },
  },
  6: {
    entry: ({ names }) =>
      wrong(names.indexOf('rs:md') !== names.lastIndexOf('rs:md'), () => 'the entry has several rs:md'),
  },
  7: {
    extension: ({ name, attributes: { rel, href } }) => {
      if (name !== 'rs:ln') return NONE;
      if (!rel) return [`the link to ${href ?? 'nothing'} has no rel`];
      if (!href) return [`the link with rel="${rel}" has no href`];
      return wrong(!ABSOLUTE_URI.test(href), () => `the href ${href} is not an absolute URI`);
    },
  },
  8: {
    extension: ({ name, attributes: { rel } }) =>
      wrong(name === 'rs:ln' && !!rel && (parseRelation(rel) === undefined || rel.includes(' ')), () => `rel ${rel}`),
  },
  9: {
    extension: ({ attributes: { pri } }) => wrong(pri !== undefined && !/^[1-9]\d{0,5}$/.test(pri), () => `pri ${pri}`),
  },
  10: {
    entry: ({ lastmod }) => (lastmod === undefined ? NONE : datetimeProblems('lastmod', lastmod)),
    extension: ({ attributes }) => {
      let problems = NONE;
      for (const name of TIMES) {
        const text = attributes[name];
        if (text !== undefined) problems = [...problems, ...datetimeProblems(name, text)];
      }
      return problems;
    },
  },
  11: {
    extension: ({ name, attributes }, document) => {
      if (name !== 'rs:md') return NONE;
      const foreign = foreignTimes(capabilityOf(document), attributes);
      return foreign.length === 0 ? NONE : foreign.map((time) => `${capabilityOf(document)} has ${time}`);
    },
  },
  18: {
    entry: ({ changefreq }) =>
      wrong(changefreq !== undefined && !FREQUENCIES.has(changefreq), () => `changefreq ${changefreq}`),
  },
  19: {
    document: ({ misplaced }) => wrong(misplaced > 0, () => 'an rs:md or rs:ln of the document is behind an entry'),
    entry: ({ names }) =>
      wrong(!isOrdered(names), () => `the elements of the entry are in the order ${names.slice(0, 10).join(', ')}`),
  },
  20: {
    entry: ({ loc, names }) => {
      if (loc === '') return wrong(names.includes('loc'), () => 'loc is empty');
      return wrong(!isLoc(loc), () => `loc ${loc.slice(0, 200)} ${problemOf(loc)}`);
    },
  },
  24: {
    document: (document) => [
      ...wrong(document.count > MOST_ENTRIES && !isIndex(document), () => `it has ${document.count} entries`),
      ...wrong(document.bytes > MOST_BYTES, () => `it has ${document.bytes} bytes`),
    ],
  },
  25: {
    document: (document) =>
      wrong(document.count > MOST_ENTRIES && isIndex(document), () => `it has ${document.count} parts`),
    list: ({ head, parts }) =>
      isIndex(head) ? parts.filter(isIndex).map((part) => at(part, `it is an index, in the index ${head.uri}`)) : NONE,
  },
  26: {
    source: ({ encodings }) =>
      encodings
        .filter(({ areEqual }) => !areEqual)
        .map(({ uri }) => ({ document: uri, message: 'it comes with other bytes when gzip is accepted' })),
  },
  27: {
    list: ({ head, parts }) =>
      isIndex(head)
        ? parts
            .filter((part) => part.failure === undefined)
            .filter(({ extensions }) =>
              extensions.every(({ attributes: { rel, href } }) => rel !== 'index' || href !== head.uri),
            )
            .map((part) => at(part, `it has no link with rel index to ${head.uri}`))
        : NONE,
  },
  28: {
    list: ({ capability, capabilityList, head }) => {
      const isRight = head.failure === undefined && (head.md.capability ?? capability) === capability;
      if (isRight || head.isUnanswered || capabilityList === undefined) return NONE;
      const entry = capabilityList.entries.find(({ loc }) => loc === head.uri);
      const message = `${head.uri} is neither list nor index of ${capability}: ${head.failure ?? `it is a ${head.md.capability}`}`;
      return [
        {
          level: 'MUST',
          ...(entry === undefined ? at(capabilityList, message) : atEntry(capabilityList, entry, message)),
        },
      ];
    },
  },
};

function isLoc(loc: string): boolean {
  return loc.length >= 12 && loc.length <= 2048 && ABSOLUTE_URI.test(loc) && URL.canParse(loc);
}

function problemOf(loc: string): string {
  const [character] = /[\s<>"]/.exec(loc) ?? [];
  const code = character?.codePointAt(0)?.toString(16).padStart(2, '0').toUpperCase();
  if (character !== undefined && loc.length <= 2048)
    return `has the character ${JSON.stringify(character)}, which a URI can only have percent-encoded, as %${code}`;
  return 'is not an absolute URI of 12 to 2,048 characters';
}

function datetimeProblems(name: string, text: string): Problems {
  switch (datetimeKind(text)) {
    case 'complete':
      return NONE;
    case 'incomplete':
      return [{ level: 'SHOULD', message: `${name} ${text} is not complete, or not in UTC` }];
    case 'none':
      return [`${name} ${text.slice(0, 100)} is not a W3C Datetime`];
  }
}
