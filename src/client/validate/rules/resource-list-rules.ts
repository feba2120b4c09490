import { isIndex } from '../../read/document.ts';
import { endsBeforeItBegins, lacksTime } from './head-checks.ts';
import {
  at,
  atEntry,
  type List,
  type Located,
  ofDocuments,
  ofEntries,
  ofLists,
  type Problems,
  type Rules,
  wrong,
} from './rule.ts';
import { instantOf } from './times.ts';

/** The clocks of two machines may differ. */
export const MOST_SKEW_MS = 120_000;
const OF_RESOURCES = new Set(['loc', 'lastmod', 'changefreq', 'priority', 'rs:md', 'rs:ln']);
const NONE: Problems = [];

const DIFFERENCES = {
  missing: 'the resource that this entry created or updated before the at of the Resource List is missing there',
  'not-deleted': 'the resource that this entry deleted before the at of the Resource List is still there',
  'another-hash': 'the Resource List, of a later time, has another hash than this last change of the resource',
  'no-change': 'its lastmod is in the time of the Change List, which has no change of it',
} as const;

/** Problems for the parts of an index that could not be read. */
export const unreadable = ({ head, parts }: List, message: string): readonly Located[] =>
  isIndex(head)
    ? parts
        .filter(({ failure, isUnanswered }) => failure !== undefined && !isUnanswered)
        .map(({ uri, failure }) => {
          const problem = `${uri} cannot be read, ${message}: ${failure}`;
          const entry = head.entries.find(({ loc }) => loc === uri);
          return entry === undefined ? at(head, problem) : atEntry(head, entry, problem);
        })
    : [];

/** Section F of the rules: Resource Lists. */
export const RESOURCE_LISTS: Rules = {
  48: {
    ...ofLists(['resourcelist'], ({ differences }) =>
      differences
        .filter(({ kind }) => kind === 'no-change')
        .map(({ kind, line, in: document }) => ({
          document: document.uri,
          line,
          level: 'SHOULD' as const,
          message: DIFFERENCES[kind],
        })),
    ),
    package: ({ manifest, unknown }) =>
      manifest === undefined
        ? NONE
        : unknown.map((entry) => atEntry(manifest, entry, `no list of the set has ${entry.loc}, which the dump has`)),
  },
  51: ofDocuments(['resourcelist'], ({ md }) => wrong(md.at === undefined, () => 'it has no at')),
  52: {
    ...ofDocuments(['resourcelist'], endsBeforeItBegins),
    ...ofLists(['resourcelist'], ({ head, parts, differences }, { startedAt }) => [
      ...[...new Set([head, ...parts])]
        .filter(({ md }) => instantOf(md.at) / 1000 > startedAt + MOST_SKEW_MS)
        .map((document) => at(document, `at ${document.md.at} is in the future`)),
      ...parts
        .filter((part) => instantOf(part.md.at) > instantOf(head.md.at))
        .filter((part) => instantOf(part.md.at) / 1000 < startedAt - MOST_SKEW_MS)
        .map((part) => ({ ...at(part, `at ${part.md.at} is later than that of its index`), level: 'SHOULD' as const })),
      ...differences
        .filter(({ kind }) => kind !== 'no-change')
        .map(({ kind, line, in: document }) => ({ document: document.uri, line, message: DIFFERENCES[kind] })),
    ]),
  },
  53: ofEntries(['resourcelist'], ({ loc, md, names }) => {
    if (loc === '') return ['the entry has no loc'];
    if (md.change !== undefined || md.datetime !== undefined) return ['the entry has what belongs to a change'];
    const unknown = names.find((name) => !OF_RESOURCES.has(name) && !name.startsWith('{'));
    return unknown === undefined ? NONE : [`the entry has an element ${unknown}`];
  }),
  54: ofLists(['resourcelist'], (list) => unreadable(list, 'so the list is not the whole set')),
  55: ofLists(['resourcelist'], ({ head, parts }) => {
    if (!isIndex(head)) return NONE;
    const known = new Map(parts.map((part) => [part.uri, part]));
    return [
      ...lacksTime(head, 'at').map((message) => at(head, message)),
      ...head.entries
        .filter(({ md }) => Object.keys(md).some((name) => name !== 'at' && name !== 'completed'))
        .map((entry) => atEntry(head, entry, 'the entry has what does not belong to a part')),
      ...head.entries
        .filter(({ loc, md }) => md.at !== undefined && known.get(loc)?.md.at !== undefined)
        .filter(({ loc, md }) => instantOf(md.at) > instantOf(known.get(loc)!.md.at))
        .map((entry) =>
          atEntry(head, entry, `the part has at ${known.get(entry.loc)!.md.at}, before that of the index`),
        ),
    ];
  }),
  56: ofEntries(['resourcelist'], ({ loc }, { isRepeated }) => wrong(isRepeated, () => `${loc} is listed twice`)),
};
