import { isDeepStrictEqual } from 'node:util';
import type { ParsedDocument, XmlElement } from '../parse-document.ts';
import {
  capabilityOf,
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
  type Source,
  type TrueState,
  textOf,
  wrong,
} from './source.ts';

const isOpen = ({ root }: ParsedDocument) => md(root).until === undefined;

/** Of lists that the source published before, what it makes of them now. */
const compared = (source: Source, check: (before: ParsedDocument, now: ParsedDocument | undefined) => boolean) =>
  [...(source.before?.documents.values() ?? [])]
    .filter((before) => capabilityOf(before) === 'changelist' && !isIndex(before))
    .filter((before) => check(before, source.documents.get(before.uri)))
    .map(({ uri }) => `${uri} is not what it must be now`);

const recentUri = (uri: string) => new URL('changelist-recent.xml', uri).href;

/** Whether it has more than a deletion has. */
const describes = (entry: XmlElement) =>
  entry.children.some(({ name }) => name !== 'loc' && name !== 'rs:md') ||
  ['hash', 'length', 'type'].some((name) => name in md(entry));

/** Whether an entry describes a state as it was, as far as it does. */
const isOf = (entry: XmlElement, state: TrueState | undefined) => {
  if (state === undefined) return md(entry).change === 'deleted';
  const { hash = state.hash, length = state.length, type = state.type } = md(entry);
  const lastmod = textOf(entry, 'lastmod') ?? state.lastmod;
  return isDeepStrictEqual({ hash, length, type: type.split(';')[0], lastmod }, state);
};

const nameOf = (entry: XmlElement) => `${locOf(entry)} ${datetimeOf(entry)}`;

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

/**
 * What only the owner of a source can judge, who knows its resources and its changes, and what it published before.
 * All other rules are in src/client/validate/rules/.
 */
export const OWNER_RULES: Readonly<Record<number, Rule>> = {
  38: eachOf('description', (document, { truth }) => {
    const listed = entriesOf(document).map(locOf);
    return [...truth.keys()].filter((uri) => !listed.includes(uri)).map((uri) => `${uri} is left out`);
  }),
  48: eachList('resourcelist', (list, source) => {
    const covered = new Set([...hadBefore(source, list), ...changesOfSet(source, list).map(locOf)]);
    return entriesOfAll(list)
      .map(locOf)
      .filter((uri) => !covered.has(uri));
  }),
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
  54: eachList('resourcelist', (list, source) => {
    const listed = entriesOfAll(list).map(locOf).sort().join();
    const truth = source.truth.get(list.capabilityList.uri)?.resources;
    return [
      ...wrong(isIndex(list.head) && list.parts.length < entriesOf(list.head).length, `${list.head.uri} lacks a part`),
      ...wrong(truth !== undefined && [...truth].sort().join() !== listed, `${list.head.uri} is not the whole set`),
    ];
  }),
  70: eachList('changelist', (list, { truth }) => {
    const changes = truth.get(list.capabilityList.uri)?.changes.map(({ uri }) => uri) ?? entriesOfAll(list).map(locOf);
    const counted = (texts: readonly string[]) => [...texts].sort().join();
    return wrong(
      counted(changes) !== counted(entriesOfAll(list).map(locOf)),
      `${list.head.uri} contains fewer or more`,
    );
  }),
  74: eachList('changelist', (list, { truth }) => {
    const known = truth.get(list.capabilityList.uri)?.changes ?? [];
    const listed = entriesOfAll(list).map(locOf);
    return wrong(
      known.some(({ uri }, at) => listed[at] !== uri),
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
  78: (source) => [
    ...eachOf('changelist', (document) =>
      entriesOf(document)
        .filter((entry) => md(entry).change === 'deleted' && describes(entry))
        .map((entry) => `${locOf(entry)} describes what was deleted`),
    )(source),
    ...eachList('changelist', (list, { truth }) => {
      const known = truth.get(list.capabilityList.uri)?.changes ?? [];
      return entriesOfAll(list)
        .filter((entry, at) => known[at]?.uri === locOf(entry) && !isOf(entry, known[at].state))
        .map((entry) => `${locOf(entry)} at ${datetimeOf(entry)} has another state than it had`);
    })(source),
    ...eachList('changelist', (list, { documents }) => {
      const recent = new Map(
        entriesOf(documents.get(recentUri(list.head.uri)) ?? list.head).map((entry) => [nameOf(entry), entry]),
      );
      return entriesOfAll(list)
        .filter((entry) => !isDeepStrictEqual(recent.get(nameOf(entry)) ?? entry, entry))
        .map((entry) => `${locOf(entry)} at ${datetimeOf(entry)} is another one in the list of the last changes`);
    })(source),
  ],
  80: (source) => [
    ...compared(source, (before, now) => !isOpen(before) && now === undefined),
    ...eachList('changelist', ({ head, parts }) =>
      parts
        .filter(({ root }) => head !== parts[0] && !linksOf(root, 'index').includes(head.uri))
        .map(({ uri }) => `${uri} leads to no next list`),
    )(source),
  ],
};

/** Everything that is wrong with a source, each with the number of the rule. */
export function ownerViolations(source: Source): readonly string[] {
  return Object.entries(OWNER_RULES).flatMap(([number, rule]) =>
    rule(source).map((message) => `rule ${number}: ${message}`),
  );
}
