import { TidemarkError } from './errors.ts';

/**
 * @param uris the URIs of a set's source
 * @param home the home URL of the set itself, see set-uris.ts
 * @throws TidemarkError `invalid` for a set that would copy itself
 */
export function requireOtherSource(uris: readonly string[], home: string): void {
  if (!uris.some((uri) => uri.startsWith(home))) return;
  const message = `the set would be a copy of itself, because ${home} is its own address: give the URL of another source`;
  throw new TidemarkError('invalid', message, { field: 'from' });
}
