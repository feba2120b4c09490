import { writeOaiDc } from '../../records/dublin-core.ts';
import type { Organization, Stream } from '../../records/organization.ts';
import { setOfStream } from '../../records/stream-set-names.ts';
import type { SourceSet } from '../profiles/profile.ts';

/** A set of the repository of all organizations: the records of an organization, or of one of its streams. */
export interface MemberSet {
  /** The setSpec, and the slug of the set of records. */
  readonly slug: string;
  readonly organization: Organization;
  readonly stream: Stream;
}

/**
 * The records of each organization, which are those of its default stream. ListSets has no other sets, so that each
 * record is in one of them, and programs that harvest all sets harvest each organization once.
 * @param organizations ascending by id
 */
export function memberSets(organizations: readonly Organization[]): readonly MemberSet[] {
  return organizations.flatMap((organization) => {
    const stream = organization.streams.find(({ id }) => id === organization.defaultStream);
    return stream === undefined ? [] : [{ slug: organization.id, organization, stream }];
  });
}

/** A set that `set` or an identifier names, also one of a stream. Undefined when there is none. */
export function memberSet(organizations: readonly Organization[], slug: string): MemberSet | undefined {
  const found = memberSets(organizations).find((member) => member.slug === slug);
  if (found !== undefined) return found;
  for (const organization of organizations) {
    const setOf = ({ id: stream }: Stream) => setOfStream({ organization: organization.id, stream }, 'records');
    const stream = organization.streams.find((one) => one.set === undefined && setOf(one) === slug);
    if (stream !== undefined) return { slug, organization, stream };
  }
  return undefined;
}

/**
 * As the POD aggregator describes a set: programs find that of an organization by `dc:contributor`, its id, and
 * `dc:type`, `default`.
 */
export function describedSet({ slug, organization: { id, title = id }, stream }: MemberSet): SourceSet {
  const dates = `${new Date(stream.created).toISOString().slice(0, 10)}/`;
  const description = writeOaiDc([
    ['description', `Default stream of ${title}, ${dates}`],
    ['contributor', id],
    ['type', 'default'],
    ['date', dates],
  ]);
  return { spec: slug, name: title, description };
}
