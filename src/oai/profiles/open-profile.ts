import type { ResourceSet } from '../../core/resource-set.ts';
import type { Collection } from '../../records/collections/collection.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { CollectionProfile } from './collection-profile.ts';
import { PlainProfile } from './plain-profile.ts';
import type { Profile, StoredRecord } from './profile.ts';
import { type RecordSource, readRecord } from './read-records.ts';

const MARC = 'application/marc';

export interface ProfileParts {
  readonly index: Pick<ResourceStates, 'read'>;
  readonly catalog: Pick<Catalog, 'get'>;
  readonly records: RecordSource;
  /** The base URL of this source, which ends without a slash. */
  source(): Promise<{ readonly baseUrl: string }>;
}

/** How the records of a set are served, as its collection is now, if it has one. */
export async function openProfile(set: ResourceSet, parts: ProfileParts): Promise<Profile> {
  const { slug, origin } = set;
  const sample = () => firstRecord(set, parts);
  // The stream of a collection, and its set, have the id of the collection.
  const isOfCollection = origin.kind === 'stream' && origin.stream === slug;
  const collection = isOfCollection ? await parts.catalog.get<Collection>('collection', slug) : undefined;
  if (collection !== undefined) return new CollectionProfile(collection.body, sample);
  const mime = origin.kind === 'stream' ? MARC : undefined;
  return new PlainProfile({ slug, host: hostOf((await parts.source()).baseUrl), mime, sample });
}

/** How the records of streams are served in one repository: in the formats that every stream has. */
export function memberProfile(slug: string, baseUrl: string): Profile {
  return new PlainProfile({ slug, host: hostOf(baseUrl), mime: MARC, sample: async () => undefined, spec: slug });
}

/** Undefined for an empty set. */
async function firstRecord({ id }: ResourceSet, { index, records }: ProfileParts): Promise<StoredRecord | undefined> {
  for await (const [first] of index.read(id, {})) if (first !== undefined) return readRecord(first.state, records);
  return undefined;
}

/** A colon separates the parts of an identifier. */
function hostOf(baseUrl: string): string {
  return new URL(baseUrl).hostname.replace(/[[\]]/g, '').replaceAll(':', '-');
}
