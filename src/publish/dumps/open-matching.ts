import { hash } from 'node:crypto';
import { HASH_ALGORITHMS, type HashAlgorithm } from '../../core/hash.ts';
import type { Resource, ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Content, Contents } from '../../sources/contents.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';

/** Bytes up to which a content is read, and compared with the state, before it is packed; a larger one is streamed. */
export const MOST_IN_MEMORY = 256 * 1024;

/** A resource and its bytes. */
export interface Matching {
  readonly resource: Resource;
  /** The bytes, equal to those of the state. Undefined for a large content, which is compared while it is packed. */
  readonly bytes: Uint8Array | undefined;
  readonly content: Content;
}

/**
 * Opens a resource whose bytes match its state. If they do not, the resource was changed since, and its current state
 * is used. `missing` when no known state matches, or the bytes cannot be read; `deleted` when the resource is known to
 * be deleted.
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

/** Undefined when the bytes do not match the state. */
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

/** The hash used to compare bytes with a state; undefined for a state without one. */
export function strongestHash({ hashes }: ResourceState): { algorithm: HashAlgorithm; digest: string } | undefined {
  for (const algorithm of HASH_ALGORITHMS) {
    const digest = hashes?.[algorithm];
    if (digest !== undefined) return { algorithm, digest };
  }
  return undefined;
}

/** Whether bytes match a state. */
export function hasHashOf(state: ResourceState, bytes: Uint8Array): boolean {
  const expected = strongestHash(state);
  return expected === undefined || hash(expected.algorithm.replace('-', ''), bytes, 'hex') === expected.digest;
}
