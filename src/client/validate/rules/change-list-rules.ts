import { type Document, isIndex, linksOf } from '../../read/document.ts';
import { endsBeforeItBegins, lacksChange, lacksTime } from './head-checks.ts';
import { MOST_SKEW_MS, unreadable } from './resource-list-rules.ts';
import {
  at,
  atEntry,
  type List,
  lesser,
  ofDocuments,
  ofEntries,
  ofLists,
  type Problems,
  type Rules,
  wrong,
} from './rule.ts';
import { areAscending, instantOf } from './times.ts';

const NONE: Problems = [];

const isOpen = ({ md }: Document) => md.until === undefined;

const readParts = ({ parts }: List) => parts.filter(({ failure }) => failure === undefined);

/** Rules for Change Lists, Change Dumps and their manifests. */
export const changesInOrder = (capability: string) =>
  ofEntries([capability], ({ md }, { previous }) => {
    const [before, now] = [instantOf(previous?.md.datetime), instantOf(md.datetime)];
    return wrong(before > now, () => `datetime ${md.datetime} is before that of the entry before it`);
  });

/** Sections I and J of the rules: Change Lists and their index. */
export const CHANGE_LISTS: Rules = {
  68: ofDocuments(['changelist'], (document) => (isIndex(document) ? NONE : lacksTime(document, 'from'))),
  69: {
    ...changesInOrder('changelist'),
    ...ofLists(['changelist'], (list) =>
      list.head === list.parts[0]
        ? NONE
        : readParts(list).flatMap((part, position, parts) => {
            const before = parts[position - 1];
            const isEarlier = instantOf(part.firstTime) < instantOf(before?.lastTime);
            return isEarlier ? [at(part, `its first change is before the last one of ${before!.uri}`)] : [];
          }),
    ),
  },
  71: ofEntries(['changelist'], ({ loc, md }) => lacksChange(loc, md.change)),
  72: ofEntries(['changelist'], ({ md }) => wrong(md.datetime === undefined, () => 'the entry has no datetime')),
  73: {
    ...ofEntries(['changelist'], ({ md }, { document }) => {
      const time = instantOf(md.datetime);
      const isOutside = time < instantOf(document.md.from) || time > instantOf(document.md.until);
      return wrong(isOutside, () => `datetime ${md.datetime} is not between from and until of the list`);
    }),
    ...ofDocuments(['changelist'], endsBeforeItBegins),
    ...ofLists(['changelist'], (list, { startedAt }) =>
      readParts(list)
        .filter((part) => isOpen(part) && instantOf(part.lastTime) / 1000 > startedAt + MOST_SKEW_MS)
        .map((part) => at(part, `its last change, of ${part.lastTime}, is in the future`)),
    ),
  },
  74: ofLists(['changelist'], (list) => [
    ...unreadable(list, 'so changes are missing'),
    ...list.contradictions
      .filter(({ kind }) => kind === 'lacking')
      .map(({ document, line, loc }) => ({
        document,
        line,
        message: `another Change List of the set lacks this change of ${loc}`,
      })),
  ]),
  76: ofLists(['changelist'], (list, { startedAt }) => {
    const last = readParts(list).at(-1);
    if (last === undefined || isOpen(last)) return NONE;
    if (instantOf(last.md.until) / 1000 > startedAt + MOST_SKEW_MS)
      return [at(last, `until ${last.md.until} is in the future`)];
    return [{ ...at(last, 'the last list is closed, so later changes are not published yet'), level: 'note' }];
  }),
  77: ofEntries(['changelist'], ({ loc, md }, { previous }) =>
    wrong(
      md.datetime !== undefined && previous?.md.datetime === md.datetime && previous.loc === loc,
      () => `two changes of ${loc} have the datetime ${md.datetime}`,
    ),
  ),
  78: {
    ...ofEntries(['changelist'], ({ loc, md, names }) => {
      if (md.change !== 'deleted') return NONE;
      const describes =
        names.some((name) => name !== 'loc' && name !== 'rs:md') ||
        md.hash !== undefined ||
        md.length !== undefined ||
        md.type !== undefined;
      return wrong(describes, () => `the entry describes ${loc}, which was deleted`);
    }),
    ...ofLists(['changelist'], ({ contradictions }) =>
      contradictions
        .filter(({ kind }) => kind === 'different')
        .map(({ document, line, loc }) => ({
          document,
          line,
          level: 'MUST' as const,
          message: `another Change List of the set describes this change of ${loc} otherwise`,
        })),
    ),
  },
  79: ofLists(['changelist'], (list) =>
    readParts(list).flatMap((part, position, parts) => {
      const before = parts[position - 1];
      if (before === undefined || isOpen(before)) return [];
      const [until, from] = [before.md.until, part.md.from];
      return instantOf(until) === instantOf(from)
        ? []
        : [at(part, `from is ${from}, and until of the list before is ${until}`)];
    }),
  ),
  80: ofLists(['changelist'], (list) =>
    list.head === list.parts[0]
      ? NONE
      : readParts(list)
          .filter((part) => !isOpen(part) && !linksOf(part, 'index').includes(list.head.uri))
          .map((part) => at(part, 'the closed list does not lead to its index, where the next one is')),
  ),
  81: ofLists(['changelist'], ({ head }) =>
    isIndex(head) && !areAscending(head.entries.map(({ md }) => md.from))
      ? [at(head, 'its entries are not in the order of their from')]
      : NONE,
  ),
  82: ofDocuments(['changelist'], (document) => (isIndex(document) ? lacksTime(document, 'from') : NONE)),
  83: ofLists(['changelist'], (list) => {
    const { head } = list;
    if (!isIndex(head)) return NONE;
    const known = new Map(readParts(list).map((part) => [part.uri, part]));
    return head.entries.flatMap((entry) => {
      const part = known.get(entry.loc);
      if (entry.md.from === undefined) return [atEntry(head, entry, 'the entry has no from')];
      const differ =
        part !== undefined && (!isSameTime(entry.md.from, part.md.from) || !isSameTime(entry.md.until, part.md.until));
      // The list may have been closed between the reading of its index and that of the list.
      const wasClosed = differ && entry.md.until === undefined && isSameTime(entry.md.from, part.md.from);
      if (!differ || (wasClosed && instantOf(part.md.until) / 1000 > head.requestedAt - 1000)) return [];
      return [atEntry(head, entry, 'the list has another from or until than the index says')];
    });
  }),
  84: ofLists(['changelist'], (list) =>
    readParts(list)
      .slice(0, -1)
      .filter(isOpen)
      .map((part) => at(part, 'the list is open, and is not the last')),
  ),
  85: ofLists(['changelist'], ({ head, recent }) => {
    if (!isIndex(head))
      return recent !== undefined && !isOpen(recent)
        ? [at(recent, 'the flat list of the last changes is closed')]
        : NONE;
    const locs = head.entries.map(({ loc }) => loc);
    const isFlat = recent !== undefined && (recent.isUnanswered || (!isIndex(recent) && isOpen(recent)));
    return [
      ...lesser(
        locs.some((loc, position) => position > 0 && locs[position - 1]! > loc),
        'note',
        () => 'the names of its lists sort in another order than their times',
      ),
      ...lesser(!isFlat, 'note', () => 'there is no flat open list beside it, for clients that read no index'),
    ].map((problem) => ({ ...at(head, ''), ...(typeof problem === 'string' ? { message: problem } : problem) }));
  }),
};

const isSameTime = (one: string | undefined, other: string | undefined) =>
  one === other || instantOf(one) === instantOf(other);
