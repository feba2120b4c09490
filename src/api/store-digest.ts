import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Configuration } from '../config/configuration.ts';
import { describeStore } from '../stores/locations.ts';

type WithStore = Pick<Configuration, 'store'>;

/** Identifies a store without revealing its location: servers of the same store may share a port. */
export function storeDigest({ store }: WithStore): string {
  return digestOf(describeStore(store));
}

/** Identifies the file of a store, by whichever path it is named. Undefined without a file. */
export async function storeFileDigest({ store }: WithStore): Promise<string | undefined> {
  if (store.kind !== 'sqlite') return undefined;
  const file = await stat(store.file, { bigint: true }).catch(() => undefined);
  return file && digestOf(`${file.dev} ${file.ino}`);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
