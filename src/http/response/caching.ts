import type { RoutedResponse } from '../request/admitted.ts';

/** Which caches may store a public response. */
export type CacheControl = 'no-cache' | 'no-store' | `public, ${string}`;

/** What determines the caching of a response. */
interface Caching {
  readonly control: CacheControl;
  /** Whether the response is only for its sender. */
  readonly isPrivate: boolean;
  /** The headers of the request on which the response depends, besides the sender's credentials. */
  readonly vary?: string | undefined;
}

/** The headers that identify a sender. */
export const CREDENTIALS = 'Authorization, Cookie';

/** Marks a response as being only for its sender. Call this before the headers of the response are set. */
export function makePrivate(response: RoutedResponse): void {
  response.locals.isPrivate = true;
}

/** The headers for caching a response: by every cache, according to `control`, or only by the sender. */
export function cachingHeaders({ control, isPrivate, vary }: Caching): Readonly<Record<string, string>> {
  if (!isPrivate) return vary === undefined ? { 'Cache-Control': control } : { 'Cache-Control': control, Vary: vary };
  return {
    'Cache-Control': control.startsWith('public, ') ? control.replace('public', 'private') : `private, ${control}`,
    Vary: vary === undefined ? CREDENTIALS : `${vary}, ${CREDENTIALS}`,
  };
}

/** Sets the caching headers of a response of express. Call this after `Vary` was set. */
export function setCaching(response: RoutedResponse, control: CacheControl): void {
  const vary = response.getHeader('Vary') as string | undefined;
  const headers = cachingHeaders({ control, isPrivate: response.locals.isPrivate === true, vary });
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
