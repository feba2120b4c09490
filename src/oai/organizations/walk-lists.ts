import { writeToken } from '../answers.ts';
import { type ListedSet, lastRecord, rangeOf } from '../lists/answer-list.ts';
import { MOST_BYTES, MOST_RECORDS, type PageOptions, readListPage } from '../lists/list-page.ts';
import type { NewList, ResumedList } from '../parse-request.ts';
import { protocolError } from '../protocol.ts';
import { decodeWalk, encodeWalk, type WalkPosition } from './walk-position.ts';

/** A set of the walk. */
export interface WalkedSet {
  readonly slug: string;
  /** The stamp of its last change. */
  readonly lastChange: number;
  readonly listed: ListedSet;
}

interface WalkPage {
  readonly items: readonly string[];
  /** Where the last one is. */
  readonly at: Pick<WalkPosition, 'at' | 'after'>;
  readonly hasNext: boolean;
}

type WalkOptions = Pick<PageOptions, 'signal' | 'pause' | 'most'>;

/** The position of a request. @param responseDate of the answer @throws ProtocolErrors `badResumptionToken` */
export function positionOf(request: NewList | ResumedList, responseDate: number): WalkPosition {
  const { verb } = request;
  if (!('resumptionToken' in request)) {
    const { metadataPrefix, set } = request;
    const { after, until } = rangeOf(request);
    return { verb, metadataPrefix, set, at: '', after, from: after, until, cursor: 0, began: responseDate };
  }
  const position = decodeWalk(request.resumptionToken);
  if (position === undefined) throw protocolError('badResumptionToken', 'it is not a token of this repository');
  if (position.verb !== verb) throw protocolError('badResumptionToken', `it is a token of ${position.verb}`);
  return position;
}

/**
 * Answers ListRecords and ListIdentifiers with the lists of several sets, one after the other. Pages have records of
 * more than one set where these are few.
 * @param sets ascending by slug @throws ProtocolErrors `noRecordsMatch`
 */
export async function walkLists(
  sets: readonly WalkedSet[],
  position: WalkPosition,
  options: WalkOptions,
): Promise<{ readonly body: string; readonly responseDate: number }> {
  const remaining = sets.filter(({ slug }) => slug >= position.at);
  const page = await readWalkPage(remaining, position, options);
  const isResumed = position.at !== '';
  const [first] = remaining;
  const isSame = isResumed && first?.slug === position.at;
  const items = page.items.length === 0 && isSame ? await lastRecord(first.listed, position) : page.items;
  if (items.length === 0)
    throw protocolError('noRecordsMatch', 'no record that was asked for has changed in this range');
  const { verb, cursor, began } = position;
  const next = { ...position, ...page.at, cursor: cursor + items.length };
  const token = page.hasNext ? encodeWalk(next) : '';
  const written = page.hasNext || isResumed ? writeToken({ token, cursor, size: undefined }) : '';
  return { body: `<${verb}>\n${items.join('')}${written}</${verb}>`, responseDate: began };
}

/** A page that has a next one is followed by at least one record. */
async function readWalkPage(
  sets: readonly WalkedSet[],
  position: WalkPosition,
  { most = MOST_RECORDS, ...options }: WalkOptions,
): Promise<WalkPage> {
  const items: string[] = [];
  let at = { at: position.at, after: position.after };
  let bytes = 0;
  for (const { slug, lastChange, listed } of sets) {
    const after = slug === position.at ? position.after : position.from;
    if (lastChange <= after) continue;
    const isFull = items.length >= most || bytes >= MOST_BYTES;
    const room = isFull ? { most: 1 } : { most: most - items.length, mostBytes: MOST_BYTES - bytes };
    const page = await readListPage(listed, { ...position, after }, { ...options, ...room });
    if (page.items.length === 0) continue;
    if (isFull) return { items, at, hasNext: true };
    items.push(...page.items);
    bytes += page.bytes;
    at = { at: slug, after: page.through };
    if (page.hasNext) return { items, at, hasNext: true };
  }
  return { items, at, hasNext: false };
}
