import type { XmlElement } from '../parse-document.ts';
import {
  datetimeOf,
  eachList,
  eachOf,
  entriesOf,
  entriesOfAll,
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

const OF_RESOURCES = ['loc', 'lastmod', 'changefreq', 'priority', 'rs:md', 'rs:ln'];

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

/** Where the list and the fold of the changes differ. @param before of these, the changes need not have any */
function differences(list: List, changes: readonly XmlElement[], before: readonly string[]): readonly string[] {
  const listed = new Map(entriesOfAll(list).map((entry) => [locOf(entry), md(entry).hash ?? '?']));
  const folded = fold(changes);
  const missing = before.filter((uri) => !folded.has(uri) && !listed.has(uri));
  const uris = [...listed.keys(), ...folded.keys()].filter((uri) => folded.has(uri) || !before.includes(uri));
  return [...missing, ...new Set(uris.filter((uri) => listed.get(uri) !== folded.get(uri)))];
}

/** What the set had when its history began: after a move, a resource has no change before the next one. */
const hadBefore = ({ truth }: Source, { capabilityList }: List) => truth.get(capabilityList.uri)?.before ?? [];

/** Section F of the rules: Resource Lists. */
export const RESOURCE_LISTS: Readonly<Record<number, Rule>> = {
  48: eachList('resourcelist', (list, source) => {
    const covered = new Set([...hadBefore(source, list), ...changesOfSet(source, list).map(locOf)]);
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
      ...list.parts
        .filter(({ root }) => (md(root).at ?? '') > at)
        .map(({ uri }) => `${uri} is of a later time than ${list.head.uri}`),
      ...differences(list, upToThen, hadBefore(source, list)).map((uri) => `${uri} is not as it was at ${at}`),
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
  55: eachList('resourcelist', ({ head, parts }) =>
    isIndex(head)
      ? [
          ...wrong(
            md(head.root).at === undefined || linksOf(head.root, 'up').length !== 1,
            `${head.uri} lacks at or up`,
          ),
          ...entriesOf(head)
            .filter((entry) => Object.keys(md(entry)).some((name) => name !== 'at' && name !== 'completed'))
            .map((entry) => `${locOf(entry)} has what a part has not`),
          ...entriesOf(head)
            .filter((entry) => {
              const part = parts.find(({ uri }) => uri === locOf(entry));
              return part !== undefined && (md(entry).at ?? md(part.root).at) !== md(part.root).at;
            })
            .map((entry) => `${locOf(entry)} has another at than its index says`),
        ]
      : [],
  ),
  56: eachList('resourcelist', (list) => repeated(entriesOfAll(list).map(locOf))),
};
