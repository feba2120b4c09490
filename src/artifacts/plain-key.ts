import { TidemarkError } from '../core/errors.ts';
import type { ObjectKey } from './artifact-store.ts';

/** Names separated by slashes. Names that begin with a dot are the store's own, and never listed. */
const KEY = /^(?!\.)[!-.0-~]{1,200}(?:\/(?!\.)[!-.0-~]{1,200})*$/;
const LONGEST = 800;

/** Whether a text can be a key of the store: see `ArtifactStore`. */
export function isPlainKey(text: string): boolean {
  return text.length <= LONGEST && KEY.test(text);
}

/** @throws TidemarkError `invalid` */
export function requirePlainKey(key: ObjectKey): void {
  if (isPlainKey(key)) return;
  throw new TidemarkError(
    'invalid',
    `${JSON.stringify(key)} is not the key of an artifact: use names of printable ASCII characters, none empty or beginning with ".", with "/" between them`,
    { key },
  );
}

/** Removes a leading slash, which users may write as for the root of a bucket. */
export function withoutSlash(text: string): ObjectKey {
  return text.replace(/^\//, '');
}
