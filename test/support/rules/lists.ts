import type { ParsedDocument, XmlElement } from '../parse-document.ts';
import {
  capabilityOf,
  eachList,
  eachOf,
  entriesOf,
  isAscending,
  isIndex,
  type List,
  linksOf,
  locOf,
  md,
  partsOf,
  type Rule,
  repeated,
  type Source,
  wrong,
} from './source.ts';

const CHANGES = ['created', 'updated', 'deleted'];
const OF_RESOURCES = ['loc', 'lastmod', 'changefreq', 'priority', 'rs:md', 'rs:ln'];

const entriesOfAll = ({ parts }: List): readonly XmlElement[] => parts.flatMap(entriesOf);
const datetimeOf = (entry: XmlElement) => md(entry).datetime ?? '';

/** What the set's changes make of each resource: its hash (or that it has none known), nothing for a deleted one. */
function fold(changes: readonly XmlElement[]): ReadonlyMap<string, string | undefined> {
  const state = new Map<string, string | undefined>();
  for (const entry of changes)
    state.set(locOf(entry), md(entry).change === 'deleted' ? undefined : (md(entry).hash ?? '?'));
  return state;
}

/** The changes of the set that a Resource List belongs to. */
const changesOfSet = (source: Source, { capabilityList }: List) => {
  const [entry] = entriesOf(capabilityList).filter((entry) => md(entry).capability === 'changelist');
  const head = source.documents.get(entry ? locOf(entry) : '');
  if (head === undefined) return [];
  return (isIndex(head) ? partsOf(source, head) : [head]).flatMap(entriesOf);
};

/** Where the list and the fold of the changes say different things. */
function differences(list: List, changes: readonly XmlElement[]): readonly string[] {
  const listed = new Map(entriesOfAll(list).map((entry) => [locOf(entry), md(entry).hash ?? '?']));
  const folded = fold(changes);
  return [...new Set([...listed.keys(), ...folded.keys()])].filter((uri) => listed.get(uri) !== folded.get(uri));
}

const isOpen = ({ root }: ParsedDocument) => md(root).until === undefined;

/** Of lists that the source published before, what it makes of them now. */
const compared = (source: Source, check: (before: ParsedDocument, now: ParsedDocument | undefined) => boolean) =>
  [...(source.before?.documents.values() ?? [])]
    .filter((before) => capabilityOf(before) === 'changelist' && !isIndex(before))
    .filter((before) => check(before, source.documents.get(before.uri)))
    .map(({ uri }) => `${uri} is not what it must be now`);

const recentUri = (uri: string) => new URL('changelist-recent.xml', uri).href;

/** Section F of the rules: Resource Lists. */
export const RESOURCE_LISTS: Readonly<Record<number, Rule>> = {
  48: eachList('resourcelist', (list, source) => {
    const covered = new Set(changesOfSet(source, list).map(locOf));
    return entriesOfAll(list)
      .map(locOf)
      .filter((uri) => !covered.has(uri));
  }),
  51: eachList('resourcelist', ({ head, parts }) =>
    [head, ...parts]
      .filter(({ root }) => md(root).capability !== 'resourcelist' || md(root).at === undefined)
      .map(({ uri }) => `${uri} has no at`),
  ),
  52: eachList('resourcelist', (list, source) => {
    const at = md(list.head.root).at ?? '';
    const upToThen = changesOfSet(source, list).filter((change) => datetimeOf(change) < at);
    return [
      ...[list.head, ...list.parts]
        .filter(({ root }) => Date.parse(md(root).at ?? '') > source.readAt)
        .map(({ uri }) => `${uri} is of the future`),
      ...differences(list, upToThen).map((uri) => `${uri} is not as it was at ${at}`),
    ];
  }),
  53: eachOf('resourcelist', (document) =>
    entriesOf(document)
      .filter(({ children }) => children.some(({ name }) => !OF_RESOURCES.includes(name)))
      .concat(
        entriesOf(document).filter((entry) => locOf(entry) === '' || 'change' in md(entry) || 'datetime' in md(entry)),
      )
      .map((entry) => `${locOf(entry)} has what a resource has not`),
  ),
  54: eachList('resourcelist', (list, source) => {
    const listed = entriesOfAll(list).map(locOf).sort().join();
    const truth = source.truth.get(list.capabilityList.uri)?.resources;
    return [
      ...wrong(isIndex(list.head) && list.parts.length < entriesOf(list.head).length, `${list.head.uri} lacks a part`),
      ...wrong(truth !== undefined && [...truth].sort().join() !== listed, `${list.head.uri} is not the whole set`),
    ];
  }),
  55: eachList('resourcelist', ({ head }) =>
    isIndex(head)
      ? [
          ...wrong(
            md(head.root).at === undefined || linksOf(head.root, 'up').length !== 1,
            `${head.uri} lacks at or up`,
          ),
          ...entriesOf(head)
            .filter((entry) => Object.keys(md(entry)).some((name) => name !== 'at' && name !== 'completed'))
            .map((entry) => `${locOf(entry)} has what a part has not`),
        ]
      : [],
  ),
  56: eachList('resourcelist', (list) => repeated(entriesOfAll(list).map(locOf))),
};

