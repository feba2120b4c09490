import type { KeyRange, ResourceKey } from '../core/key.ts';
import type { EncodedState, Resource, Tombstone } from '../core/resource.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

/**
 * The current states of the resources of sets: a fold of the log. Held to these promises by
 * test/contract/resource-states.ts.
 * Every method throws `not-found` for a set that the catalog does not hold or that was removed; an empty set is an
 * empty answer. A fault that may pass is `unavailable`, and then nothing was acknowledged.
 */
export interface ResourceStates {
  /**
   * Live resources (with `tombstones`, those too) ascending by the bytes of their key, as batches. Memory does not grow
   * with the range, and no cursor stays open between batches: each batch is read when it is asked for.
   */
  read(set: SetId, range: KeyRange & { readonly tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { readonly tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;

  /**
   * All live resources as `read` gives them, with their states as text: a caller that compares a million of them
   * decodes only those that differ.
   */
  states(set: SetId): AsyncIterable<readonly EncodedResource[]>;

  /** The states of these keys, in order; `undefined` for one that never was. */
  lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]>;

  /**
   * Live resources whose key holds what a person typed (see `parseKeySearch`), ascending by the bytes of their key,
   * above `after`, at most `limit` (up to 1,000). A search for a beginning is a range, and quick. Any other one tests
   * key by key, and stops after about half a second: then it returns how far it came, with what it found so far, which
   * may be nothing.
   * @throws TidemarkError `unavailable` when too many are searching at once
   */
  find(set: SetId, search: Search): Promise<FoundResources>;

  /**
   * Cuts a range of live keys into pieces that each keep to both limits, as even as can be; at least one piece, which
   * may be empty. It counts exactly the changes below `through`. May block its thread for as long as it reads.
   */
  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey>;
}

export interface EncodedResource {
  readonly key: ResourceKey;
  readonly state: EncodedState;
}

export interface Search {
  /** As it was typed: decoded. */
  readonly part: string;
  readonly after?: ResourceKey | undefined;
  readonly limit: number;
}

export interface FoundResources {
  readonly resources: readonly Resource[];
  /** The key up to which the set was searched, to go on from as `after`; undefined when all of it was. */
  readonly next: ResourceKey | undefined;
}

export interface Survey {
  /** A boundary. */
  readonly through: Stamp;
  readonly pieces: readonly Piece[];
}

export interface Piece {
  /** The first key of the piece; undefined for a piece that begins where its range has no lower bound. */
  readonly from: ResourceKey | undefined;
  /** The last key of the piece; undefined for an empty piece. */
  readonly last: ResourceKey | undefined;
  readonly entries: number;
  readonly weight: number;
  /** The newest stamp among its resources and tombstones; 0 when there is none. */
  readonly newest: Stamp;
}

export interface Limits {
  readonly entries: number;
  readonly weight: number;
}
