import { isDeepStrictEqual } from 'node:util';
import type { ParsedDocument, XmlElement } from '../parse-document.ts';
import {
  capabilityOf,
  datetimeOf,
  eachList,
  eachOf,
  entriesOf,
  entriesOfAll,
  isAscending,
  isIndex,
  linksOf,
  locOf,
  md,
  type Rule,
  repeated,
  type Source,
  type TrueState,
  textOf,
  wrong,
} from './source.ts';

const CHANGES = ['created', 'updated', 'deleted'];

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
    const changes = truth.get(list.capabilityList.uri)?.changes.map(({ uri }) => uri) ?? entriesOfAll(list).map(locOf);
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
      known.some(({ uri }, at) => told[at] !== uri),
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
