import { createHash } from 'node:crypto';
import { type Configuration, describeStore } from '../config/configuration.ts';

/** Identifies a store without revealing its location: servers of the same store may share a port. */
export function storeDigest({ store }: Pick<Configuration, 'store'>): string {
  return createHash('sha256').update(describeStore(store)).digest('hex').slice(0, 16);
}
