import { createHash } from 'node:crypto';
import { type Configuration, describeStore } from '../config/configuration.ts';

/** Names a store without showing where it is: servers with the same one may share a port. */
export function storeDigest({ store }: Pick<Configuration, 'store'>): string {
  return createHash('sha256').update(describeStore(store)).digest('hex').slice(0, 16);
}
