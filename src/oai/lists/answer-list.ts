import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { writeToken } from '../answers.ts';
import { boundaryBelow } from '../datestamps.ts';
import type { NewList, ResumedList } from '../parse-request.ts';
import { requireFormat, requireSets } from '../profiles/profile.ts';
import { protocolError } from '../protocol.ts';
import { decodePosition, encodePosition, type ListPosition } from '../resumption-token.ts';
import { countList } from './count-list.ts';
import { type ListPage, type PageOptions, readListPage } from './list-page.ts';
import type { WrittenSet } from './record-writer.ts';

/** A set whose records are listed. */
export interface ListedSet extends WrittenSet {
  readonly index: Pick<ChangeLog, 'changes'> &
    Pick<ResourceStates, 'lookup' | 'lastChanges'> &
    Pick<SetStatistics, 'history' | 'summary'>;
}

/**
 * Answers ListRecords and ListIdentifiers with an element of that name (OAI-PMH 2.0, 4.3 and 4.5).
 * @throws ProtocolErrors; TidemarkError `unavailable` when a record cannot be read
 */
export async function answerList(
  set: ListedSet,
  request: NewList | ResumedList,
  options: Pick<PageOptions, 'signal' | 'pause'>,
): Promise<string> {
  const isResumed = 'resumptionToken' in request;
  const position = isResumed ? resumedPosition(set, request) : await newPosition(set, request);
  const page = await readListPage(set, position, options);
  const items = page.items.length > 0 || !isResumed ? page.items : await lastRecord(set, position);
  if (items.length === 0)
    throw protocolError('noRecordsMatch', 'no record that was asked for has changed in this range');
  const token = await tokenAfter(set, position, { ...page, items });
  return `<${position.verb}>\n${items.join('')}${token}</${position.verb}>`;
}

async function newPosition({ id, profile }: ListedSet, request: NewList): Promise<ListPosition> {
  const { verb, metadataPrefix, set: spec } = request;
  await requireFormat(profile, metadataPrefix);
  if (spec !== undefined) requireSets(profile);
  return { verb, set: id, metadataPrefix, spec, ...rangeOf(request), cursor: 0 };
}

/** The boundaries between which records are listed. */
export function rangeOf({ from, until }: Pick<NewList, 'from' | 'until'>): Pick<ListPosition, 'after' | 'until'> {
  const after = from === undefined ? 0 : boundaryBelow(from.first);
  const end = until === undefined ? Number.POSITIVE_INFINITY : boundaryBelow(until.last + 1);
  // The year 9999 is no stamp, and no number of a token; no record is so late.
  return { after, until: Number.isSafeInteger(end) ? end : undefined };
}

function resumedPosition({ id }: ListedSet, { verb, resumptionToken }: ResumedList): ListPosition {
  const position = decodePosition(resumptionToken);
  if (position === undefined) throw protocolError('badResumptionToken', 'it is not a token of this server');
  if (position.set !== id) throw protocolError('badResumptionToken', 'it is a token of another repository');
  if (position.verb !== verb) throw protocolError('badResumptionToken', `it is a token of ${position.verb}`);
  return position;
}

/**
 * The last record of the page before, once more: what the token promised was changed so that it is not in the list any
 * more, and an answer without records would be an error.
 */
export async function lastRecord(
  set: ListedSet,
  position: Parameters<typeof readListPage>[1],
): Promise<readonly string[]> {
  const { after } = position;
  return (await readListPage(set, { ...position, after: Math.max(0, after - 2), until: after })).items;
}

/** The element after the records; empty for a list with one page. */
async function tokenAfter(
  set: ListedSet,
  position: ListPosition,
  { items, through, hasNext }: ListPage,
): Promise<string> {
  const { cursor, size: known } = position;
  if (!hasNext) return cursor === 0 ? '' : writeToken({ token: '', cursor, size: known });
  const size = known ?? (cursor === 0 ? await countedSize(set, position) : undefined);
  return writeToken({
    token: encodePosition({ ...position, after: through, cursor: cursor + items.length, size }),
    cursor,
    size,
  });
}

async function countedSize({ index, profile }: ListedSet, position: ListPosition): Promise<number | undefined> {
  const { set, metadataPrefix, spec, after, until } = position;
  if (spec !== undefined || until !== undefined || !profile.hasAll(metadataPrefix)) return undefined;
  return countList(index, set, after);
}
