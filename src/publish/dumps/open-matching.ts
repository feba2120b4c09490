import { hash } from 'node:crypto';
import { HASH_ALGORITHMS, type HashAlgorithm } from '../../core/hash.ts';
import type { Resource, ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Content, Contents } from '../../sources/contents.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';

/** Bytes up to which a content is read, and compared with the state, before it is packed; a larger one is a stream. */
export const MOST_IN_MEMORY = 256 * 1024;

/** A resource with its bytes. */
export interface Matching {
  readonly resource: Resource;
  /** Read, and equal to the state. A large one is undefined: it is compared while it is packed. */
  readonly bytes: Uint8Array | undefined;
  readonly content: Content;
}

/**
 * Opens a resource whose bytes are those of its state. When they are not, it was changed since: the state may be known
 * by now. `missing` when it is not, or the bytes cannot be had; `deleted` when it is known that there are none.
 */
export async function openMatching(
  listed: Resource,
  { set, index, contents }: { readonly set: SetId; readonly index: ResourceStates; readonly contents: Contents },
): Promise<Matching | 'missing' | 'deleted'> {
  for (let resource = listed; ; ) {
    const opened = await open(resource, contents);
    if (opened !== undefined) return opened;
    const [current] = await index.lookup(set, [resource.key]);
    if (current?.state === undefined) return 'deleted';
    if (current.stamp === resource.stamp) return 'missing';
    resource = current;
  }
}

/** Undefined when the bytes are not those of the state. */
async function open(resource: Resource, contents: Contents): Promise<Matching | undefined> {
  const content = await contents.open(resource);
  if (content === undefined) return undefined;
  const { length } = resource.state;
  if (length !== undefined && length !== content.length) {
    await content.close();
    return undefined;
  }
  if (content.bytes === undefined && content.length > MOST_IN_MEMORY) return { resource, bytes: undefined, content };
  const bytes = content.bytes ?? Buffer.concat(await content.stream().toArray());
  return hasHashOf(resource.state, bytes) ? { resource, bytes, content } : undefined;
}

/** The hash by which bytes are compared with a state; undefined for a state without one. */
export function strongestHash({ hashes }: ResourceState): { algorithm: HashAlgorithm; digest: string } | undefined {
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = hashes?.[algorithm];
    if (digest !== undefined) return { algorithm, digest };
  }
  return undefined;
}

/** Whether bytes are those of a state. */
export function hasHashOf(state: ResourceState, bytes: Uint8Array): boolean {
  const expected = strongestHash(state);
  return expected === undefined || hash(expected.algorithm.replace('-', ''), bytes, 'hex') === expected.digest;
}
