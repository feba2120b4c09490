import type { KeyRange, ResourceKey } from '../core/key.ts';
import type { EncodedState, Resource, Tombstone } from '../core/resource.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

/**
 * The current states of the resources of sets: a fold of the log. test/contract/resource-states.ts tests these
 * promises. Every method throws `not-found` for a set that is not in the catalog or was removed; for an empty set,
 * results are empty. A temporary fault is `unavailable`, and then nothing was acknowledged.
 */
export interface ResourceStates {
  /**
   * Yields live resources (with `tombstones`, these too) in batches, ascending by the bytes of their keys. Memory does
   * not grow with the range, and no cursor stays open between batches: each batch is read when it is requested.
   */
  read(set: SetId, range: KeyRange & { readonly tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { readonly tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;

  /**
   * Yields all live resources in the order of `read`, with their states as JSON text: a caller that compares a million
   * of them decodes only those that differ.
   */
  states(set: SetId): AsyncIterable<readonly EncodedResource[]>;

  /** Returns the states of these keys, in order; `undefined` for a key that never existed. */
  lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]>;

  /** Returns the stamps of the last changes of these keys, in order; 0 for a key that never existed. */
  lastChanges(set: SetId, keys: readonly ResourceKey[]): Promise<readonly Stamp[]>;

  /**
   * Finds live resources whose keys match a user's search (see `parseKeySearch`), ascending by the bytes of their keys,
   * above `after`, at most `limit` (up to 1,000). A search for a prefix is a range, and fast. Any other search tests
   * each key, and stops after about half a second: it then returns its position, with the results so far, of which
   * there may be none.
   * @throws TidemarkError `unavailable` when too many searches are running
   */
  find(set: SetId, search: Search): Promise<FoundResources>;

  /**
   * Cuts a range of live keys into pieces of similar size that each keep both limits; at least one piece, which may be
   * empty. It counts exactly the changes below `through`. It may block its thread while it reads.
   */
  survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey>;
}

export interface EncodedResource {
  readonly key: ResourceKey;
  readonly state: EncodedState;
}

export interface Search {
  /** The user's input, decoded. */
  readonly part: string;
  readonly after?: ResourceKey | undefined;
  readonly limit: number;
}

export interface FoundResources {
  readonly resources: readonly Resource[];
  /** The key up to which the set was searched, to continue from as `after`; undefined when all of it was searched. */
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
  /** The newest stamp of its resources and tombstones; 0 when there are none. */
  readonly newest: Stamp;
}

export interface Limits {
  readonly entries: number;
  readonly weight: number;
}
