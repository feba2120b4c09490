import type { ResourceKey } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { WalkedRecord } from '../../records/digests/walk-records.ts';
import type { MetadataFormat } from '../../records/metadata-format.ts';
import { protocolError } from '../protocol.ts';

/** How the records of a set become records of OAI-PMH. */
export interface Profile {
  /** The formats that the set has; `oai_dc` is one of them (OAI-PMH 2.0, appendix 1). */
  formats(): Promise<readonly MetadataFormat[]>;
  /** The sets in which the source has the records; undefined when there are none. */
  readonly sets?: readonly SourceSet[] | undefined;
  /** The sets of a larger repository in which all records are, also deleted ones. */
  readonly memberOf?: readonly string[] | undefined;
  /** Whether identifiers and sets are those of another repository: what a header says is then in the record itself. */
  readonly isHarvested: boolean;
  /** Whether each record has this format. */
  hasAll(prefix: string): boolean;
  /** @param id the id of the record */
  identifierOf(key: ResourceKey, id: string): string;
  /** The key of the record with this identifier; undefined when no record can have it. */
  keyOf(identifier: string): ResourceKey | undefined;
  /** @throws TidemarkError `unavailable` when the stored bytes are not what they should be */
  read(record: StoredRecord): Promise<ServedRecord>;
}

export interface SourceSet {
  readonly spec: string;
  readonly name: string;
  /** An element that declares its namespaces. */
  readonly description?: string | undefined;
}

/** A change of a set after which its record has not changed again. */
export interface ListedRecord {
  readonly key: ResourceKey;
  readonly stamp: Stamp;
  /** Undefined for a deletion. */
  readonly state: ResourceState | undefined;
}

export interface StoredRecord extends WalkedRecord {
  readonly state: ResourceState;
}

export interface ServedRecord {
  readonly setSpecs: readonly string[];
  /** An element that declares its namespaces; undefined when the record has none in this format. */
  metadata(prefix: string): string | undefined;
  /** The content of each element `about`. */
  abouts(prefix: string): readonly string[];
}

/** A view of bytes as a Buffer: nothing is copied. */
export function bytesOf({ document: { buffer, byteOffset, byteLength } }: WalkedRecord): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** @throws ProtocolErrors `cannotDisseminateFormat` */
export async function requireFormat(profile: Profile, prefix: string): Promise<void> {
  const prefixes = (await profile.formats()).map((format) => format.prefix);
  if (prefixes.includes(prefix)) return;
  throw protocolError('cannotDisseminateFormat', `there is no such format: use ${prefixes.join(' or ')}`);
}

/** @throws ProtocolErrors `noSetHierarchy` */
export function requireSets({ sets = [] }: Profile): readonly SourceSet[] {
  if (sets.length > 0) return sets;
  throw protocolError('noSetHierarchy', 'this repository has no sets');
}
