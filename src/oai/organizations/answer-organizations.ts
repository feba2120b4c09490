import type { ResourceSet } from '../../core/resource-set.ts';
import { oaiBase } from '../../core/set-uris.ts';
import type { Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { Organization } from '../../records/organization.ts';
import { writeFormats, writeSets } from '../answers.ts';
import { datestampOf } from '../datestamps.ts';
import { postmasterOf, writeIdentify } from '../identify.ts';
import type { ListedSet } from '../lists/answer-list.ts';
import { answerFormats, answerRecord, unknownIdentifier } from '../lists/answer-record.ts';
import type { BusyLimit } from '../lists/busy-limit.ts';
import type { NewList, OaiRequest, ResumedList } from '../parse-request.ts';
import { memberProfile } from '../profiles/open-profile.ts';
import { requireFormat } from '../profiles/profile.ts';
import { protocolError } from '../protocol.ts';
import type { RepositoriesParts } from '../repositories-parts.ts';
import { requireServed } from '../require-served.ts';
import { describedSet, type MemberSet, memberSet, memberSets } from './member-sets.ts';
import { positionOf, type WalkedSet, walkLists } from './walk-lists.ts';

interface OrganizationsParts extends RepositoriesParts {
  readonly limit: BusyLimit;
  /** The datestamp that no record of a set is older than. */
  earliest(set: ResourceSet): Promise<Stamp>;
}

interface AskedOf<Request> {
  readonly request: Request;
  /** In seconds since 1970. */
  readonly responseDate: number;
  readonly signal?: AbortSignal | undefined;
}

/** Number of sets whose first change is read at a time. */
const READ_AT_ONCE = 8;

/**
 * Answers a request to the repository of all organizations: their records are its sets. A set that does not exist, and
 * one that the sender may not read, have the same answer.
 * @param organizations those that the sender may read, ascending by id
 */
export async function answerOrganizations(
  organizations: readonly Organization[],
  { request, ...asked }: AskedOf<OaiRequest>,
  parts: OrganizationsParts,
): Promise<{ readonly body: string; readonly responseDate?: number }> {
  const { baseUrl } = await parts.source();
  switch (request.verb) {
    case 'Identify':
      return { body: await identify(organizations, parts) };
    case 'ListSets':
      return { body: listSets(organizations) };
    case 'ListMetadataFormats': {
      const { identifier } = request;
      if (identifier === undefined) return { body: writeFormats(await memberProfile('', baseUrl).formats()) };
      return { body: await answerFormats(await listedOf(organizations, identifier, parts), identifier) };
    }
    case 'GetRecord':
      return { body: await answerRecord(await listedOf(organizations, request.identifier, parts), request) };
    case 'ListIdentifiers':
    case 'ListRecords':
      return list(organizations, { request, ...asked }, parts);
  }
}

async function identify(organizations: readonly Organization[], parts: OrganizationsParts): Promise<string> {
  const { baseUrl } = await parts.source();
  let earliest = Number.POSITIVE_INFINITY;
  const sets = (await servedSets(memberSets(organizations), parts)).map(({ set }) => set);
  for await (const one of mapInOrder(sets, READ_AT_ONCE, parts.earliest)) earliest = Math.min(earliest, one);
  return writeIdentify({
    name: `All organizations of ${new URL(baseUrl).host}`,
    baseUrl: oaiBase(baseUrl),
    adminEmail: parts.adminEmail ?? postmasterOf(baseUrl),
    earliest: datestampOf(Number.isFinite(earliest) ? earliest : 0),
    resourceSync: `${baseUrl}/.well-known/resourcesync`,
  });
}

function listSets(organizations: readonly Organization[]): string {
  const members = memberSets(organizations);
  if (members.length > 0) return writeSets(members.map(describedSet));
  throw protocolError('noSetHierarchy', 'there is no organization with records that the sender may read');
}

/** The set of a record. @throws ProtocolErrors `idDoesNotExist` */
async function listedOf(
  organizations: readonly Organization[],
  identifier: string,
  parts: OrganizationsParts,
): Promise<ListedSet> {
  const [, slug = ''] = /^oai:[^:/]*:([^:/]*)\//.exec(identifier) ?? [];
  const member = memberSet(organizations, slug);
  const [served] = member === undefined ? [] : await servedSets([member], parts);
  if (served === undefined) throw unknownIdentifier();
  return served.listed;
}

async function list(
  organizations: readonly Organization[],
  { request, responseDate, signal }: AskedOf<NewList | ResumedList>,
  parts: OrganizationsParts,
) {
  const position = positionOf(request, responseDate);
  await requireFormat(memberProfile('', (await parts.source()).baseUrl), position.metadataPrefix);
  const named = position.set === undefined ? undefined : memberSet(organizations, position.set);
  const members = position.set === undefined ? memberSets(organizations) : named === undefined ? [] : [named];
  const served = await servedSets(members, parts);
  const summaries = await parts.index.summaries(served.map(({ set }) => set.id));
  const sets = served.map(({ set: { slug }, listed }, at): WalkedSet => {
    return { slug, listed, lastChange: summaries[at]?.lastChange ?? 0 };
  });
  return parts.limit.run(() => walkLists(sets, position, { signal, pause: () => parts.limit.giveWay() }));
}

/** @throws TidemarkError `not-ready` before the first sync of one of them: a list without it would be wrong */
async function servedSets(members: readonly MemberSet[], { sets, source, index, records }: OrganizationsParts) {
  const { baseUrl } = await source();
  const bySlug = new Map((await sets.list()).map((set) => [set.slug, set]));
  return members.flatMap(({ slug }) => {
    const set = bySlug.get(slug);
    if (set === undefined) return [];
    requireServed(set);
    const listed: ListedSet = { id: set.id, profile: memberProfile(slug, baseUrl), index, records };
    return [{ set, listed }];
  });
}
