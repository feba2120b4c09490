import { TidemarkError } from '../core/errors.ts';
import type { ObjectKey } from './artifact-store.ts';

/** Names with slashes between them. One that begins with a dot is the store's own, and never listed. */
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
    `${JSON.stringify(key)} is no key of an artifact: use names of printable ASCII characters, none empty or beginning with ".", with "/" between them`,
    { key },
  );
}

/** A key as people write it: a slash before it, as in the root of a bucket, means nothing. */
export function withoutSlash(text: string): ObjectKey {
  return text.replace(/^\//, '');
}