/** Sections I and J of the rules: Change Lists and their index. */
export const CHANGE_LISTS: Readonly<Record<number, Rule>> = {
  68: eachOf('changelist', (document) =>
    wrong(md(document.root).from === undefined || linksOf(document.root, 'up').length !== 1, 'lacks from or up'),
  ),
  69: (source) => [
    ...eachOf('changelist', (document) => wrong(!isAscending(entriesOf(document).map(datetimeOf)), 'is not in order'))(
      source,
    ),
    ...eachList('changelist', (list) =>
      wrong(!isAscending(entriesOfAll(list).map(datetimeOf)), `${list.head.uri} is not in order`),
    )(source),
  ],
  70: eachList('changelist', (list, { truth }) => {
    const changes = truth.get(list.capabilityList.uri)?.changes ?? entriesOfAll(list).map(locOf);
    const counted = (texts: readonly string[]) => [...texts].sort().join();
    return wrong(
      counted(changes) !== counted(entriesOfAll(list).map(locOf)),
      `${list.head.uri} tells of fewer or more`,
    );
  }),
  71: eachOf('changelist', (document) =>
    (isIndex(document) ? [] : entriesOf(document))
      .filter((entry) => locOf(entry) === '' || !CHANGES.includes(md(entry).change ?? ''))
      .map((entry) => `${locOf(entry)} change ${md(entry).change}`),
  ),
  72: eachOf('changelist', (document) =>
    (isIndex(document) ? [] : entriesOf(document)).filter((entry) => datetimeOf(entry) === '').map(locOf),
  ),
  73: eachOf('changelist', (document) => {
    const { from = '', until = '9999' } = md(document.root);
    const outside = ({ datetime = from }: Readonly<Record<string, string>>) => datetime < from || datetime > until;
    return entriesOf(document)
      .filter((entry) => outside(md(entry)))
      .map(locOf);
  }),
  74: eachList('changelist', (list, { truth }) => {
    const known = truth.get(list.capabilityList.uri)?.changes ?? [];
    const told = entriesOfAll(list).map(locOf);
    return wrong(
      known.some((uri, at) => told[at] !== uri),
      `${list.head.uri} lacks a change`,
    );
  }),
  75: (source) => compared(source, (before, now) => !isOpen(before) && now !== undefined && now.text !== before.text),
  76: (source) => [
    ...eachList('changelist', ({ parts, head }) =>
      wrong(parts.length > 0 && !isOpen(parts.at(-1)!), `${head.uri} is closed`),
    )(source),
    ...compared(
      source,
      (before, now) =>
        isOpen(before) &&
        now !== undefined &&
        entriesOf(now).length < entriesOf(before).length &&
        isOpen(now) &&
        md(now.root).from === md(before.root).from,
    ),
  ],
  77: eachList('changelist', (list) =>
    repeated(entriesOfAll(list).map((entry) => `${locOf(entry)} ${datetimeOf(entry)}`)),
  ),
  78: eachOf('changelist', (document) =>
    entriesOf(document)
      .filter((entry) => md(entry).change === 'deleted')
      .filter(
        (entry) =>
          entry.children.some(({ name }) => name !== 'loc' && name !== 'rs:md') ||
          ['hash', 'length', 'type'].some((name) => name in md(entry)),
      )
      .map((entry) => `${locOf(entry)} tells of what is gone`),
  ),
  79: eachList('changelist', ({ parts }) =>
    parts
      .filter(({ root }, at) => at > 0 && md(root).from !== md(parts[at - 1]!.root).until)
      .map(({ uri }) => `${uri} does not begin where the one before ends`),
  ),
  80: (source) => [
    ...compared(source, (before, now) => !isOpen(before) && now === undefined),
    ...eachList('changelist', ({ head, parts }) =>
      parts
        .filter(({ root }) => head !== parts[0] && !linksOf(root, 'index').includes(head.uri))
        .map(({ uri }) => `${uri} leads to no next list`),
    )(source),
  ],
  81: eachList('changelist', ({ head }) =>
    wrong(
      isIndex(head) && !isAscending(entriesOf(head).map((entry) => md(entry).from ?? '')),
      `${head.uri} is not in order`,
    ),
  ),
  82: eachOf('changelist', (document) =>
    wrong(
      isIndex(document) && (md(document.root).from === undefined || linksOf(document.root, 'up').length !== 1),
      'lacks from or up',
    ),
  ),
  83: eachList('changelist', ({ head, parts }) =>
    (isIndex(head) ? entriesOf(head) : [])
      .filter((entry) => {
        const part = parts.find(({ uri }) => uri === locOf(entry));
        return part === undefined || md(entry).from !== md(part.root).from || md(entry).until !== md(part.root).until;
      })
      .map((entry) => `${locOf(entry)} has other times than the index says`),
  ),
  84: eachList('changelist', ({ parts }) =>
    parts
      .slice(0, -1)
      .filter(isOpen)
      .map(({ uri }) => `${uri} is open, and not the last`),
  ),
  85: eachList('changelist', ({ head }, { documents }) => {
    const recent = documents.get(recentUri(head.uri));
    return [
      ...wrong(
        isIndex(head) && !isAscending(entriesOf(head).map(locOf)),
        `${head.uri} has names in another order than times`,
      ),
      ...wrong(
        recent === undefined || isIndex(recent) || !isOpen(recent),
        `${head.uri} has no flat open list beside it`,
      ),
    ];
  }),
};
